/** @file Reads the flat XML of S3's answers. Pure. */

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const unescape = (text: string): string => text.replaceAll(/&(\w+);/g, (all, name: string) => entities[name] ?? all)

/** Text of the first element of a name; null if there is none or it contains others. */
export const tagOf = (xml: string, name: string): string | null => {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  return text === undefined ? null : unescape(text)
}

/** The contents of all elements of a name. Nested elements of the same name aren't supported. */
export const tagsOf = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, inside = '']) => inside)
