/** @file Reads a file in ranges through `media://` and detects by its ETag that it was replaced. */
import { MienError } from '@shared/mien-error.ts'

export class VersionedFile {
  readonly #url: string
  readonly #signal: AbortSignal
  /** ETag and size in bytes at the first request. */
  #first: { tag: string; size: number } | null = null

  constructor(url: string, signal: AbortSignal) {
    this.#url = url
    this.#signal = signal
  }

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
    this.#signal.throwIfAborted()
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
    const response = await fetch(this.#url, { ...request, signal: this.#signal }).catch((error: unknown) => {
      this.#signal.throwIfAborted()
      throw new MienError('file-unreachable', {}, { cause: error })
    })
    const tag = response.headers.get('etag')
    if (this.#first && tag !== null && tag !== this.#first.tag) throw new MienError('file-changed')
    if (response.ok) return response
    const { status } = response
    throw new MienError(status === 403 ? 'file-unreadable' : 'file-unreachable', { status })
  }
}
