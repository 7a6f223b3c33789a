/** @file Reads and writes a job's files through its folder's URL. */
import { StreamTarget, type StreamTargetChunk } from 'mediabunny'
import { MienError } from '@shared/mien-error.ts'

/**
 * @param body null for no bytes, because an empty Blob raises an error in the protocol handler
 * @param at byte offset; null to write the whole file at once
 * @param ends true to end the file after these bytes
 */
async function put(url: string, body: Blob | null, at: number | null, ends = false): Promise<void> {
  const headers: Record<string, string> = at === null ? {} : { 'x-position': String(at) }
  if (ends) headers['x-ends'] = '1'
  const response = await fetch(url, { method: 'PUT', body, headers })
  if (response.ok) return
  throw response.status === 507
    ? new MienError('disk-full')
    : new MienError('engine-failed', { write: response.status })
}

/** Writes a whole file. @throws MienError `disk-full`, `engine-failed` */
export async function writeFile(folder: string, name: string, body: Blob): Promise<void> {
  await put(`${folder}/${name}`, body, null)
}

/** Reads a file of the job, or `length` bytes from offset `at`; null if that fails. */
export async function readFile(
  folder: string,
  name: string,
  range?: { at: number; length: number },
): Promise<Uint8Array<ArrayBuffer> | null> {
  const headers: Record<string, string> = range ? { range: `bytes=${range.at}-${range.at + range.length - 1}` } : {}
  try {
    const response = await fetch(`${folder}/${name}`, { headers })
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : null
  } catch {
    return null
  }
}

const gatheredBytes = 2 * 1024 * 1024

/** Streams a muxer's output to a file of the job. `size` is the number of bytes on disk so far. */
export class FileTarget {
  readonly target: StreamTarget
  size = 0
  readonly #url: string
  #gathered: StreamTargetChunk[] = []
  #bytes = 0
  #writing: Promise<void> = Promise.resolve()

  /** @param onWritten called for each chunk once it is on disk */
  constructor(
    folder: string,
    name: string,
    private readonly onWritten: (chunk: StreamTargetChunk) => void = () => undefined,
  ) {
    this.#url = `${folder}/${name}`
    const writable = new WritableStream<StreamTargetChunk>({
      write: async (chunk) => {
        const last = this.#gathered.at(-1)
        if (last && last.position + last.data.byteLength !== chunk.position) await this.flush()
        this.#gathered.push(chunk)
        this.#bytes += chunk.data.byteLength
        if (this.#bytes >= gatheredBytes) await this.flush()
      },
      close: async () => {
        await this.flush()
        await put(this.#url, null, this.size, true)
      },
    })
    this.target = new StreamTarget(writable)
  }

  /** Adds bytes at the end of the finished file. @throws MienError `disk-full` */
  async append(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await put(this.#url, new Blob([bytes]), this.size, true)
    this.size += bytes.length
  }

  /** Replaces bytes of the finished file. @throws MienError `disk-full` */
  async replace(bytes: Uint8Array<ArrayBuffer>, at: number): Promise<void> {
    await put(this.#url, new Blob([bytes]), at)
  }

  /** Writes all buffered chunks; resolves once they are on disk. @throws MienError `disk-full` */
  async flush(): Promise<void> {
    const chunks = this.#gathered
    this.#gathered = []
    this.#bytes = 0
    this.#writing = this.#writing.then(() => this.#write(chunks))
    await this.#writing
  }

  async #write(chunks: StreamTargetChunk[]): Promise<void> {
    const [first] = chunks
    if (!first) return
    const body = new Blob(chunks.map(({ data }) => data))
    await put(this.#url, body, first.position)
    this.size = Math.max(this.size, first.position + body.size)
    for (const chunk of chunks) this.onWritten(chunk)
  }
}
