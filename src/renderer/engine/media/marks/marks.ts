/**
 * @file Marks that say how a file was made: the digital source type (IPTC), and AIGC (GB 45438-2025). What a result gets,
 * its XMP (ISO 16684-1), and what the files say that a swap is made from.
 */
import type { EngineRequest } from '@shared/engine/engine.ts'
import type { Label } from '@shared/options/label.ts'
import type { Input } from 'mediabunny'
import { chunksOf } from '../pictures/png.ts'
import { VersionedFile } from '../versioned-file.ts'

/** What files say about how they were made. */
export interface Marks {
  /** Addresses of digital source types. */
  sourceTypes: string[]
  /** JSON texts. */
  aigc: string[]
  /** Metadata that the device or program of a video wrote (`mdta` keys of MP4 and MOV). */
  keys: Readonly<Record<string, string>>
}

export const noMarks: Marks = { sourceTypes: [], aigc: [], keys: {} }

/** What a result says. */
export interface ResultMarks {
  sourceType: string
  aigc: string | null
  /** Of the files that it was made from, as they are there. */
  inputs: Marks
}

/** XMP properties of IPTC's photo and video metadata standards have these addresses as values. */
const sourceTypes = 'http://cv.iptc.org/newscodes/digitalsourcetype/'

/** Without repetitions. Keys of later files take precedence. */
export function joinMarks(all: readonly Marks[]): Marks {
  const every = (of: (marks: Marks) => string[]): string[] => [...new Set(all.flatMap(of))]
  return {
    sourceTypes: every((marks) => marks.sourceTypes),
    aigc: every((marks) => marks.aigc),
    keys: Object.assign({}, ...all.map(({ keys }) => keys)) as Marks['keys'],
  }
}

/**
 * @param isByModel whether a model of the user's drew the face. The built-in method draws no pixels by a model.
 * @param inputs what is generated in an input stays generated in the result
 */
export function marksOfResult(isByModel: boolean, own: string | null, inputs: Marks): ResultMarks {
  const isTrained = isByModel || inputs.sourceTypes.some((type) => /trainedAlgorithmicMedia$/i.test(type))
  const sourceType = `${sourceTypes}${isTrained ? 'compositeWithTrainedAlgorithmicMedia' : 'composite'}`
  return { sourceType, aigc: own ?? inputs.aigc[0] ?? null, inputs }
}

/** The fields of GB 45438-2025, annex E. `1`: it was generated. Who spreads it fills in the other fields. */
export function aigcOf(label: Label | null, aigc: Extract<EngineRequest, { kind: 'swap' }>['aigc']): string | null {
  if (label !== 'china') return null
  return JSON.stringify({
    Label: '1',
    ContentProducer: aigc?.contentProducer ?? '',
    ProduceID: aigc?.produceId ?? '',
    ReservedCode1: '',
    ContentPropagator: '',
    PropagateID: '',
    ReservedCode2: '',
  })
}

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

/** @param bytes of a picture */
export function marksOfPicture(bytes: Uint8Array): Marks {
  const text = (data: Uint8Array): string => new TextDecoder().decode(data)
  // Chunks of a PNG file have their key, then a zero. Others have nothing that begins like one.
  const chunks = isPng(bytes) ? [...chunksOf(bytes)].filter(({ type }) => type === 'tEXt' || type === 'iTXt') : []
  const aigc = chunks.flatMap(({ data }) => (text(data.subarray(0, 5)) === 'AIGC\0' ? jsonIn(text(data)) : []))
  return joinMarks([{ ...noMarks, aigc }, marksInXmp(bytes)])
}

const isPng = (bytes: Uint8Array): boolean => bytes[0] === 0x89 && bytes[1] === 0x50

/** Of all of them together. @param urls of pictures */
export async function marksOfPictures(urls: readonly string[], signal: AbortSignal): Promise<Marks> {
  const read = async (url: string): Promise<Marks> => marksOfPicture(await new VersionedFile(url, signal).all())
  return joinMarks(await Promise.all([...new Set(urls)].map(read)))
}

