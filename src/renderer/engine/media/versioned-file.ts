/**
 * @file Reads a file in ranges through `media://` and detects by its ETag that it was replaced. Digests that identify
 * inputs and detect damaged files.
 */
import { MienError } from '@shared/mien-error.ts'

export class VersionedFile {
  /** ETag and size in bytes at the first request. */
  #first: { tag: string; size: number } | null = null

  constructor(
    private readonly url: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Size in bytes. @throws MienError `file-unreadable`, `file-unreachable`, `file-changed` */
  async size(): Promise<number> {
    return (await this.#head()).size
  }

  /** ETag of the file. @throws as `size` */
  async tag(): Promise<string> {
    return (await this.#head()).tag
  }

  /** Reads the bytes from `start` up to, but not including, `end`. @throws as `size` */
  async read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    await this.#head()
    if (start >= end) return new Uint8Array()
    const response = await this.#fetch({ headers: { range: `bytes=${start}-${end - 1}` } })
    const bytes = await response.arrayBuffer().catch(() => null)
    if (bytes?.byteLength === end - start) return new Uint8Array(bytes)
    await this.unchanged()
    this.signal.throwIfAborted()
    throw new MienError('file-unreachable', { bytes: bytes?.byteLength ?? 0 })
  }

  /** Reads the whole file; only for small ones. @throws as `size` */
  async all(): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.read(0, await this.size())
    await this.unchanged()
    return bytes
  }

  /** Checks that the file is still the same. Ignores that it may be gone. @throws MienError `file-changed` */
  async unchanged(): Promise<void> {
    await this.#fetch({ method: 'HEAD' }).catch((error: unknown) => {
      if (error instanceof MienError && error.code === 'file-changed') throw error
    })
  }

  async #head(): Promise<{ tag: string; size: number }> {
    if (!this.#first) {
      const { headers } = await this.#fetch({ method: 'HEAD' })
      this.#first = { tag: headers.get('etag') ?? '', size: Number(headers.get('content-length')) }
    }
    return this.#first
  }

  async #fetch(request: RequestInit): Promise<Response> {
    const response = await fetch(this.url, { ...request, signal: this.signal }).catch((error: unknown) => {
      this.signal.throwIfAborted()
      throw new MienError('file-unreachable', {}, { cause: error })
    })
    const tag = response.headers.get('etag')
    if (this.#first && tag !== null && tag !== this.#first.tag) throw new MienError('file-changed')
    if (response.ok) return response
    const { status } = response
    throw new MienError(status === 403 ? 'file-unreadable' : 'file-unreachable', { status })
  }
}

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
