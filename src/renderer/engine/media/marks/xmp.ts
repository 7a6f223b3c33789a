/** @file Marks as XMP (ISO 16684-1). */
import { noMarks, type Marks, type ResultMarks } from './marks.ts'

/** Longest value that is taken over. */
const maxLength = 8000

/** The marks in the XMP of a file, wherever it stands: all formats store it as plain text. */
export function marksInXmp(bytes: Uint8Array): Marks {
  const marks = { sourceTypes: [] as string[], aigc: [] as string[] }
  for (const text of packetsIn(bytes)) {
    marks.sourceTypes.push(...valuesOf(text, 'DigitalSourceType'))
    marks.aigc.push(...valuesOf(text, 'AIGC'))
  }
  return { ...noMarks, ...marks }
}

const [start, end] = ['<x:xmpmeta', '</x:xmpmeta>'].map((text) => new TextEncoder().encode(text)) as [
  Uint8Array,
  Uint8Array,
] // two strings, two arrays
/** More than any program writes. */
const maxPacket = 4 * 1024 * 1024

function* packetsIn(bytes: Uint8Array): Generator<string> {
  for (let from = indexOf(bytes, start, 0); from >= 0;) {
    const to = indexOf(bytes.subarray(0, from + maxPacket), end, from)
    if (to >= 0) yield new TextDecoder().decode(bytes.subarray(from, to))
    from = indexOf(bytes, start, to < 0 ? from + start.length : to)
  }
}

function indexOf(bytes: Uint8Array, part: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(part[0] ?? 0, from); at >= 0; at = bytes.indexOf(part[0] ?? 0, at + 1))
    if (part.every((byte, index) => bytes[at + index] === byte)) return at
  return -1
}

/** The values of a property: XMP allows it as an attribute, as an element, and as an element with an address. */
function valuesOf(text: string, name: string): string[] {
  const forms = [
    `(?<![\\w.-])(?!xmlns:)[\\w.-]+:${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`,
    `<[\\w.-]+:${name}(?:\\s[^>]*)?\\srdf:resource\\s*=\\s*(?:"([^"]*)"|'([^']*)')`,
    `<[\\w.-]+:${name}(?:\\s[^>]*[^/])?>([^<]*)<`,
  ]
  return [...text.matchAll(new RegExp(forms.join('|'), 'g'))]
    .map((found) => unescaped(found.slice(1).find(Boolean) ?? '').trim())
    .filter((value) => value !== '' && value.length <= maxLength)
}

/** An XMP packet. Marks of the inputs are in `xmpMM:Ingredients`: the property itself has one value only. */
export function xmpOf({ sourceType, aigc, inputs }: ResultMarks): string {
  const ingredients = [
    ...inputs.sourceTypes.map((type) => element('Iptc4xmpExt:DigitalSourceType', type)),
    ...inputs.aigc.filter((each) => each !== aigc).map((each) => element('TC260:AIGC', each)),
  ]
  const lines = [
    // What is left of a result whose credentials were removed: see main/credentials.
    element('xmp:CreatorTool', 'Mien'),
    element('Iptc4xmpExt:DigitalSourceType', sourceType),
    ...(aigc === null ? [] : [element('TC260:AIGC', aigc)]),
    ...(ingredients.length === 0
      ? []
      : [
          '<xmpMM:Ingredients><rdf:Bag>',
          ...ingredients.map((one) => `<rdf:li rdf:parseType="Resource">${one}</rdf:li>`),
          '</rdf:Bag></xmpMM:Ingredients>',
        ]),
  ]
  const spaces = {
    xmp: 'http://ns.adobe.com/xap/1.0/',
    Iptc4xmpExt: 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/',
    TC260: 'http://www.tc260.org.cn/ns/AIGC/1.0/',
    xmpMM: 'http://ns.adobe.com/xap/1.0/mm/',
  }
  const declared = Object.entries(spaces).map(([name, address]) => ` xmlns:${name}="${address}"`)
  return [
    '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>',
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    `<rdf:Description rdf:about=""${declared.join('')}>`,
    ...lines,
    '</rdf:Description></rdf:RDF></x:xmpmeta>',
    '<?xpacket end="r"?>',
  ].join('\n')
}

const element = (name: string, value: string): string => `<${name}>${escaped(value)}</${name}>`

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" } as const

const escaped = (text: string): string =>
  text.replaceAll(/[&<>]/g, (sign) => `&${sign === '&' ? 'amp' : sign === '<' ? 'lt' : 'gt'};`)

function unescaped(text: string): string {
  return text.replaceAll(/&(#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos);/gi, (whole: string, name: string) => {
    const lower = name.toLowerCase()
    if (!lower.startsWith('#')) return entities[lower as keyof typeof entities] // the pattern has no other names
    const code = lower.startsWith('#x') ? parseInt(lower.slice(2), 16) : Number(lower.slice(1))
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
