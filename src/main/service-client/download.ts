/**
 * @file Fetches a file to disk: into `<path>.part`, resumed by Range, checked for length, synced and renamed,
 * so that what stands at `path` is whole. The key goes to the service's own origin only, whatever redirects say.
 */
import { open, readFile, rename, rm, stat, statfs, writeFile, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MienError, type ErrorCode } from '@shared/errors.ts'
import { isDiskFull } from '../data/disk-full.ts'
import { checkContainer } from './containers.ts'
import { ensureMayLead, redirectTarget } from './redirects.ts'
import { networkFailure } from './network.ts'
import { silenceMs } from './upload.ts'
import type { TransferOptions } from './types.ts'
import type { plainKy } from './http.ts'

const maxRedirects = 5
/** No cover is larger. */
const mostPictureBytes = 64_000_000
/** Of what comes compressed although it was not asked for: a small bomb must not fill the disk. */
const mostEncodedBytes = 4_000_000_000

export interface DownloadSource {
  http: ReturnType<typeof plainKy>
  url: string
  /** Origin that may see the key, and the header with the key. */
  origin: string
  keyHeaders: () => Promise<Record<string, string>>
}

interface Part {
  /** Bytes in `.part` that belong to the version `validator`; 0: start anew. */
  bytes: number
  validator: string | null
}

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.size ?? 0

async function partAt(path: string): Promise<Part> {
  const validator = await readFile(`${path}.part.tag`, 'utf8').catch(() => null)
  return validator === null ? { bytes: 0, validator } : { bytes: await sizeOf(`${path}.part`), validator }
}

/** Follows redirects by itself, since fetch would take the key along to another host. */
async function request(source: DownloadSource, part: Part, signal: AbortSignal): Promise<Response> {
  let url = new URL(source.url)
  ensureMayLead(new URL(source.origin), url)
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const resume: Record<string, string> =
      part.bytes > 0 && part.validator !== null ? { range: `bytes=${part.bytes}-`, 'if-range': part.validator } : {}
    const key = url.origin === source.origin ? await source.keyHeaders() : {}
    const response = await source.http(url, { headers: { 'accept-encoding': 'identity', ...resume, ...key }, signal })
    const next = redirectTarget(response.status, response.headers.get('location'), url)
    if (next === null) return response
    await response.body?.cancel()
    url = next
  }
  throw new MienError('address-refused', { host: url.host, reason: 'redirects' })
}

function statusError(status: number, url: URL, own: boolean): MienError {
  if (own && (status === 401 || status === 403)) return new MienError('key-refused', { status })
  if (status >= 500) return new MienError(own ? 'service-trouble' : 'address-refused', { status, host: url.host })
  return new MienError(status === 429 ? 'rate-limited' : 'address-refused', { status, host: url.host })
}

/** Whole length in bytes, if told; and where the body starts. Null start: a range that was not asked for. */
function extent(response: Response, part: Part): { start: number | null; total: number | null } {
  const encoded = response.headers.get('content-encoding') !== null
  const length = encoded ? NaN : Number(response.headers.get('content-length') ?? NaN)
  if (response.status !== 206) return { start: 0, total: Number.isFinite(length) ? length : null }
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '')
  if (!range || Number(range[1]) !== part.bytes) return { start: null, total: null }
  return { start: part.bytes, total: range[2] === '*' ? null : Number(range[2]) }
}

const checkPart = (file: FileHandle, size: number, wanted: 'video' | 'picture'): Promise<unknown> =>
  checkContainer(
    async (position, length) => {
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, position)
      return buffer.subarray(0, bytesRead)
    },
    size,
    wanted,
  )

async function freeBytes(path: string): Promise<number> {
  const disk = await statfs(dirname(path))
  return disk.bavail * disk.bsize
}

async function diskFull(path: string, needBytes: number | null, cause?: unknown): Promise<MienError> {
  const free = await freeBytes(path).catch(() => null)
  return new MienError('disk-full', { needBytes, freeBytes: free }, { cause })
}

const fileErrors: Record<string, ErrorCode> = {
  ENOENT: 'folder-missing',
  EACCES: 'folder-read-only',
  EROFS: 'folder-read-only',
  EPERM: 'folder-read-only',
}