/** The bytes of an animated picture at most; larger ones are read to this length. */
const maxAnimation = 64 * 1024 * 1024

export async function marksOfAnimation(file: VersionedFile): Promise<Marks> {
  return marksOfPicture(await file.read(0, Math.min(maxAnimation, await file.size())))
}

/** @param title if its tags have none */
export async function marksOfVideo(input: Input, file: VersionedFile, title?: string): Promise<Marks> {
  const { raw = {}, ...tags } = await input.getMetadataTags()
  const fields = { ...tags, title: tags.title ?? title }
  const isMp4 = /MP4|QuickTime/.test((await input.getFormat()).name)
  const textOf = (value: unknown): string =>
    value instanceof Uint8Array ? new TextDecoder().decode(value) : typeof value === 'string' ? value : ''
  const aigc = jsonIn(textOf(raw['AIGC']))
  const words = wordKeys.flatMap((key): [string, string][] => {
    const value = fields[key]
    return value !== undefined && value !== '' && value.length <= maxValue ? [[key, value]] : []
  })
  const date = Object.entries(raw).find(([name]) => dateName.test(name))?.[1]
  if (typeof date === 'string' && date.length <= maxValue) words.push(['date', date])
  // Where it was recorded stays private. Four letters are the names of fields that iTunes has: the words, and others.
  const keys = Object.entries(raw).flatMap(([name, value]): [string, string][] =>
    isMp4 && name.length > 4 && !/location/i.test(name) && typeof value === 'string' && value.length <= maxValue
      ? [[name, value]]
      : [],
  )
  const inUserData = raw['XMP_'] instanceof Uint8Array ? [raw['XMP_']] : []
  const xmp = [...inUserData, ...(isMp4 ? await xmpBoxes(file) : [])].map(marksInXmp)
  return joinMarks([{ ...noMarks, aigc, keys: Object.fromEntries([...words, ...keys.slice(0, maxKeys)]) }, ...xmp])
}

/** What people write about a video, by names that are the same in all containers. */
const wordKeys = ['title', 'description', 'artist', 'album', 'genre', 'comment'] as const
/** When it was recorded: as texts, because a parsed date may have got a time of day. */
const dateName = /^(©day|date|date_recorded)$/i
/** Devices write about ten short ones. */
const maxValue = 2000
const maxKeys = 100

/** Programs write a JSON text after a key or a size. */
const jsonIn = (text: string): string[] => /\{[^]*\}/.exec(text)?.slice(0, 1) ?? []

/** XMP in a file of boxes is a box with this id (XMP specification, part 3, 1.2.7). */
export const xmpBoxId = Uint8Array.of(0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac) // prettier-ignore
const idBytes = 16
/** Boxes to look at. A fragmented file has thousands. */
const maxBoxes = 200
const maxXmp = 4 * 1024 * 1024

async function xmpBoxes(file: VersionedFile): Promise<Uint8Array[]> {
  const found: Uint8Array[] = []
  const size = await file.size()
  for (let at = 0, count = 0; at + 8 <= size && count < maxBoxes; count += 1) {
    const bytes = await file.read(at, Math.min(size, at + 16 + idBytes))
    const view = new DataView(bytes.buffer)
    const short = view.getUint32(0)
    const isLong = short === 1 && bytes.length >= 16
    const length = isLong ? Number(view.getBigUint64(8)) : short === 0 ? size - at : short
    const head = isLong ? 16 : 8
    if (length < head) break
    const isUuid = String.fromCharCode(...bytes.subarray(4, 8)) === 'uuid'
    if (isUuid && length <= maxXmp && xmpBoxId.every((byte, index) => bytes[head + index] === byte))
      found.push(await file.read(at + head + idBytes, Math.min(size, at + length)))
    at += length
  }
  return found
}
