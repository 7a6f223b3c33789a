import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DownloadTimeout } from '../../../../../src/main/machine/transfer/download-timeout.ts'
import { fetchFile } from '../../../../../src/main/machine/transfer/fetch-file.ts'
import { bodyLength, saveStream, type SaveOptions } from '../../../../../src/main/machine/transfer/save-stream.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const inDir = tempPaths()
let path: string
beforeEach(() => {
  path = inDir('file')
})

describe('a stream', () => {
  const save = (options: Partial<SaveOptions>, ...chunks: string[]): Promise<number> => {
    const stream = async function* () {
      await Promise.resolve()
      yield* chunks.map((chunk) => Buffer.from(chunk))
    }
    return saveStream(stream(), path, { total: null, sync: true, ...options })
  }
  const free = (bytes: number) => () => Promise.resolve(bytes)

  it('replaces a file, with progress', async () => {
    writeFileSync(path, 'older and longer')
    const onProgress = vi.fn()
    expect(await save({ total: 4, onProgress }, 'new', '!')).toBe(4)
    expect(readFileSync(path, 'utf8')).toBe('new!')
    expect(onProgress.mock.calls).toEqual([[{ bytesDone: 3, bytesTotal: 4 }], [{ bytesDone: 4, bytesTotal: 4 }]])
  })

  it('resumes a file', async () => {
    writeFileSync(path, 'half ')
    expect(await save({ start: 5, total: 10, freeBytes: free(5) }, 'other')).toBe(10)
    expect(readFileSync(path, 'utf8')).toBe('half other')
  })

  it.each<[string, Partial<SaveOptions>, needed: number, left: number]>([
    ['longer than the free space', { total: 11 }, 11, 10],
    ['that would use the reserve', { total: 6, reserveBytes: 5 }, 11, 10],
    ['of unknown length without a reserve left', { reserveBytes: 5 }, 5, 4],
  ])('%s is refused before a byte is written', async (_, options, needBytes, freeBytes) => {
    const saved = save({ ...options, freeBytes: free(freeBytes) }, 'bytes')
    await expect(saved).rejects.toMatchObject({ code: 'disk-full', details: { needBytes, freeBytes } })
    expect(readdirSync(inDir())).toEqual([])
  })

  it('of unknown length ends at nine tenths of the free space', async () => {
    const options = { reserveBytes: 10, freeBytes: free(20) }
    expect(await save(options, '12345', '6789')).toBe(9)
    await expect(save(options, '12345', '67890')).rejects.toMatchObject({
      code: 'disk-full',
      details: { needBytes: null },
    })
  })

  it('ends at the max length', async () => {
    expect(await save({ maxBytes: 5 }, '12345')).toBe(5)
    await expect(save({ maxBytes: 5 }, '123', '456')).rejects.toMatchObject({ code: 'result-unreadable' })
  })

  it('names an error of the disk', async () => {
    path = inDir('gone', 'file')
    await expect(save({}, 'bytes')).rejects.toMatchObject({ code: 'folder-missing' })
  })

  it.each([
    [{ 'content-length': '5' }, 5],
    [{ 'content-length': '5', 'content-encoding': 'gzip' }, null],
    [{ 'content-length': 'five' }, null],
    [{}, null],
  ])('with the headers %j has the length %s', (headers, length) => {
    expect(bodyLength(new Response('', { headers }))).toBe(length)
  })
})

describe('a download without data', () => {
  const silent: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))))

  it('ends, and the error says after how long', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
    const { signal } = new AbortController()
    const url = new URL('https://slow.example/v.mp4')
    const fetched = fetchFile(url, path, 'video', { fetch: silent, signal, answerMs: 10_000, sync: false })
    const error = { code: 'address-silent', details: { host: 'slow.example', seconds: 10 } }
    const failed = expect(fetched).rejects.toMatchObject(error)
    vi.advanceTimersByTime(10_000)
    await failed
    expect(vi.getTimerCount()).toBe(0)
  })

  it('has its whole time again after each chunk, and after a sleep', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
    const timeout = new DownloadTimeout()
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(Buffer.from('x'))
      },
    })
    const chunks = timeout.chunks(new Response(body))
    vi.advanceTimersByTime(29_000)
    await chunks.next()
    vi.advanceTimersByTime(29_000)
    vi.setSystemTime(Date.now() + 3_600_000)
    vi.advanceTimersByTime(29_000)
    expect(timeout.signal.aborted).toBe(false)
    vi.advanceTimersByTime(2000)
    expect(timeout.signal.aborted).toBe(true)
    expect(timeout.silentSeconds).toBe(30)
    await expect(chunks.next()).rejects.toThrow()
  })

  it('ends with the caller’s signal, too', () => {
    const abort = new AbortController()
    const timeout = new DownloadTimeout(abort.signal)
    abort.abort()
    expect(timeout.signal.aborted).toBe(true)
    expect(timeout.silentSeconds).toBeNull()
    timeout.end()
  })
})
