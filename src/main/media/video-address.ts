/** @file Addresses that a user entered. Pure. */
import { MienError } from '@shared/errors.ts'

/** Parses an http(s) URL. @throws MienError `address-invalid` */
export function parseVideoAddress(text: string): URL {
  const url = URL.parse(text.trim())
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '') {
    throw new MienError('address-invalid', { url: text.trim().slice(0, 200) })
  }
  return url
}

/** Safe file name from the last segment of a URL's path; "video.mp4" if there is none. */
export function nameFromAddress(url: URL): string {
  let last: string
  try {
    last = decodeURIComponent(url.pathname.split('/').at(-1) ?? '')
  } catch {
    last = ''
  }
  const safe = last
    .replaceAll(/[^\p{L}\p{N} ._-]/gu, '_')
    .replace(/^\.+/, '')
    .slice(-120)
  return /\.[a-z0-9]{2,4}$/i.test(safe) ? safe : `${safe === '' ? 'video' : safe}.mp4`
}
