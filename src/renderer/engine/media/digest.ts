/** @file Digests that identify inputs and detect damaged files. */
import { VersionedFile } from './versioned-file.ts'

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')

export async function sha256(data: Uint8Array<ArrayBuffer> | string): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-256', typeof data === 'string' ? new TextEncoder().encode(data) : data))
}

/** Bytes read at each end of a file. */
const endBytes = 64 * 1024

/**
 * SHA-256 of a file's ETag (size and modification time), start and end: enough to notice that it was replaced.
 * @throws as `VersionedFile.size`
 */
export async function fingerprint(url: string, signal: AbortSignal): Promise<string> {
  const file = new VersionedFile(url, signal)
  const size = await file.size()
  const ends = [await file.read(0, Math.min(size, endBytes)), await file.read(Math.max(0, size - endBytes), size)]
  return sha256([await file.tag(), ...(await Promise.all(ends.map(sha256)))].join(' '))
}

/** SHA-256 of a file's size, start, middle and end: the same for a copy. @throws as `VersionedFile.size` */
export async function contentOf(url: string, signal: AbortSignal): Promise<string> {
  const file = new VersionedFile(url, signal)
  const size = await file.size()
  const starts = [0, Math.max(0, Math.floor((size - endBytes) / 2)), Math.max(0, size - endBytes)]
  const parts = await Promise.all(starts.map((start) => file.read(start, Math.min(size, start + endBytes))))
  return sha256([size, ...(await Promise.all(parts.map(sha256)))].join(' '))
}

/** SHA-256 of a whole file; only for small ones. @throws as `VersionedFile.size` */
export async function digestOf(url: string, signal: AbortSignal): Promise<string> {
  return sha256(await new VersionedFile(url, signal).all())
}

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text)
}

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
