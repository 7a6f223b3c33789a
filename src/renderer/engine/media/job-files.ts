/** @file Writes a job's files through its folder's address. */
import { StreamTarget, type StreamTargetChunk } from 'mediabunny'
import { MienError } from '@shared/errors.ts'

async function put(url: string, body: Uint8Array<ArrayBuffer> | Blob, position: number | null): Promise<void> {
  const headers: Record<string, string> = position === null ? {} : { 'x-position': String(position) }
  const response = await fetch(url, { method: 'PUT', body, headers })
  if (response.ok) return
  throw response.status === 507
    ? new MienError('disk-full')
    : new MienError('engine-failed', { write: response.status })
}

/** Writes a whole file. @throws MienError `disk-full` */
export async function writeFile(folder: string, name: string, body: Blob): Promise<void> {
  await put(`${folder}/${name}`, body, null)
}

/** Reads a whole file of the job; null when it is not there. @throws MienError `engine-failed` */
export async function readFile(folder: string, name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const response = await fetch(`${folder}/${name}`)
  if (response.status === 404) return null
  if (!response.ok) throw new MienError('engine-failed', { read: response.status })
  return new Uint8Array(await response.arrayBuffer())
}

/** A muxer's target that streams to a file of the job; `size` is what was written so far. */
export class FileTarget {
  readonly target: StreamTarget
  size = 0

  constructor(folder: string, name: string) {
    const writable = new WritableStream<StreamTargetChunk>({
      write: async ({ data, position }) => {
        await put(`${folder}/${name}`, data, position)
        this.size = Math.max(this.size, position + data.byteLength)
      },
    })
    this.target = new StreamTarget(writable, { chunked: true, chunkSize: 2 * 1024 * 1024 })
  }
}