async function fileError(thrown: unknown, path: string, needBytes: number | null): Promise<unknown> {
  const code: unknown = thrown instanceof Error && 'code' in thrown && 'syscall' in thrown ? thrown.code : undefined
  if (isDiskFull(thrown)) return diskFull(path, needBytes, thrown)
  const named = typeof code === 'string' ? fileErrors[code] : undefined
  return named ? new MienError(named, {}, { cause: thrown }) : thrown
}

/** Rejects with a MienError, or as the signal says. What came stays in `.part` for the next time. */
export async function download(
  source: DownloadSource,
  path: string,
  { onProgress, signal, wanted, passing = false }: TransferOptions,
): Promise<void> {
  const silence = new AbortController()
  const quiet = setTimeout(() => {
    silence.abort(new MienError('service-timeout', { host: new URL(source.url).host }))
  }, silenceMs)
  const either = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal
  let needBytes: number | null = null
  try {
    let part = await partAt(path)
    let response = await request(source, part, either)
    // 416: the part is not of this file any more, or is all of it with nothing left to say; begin again.
    if (response.status === 416 || (response.status === 206 && extent(response, part).start === null)) {
      await response.body?.cancel()
      part = { bytes: 0, validator: null }
      response = await request(source, part, either)
    }
    const finalUrl = new URL(response.url || source.url)
    const { start, total } = extent(response, part)
    if ((response.status !== 200 && response.status !== 206) || start === null) {
      await response.body?.cancel()
      throw statusError(response.status, finalUrl, finalUrl.origin === source.origin)
    }
    const type = response.headers.get('content-type')?.toLowerCase() ?? ''
    if (/^(?:text\/html|application\/(?:problem\+)?json)/.test(type)) {
      await response.body?.cancel()
      throw new MienError('result-unreadable', { host: finalUrl.host, type: type.slice(0, 60) })
    }
    needBytes = total === null ? null : total - start
    if (needBytes !== null && needBytes > (await freeBytes(path))) {
      await response.body?.cancel()
      throw await diskFull(path, needBytes)
    }
    const validator = response.headers.get('etag') ?? response.headers.get('last-modified')
    // A weak validator does not promise the same bytes (RFC 9110, 13.1.5).
    if (validator !== null && !validator.startsWith('W/')) await writeFile(`${path}.part.tag`, validator)
    else await rm(`${path}.part.tag`, { force: true })
    const file = await open(`${path}.part`, start > 0 ? 'r+' : 'w+')
    let done = start
    const encoded = response.headers.get('content-encoding') !== null
    const most = wanted === 'picture' ? mostPictureBytes : encoded ? mostEncodedBytes : Infinity
    try {
      for await (const chunk of response.body ?? []) {
        quiet.refresh()
        await file.write(chunk, 0, chunk.byteLength, done)
        done += chunk.byteLength
        if (done > most) throw new MienError('result-unreadable', { host: finalUrl.host, bytes: done })
        onProgress?.({ bytesDone: done, bytesTotal: total })
      }
      if (!passing) await file.sync()
      if (wanted !== undefined && done > 0 && (total === null || done === total)) await checkPart(file, done, wanted)
    } catch (error) {
      // What is of the wrong kind is no beginning of the right one.
      if (error instanceof MienError && error.code === 'result-unreadable') {
        await rm(`${path}.part.tag`, { force: true })
        await file.truncate(0)
      }
      throw error
    } finally {
      await file.close()
    }
    if (done === 0 || (total !== null && done !== total)) {
      if (done === 0 || (total !== null && done > total)) await rm(`${path}.part.tag`, { force: true })
      throw new MienError('result-unreadable', { bytes: done, expectedBytes: total })
    }
    await rename(`${path}.part`, path)
    await rm(`${path}.part.tag`, { force: true })
  } catch (thrown) {
    if (signal?.aborted) throw new MienError('cancelled', {}, { cause: thrown })
    if (silence.signal.aborted) throw silence.signal.reason
    const known = await fileError(thrown, path, needBytes)
    throw networkFailure(known, new URL(source.url).host, false).error
  } finally {
    clearTimeout(quiet)
  }
}
