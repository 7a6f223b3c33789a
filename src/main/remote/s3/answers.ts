/** @file Reads S3's answers: their flat XML, and why it refuses. Pure. */
import type { S3Refusal } from './s3-bucket.ts'

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

/** What the user has to change after a refusal; null: something else. */
export function refusalReason({ status, code }: S3Refusal): 'bucket' | 'clock' | 'region' | 'credentials' | null {
  if (code === 'NoSuchBucket') return 'bucket'
  if (code === 'RequestTimeTooSkewed') return 'clock'
  if (status === 301 || status === 307) return 'region'
  if (/Region|AuthorizationHeaderMalformed|PermanentRedirect/.test(code)) return 'region'
  return status === 401 || status === 403 ? 'credentials' : null
}
