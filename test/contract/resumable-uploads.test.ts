/** @file Large files sent in chunks to servers of a cluster, through a gate that breaks connections. */
import type { DatabaseSync } from 'node:sqlite'
import { randomBytes } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest, type Server } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MediaStore } from '../../src/main/media/media-store.ts'
import type { TransferOptions } from '../../src/main/remote/client/transport/http.ts'
import { usualChunkBytes } from '../../src/main/remote/client/transport/upload.ts'
import { maxChunkBytes } from '../../src/main/service/cluster/cluster-files.ts'
import { uploadNote } from '../../src/main/swaps/store/tables.ts'
import { close, listen } from '../fixtures/listen.ts'
import { addMedia } from '../fixtures/task-service.ts'
import { video } from '../fixtures/tasks.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { tempLibrary } from '../fixtures/temp-library.ts'
import { clusterService, type ClusterUnderTest } from './service-under-test.ts'

const mega = 2 ** 20
const chunkBytes = 2 * mega
const sizeBytes = 2.5 * chunkBytes

let service: ClusterUnderTest
let db: DatabaseSync
let dir: string
let path: string
let key: string
let gate: Server
let gateUrl: string
/** Where the gate leads to. */
let target: string
/** Requests that came, as `PATCH 8388608`. */
let seen: string[]
/** Bytes of chunks that came. */
let sentBytes: number
/** Called for each piece of a chunk, with its offset and the bytes of it so far; true ends the connection. */
let isBroken: (offset: number, bytes: number) => boolean
/** Whether the answer to a request is lost. */
let isLost: (request: string) => boolean
/** Called before a request goes on to the server. */
let meanwhile: (request: string) => Promise<unknown>

beforeEach(async () => {
  dir = tempDir()
  path = join(dir, 'clip.mp4')
  service = await clusterService('sqlite', { workers: 0 })
  target = service.baseUrl
  key = (await service.client(null).newKey(1n)).shown
  openTheLibrary()
  writeFileSync(path, randomBytes(sizeBytes))
  forget()
  gate = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    const offset = Number(headers['upload-offset'] ?? NaN)
    const line = method === 'PATCH' ? `PATCH ${offset}` : `${method} ${url.split('/')[2] ?? ''}`
    const cut = (): void => void incoming.socket.destroy()
    if (!line.endsWith('capabilities')) seen.push(line)
    void meanwhile(line).then(() => {
      const onward = httpRequest(target + url, { method, headers }, (answer) => {
        if (isLost(line)) cut()
        else answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers))
      })
      onward.on('continue', () => outgoing.writeContinue())
      onward.on('error', cut)
      let bytes = 0
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.byteLength
        if (method === 'PATCH') sentBytes += chunk.byteLength
        if (!isBroken(offset, bytes)) return
        cut()
        onward.destroy()
      })
      incoming.pipe(onward)
    })
  })
  // The gate asks for a body when the server does.
  gate.on('checkContinue', (incoming, outgoing) => gate.emit('request', incoming, outgoing))
  gateUrl = `http://127.0.0.1:${await listen(gate)}`
})
afterEach(async () => {
  await close(gate)
  await service.close()
})

function openTheLibrary(): void {
  db = tempLibrary(dir)
  addMedia(new MediaStore(db), dir)
}
/** What the gate saw, and what it breaks. */
function forget(): void {
  seen = []
  sentBytes = 0
  isBroken = () => false
  isLost = () => false
  meanwhile = () => Promise.resolve()
}

const note = () => uploadNote(db, 'remote', video.id)
/** As the app does, with a new client each time, as after its start. */
const upload = (options: TransferOptions = {}): Promise<string> =>
  service.client(key, { baseUrl: gateUrl, chunkBytes }).uploadAsset(path, 'clip.mp4', { ...options, note: note() })
const breakSecond = async (): Promise<void> => {
  isBroken = (offset, bytes) => offset === chunkBytes && bytes > 1000
  await expect(upload()).rejects.toMatchObject({ code: 'service-unreachable' })
  forget()
}
async function expectWhole(url: string): Promise<void> {
  const answer = await fetch(url.replace(gateUrl, target), { headers: { 'X-Service-Apikey': key } })
  expect(readFileSync(path).equals(new Uint8Array(await answer.arrayBuffer()))).toBe(true)
}
const forgetOnServer = async (): Promise<void> => {
  await service.db.query('DELETE FROM upload_chunks')
  await service.db.query('DELETE FROM uploads')
}

it('sends a large file in chunks and says how far it is, a small one with one request', async () => {
  const told: number[] = []
  const url = await upload({ onProgress: ({ bytesDone }) => told.push(bytesDone) })
  expect(seen).toEqual(['POST uploads', 'PATCH 0', `PATCH ${chunkBytes}`, `PATCH ${2 * chunkBytes}`])
  expect(told).toEqual(told.toSorted((a, b) => a - b))
  expect(told.at(-1)).toBe(sizeBytes)
  await expectWhole(url)
  writeFileSync(path, randomBytes(chunkBytes))
  forget()
  await expectWhole(await upload())
  expect(seen).toEqual(['PUT assets'])
})

it('sends chunks that a server takes', () => expect(usualChunkBytes).toBeLessThanOrEqual(maxChunkBytes))

it('continues in a later run and at another server where the connection was lost', async () => {
  await breakSecond()
  db.close()
  openTheLibrary()
  target = (await service.another()).baseUrl
  await expectWhole(await upload())
  expect(seen).toEqual(['GET uploads', `PATCH ${chunkBytes}`, `PATCH ${2 * chunkBytes}`])
  expect(sentBytes).toBe(sizeBytes - chunkBytes)
})

it('continues with a server that was restarted', async () => {
  await breakSecond()
  await service.restart()
  target = service.baseUrl
  await expectWhole(await upload())
  expect(sentBytes).toBe(sizeBytes - chunkBytes)
})

it('stops when the swap is paused, and continues from there', async () => {
  const pause = new AbortController()
  const onProgress = ({ bytesDone }: { bytesDone: number }): void => {
    if (bytesDone > 1.2 * chunkBytes) pause.abort()
  }
  await expect(upload({ signal: pause.signal, onProgress })).rejects.toMatchObject({ code: 'cancelled' })
  forget()
  const told: number[] = []
  await expectWhole(await upload({ onProgress: ({ bytesDone }) => told.push(bytesDone) }))
  expect(seen[1]).toBe(`PATCH ${chunkBytes}`)
  expect(told[0]).toBeGreaterThan(chunkBytes)
})

it('asks again for an answer to the last chunk that was lost, and sends nothing twice', async () => {
  isLost = (line) => line === `PATCH ${2 * chunkBytes}`
  await expect(upload()).rejects.toMatchObject({ code: 'service-unreachable' })
  isLost = () => false
  await expectWhole(await upload())
  expect(seen.slice(-2)).toEqual(['GET uploads', `PATCH ${sizeBytes}`])
  expect(sentBytes).toBe(sizeBytes)
})

it('does not send a file that the server has from an earlier swap', async () => {
  const first = await upload()
  expect(await upload()).toBe(first)
  expect(sentBytes).toBe(sizeBytes)
})

it('continues at the offset that the server says if a lost request arrived after all', async () => {
  await breakSecond()
  const late = readFileSync(path).subarray(chunkBytes, chunkBytes + 1000)
  meanwhile = async (line) => {
    if (line !== `PATCH ${chunkBytes}`) return
    await fetch(`${target}/v1/uploads/${note().get()?.id ?? ''}`, {
      ...{ method: 'PATCH', body: late },
      headers: { 'X-Service-Apikey': key, 'Upload-Offset': String(chunkBytes) },
    })
  }
  await expectWhole(await upload())
  expect(seen.slice(1)).toEqual([chunkBytes, chunkBytes + 1000, 2 * chunkBytes + 1000].map((n) => `PATCH ${n}`))
  expect(sentBytes).toBe(sizeBytes - chunkBytes - 1000)
})

it('begins anew if the server removed the upload, also in its middle', async () => {
  await breakSecond()
  await forgetOnServer()
  await expectWhole(await upload())
  expect(seen.slice(0, 3)).toEqual(['GET uploads', 'POST uploads', 'PATCH 0'])

  appendFileSync(path, 'another')
  await breakSecond()
  meanwhile = async (line) => {
    if (line === `PATCH ${2 * chunkBytes}` && !seen.includes('POST uploads')) await forgetOnServer()
  }
  await expectWhole(await upload())
  expect(seen.slice(-4)).toEqual(['POST uploads', 'PATCH 0', `PATCH ${chunkBytes}`, `PATCH ${2 * chunkBytes}`])
})

it('fails at a server that removes every upload', async () => {
  meanwhile = async (line) => {
    if (line.startsWith('PATCH')) await forgetOnServer()
  }
  await expect(upload()).rejects.toMatchObject({ code: 'service-trouble' })
  expect(seen).toEqual(['POST uploads', 'PATCH 0'])
})

it('begins anew with a file that changed, and stops if it changes under way', async () => {
  await breakSecond()
  appendFileSync(path, 'more')
  await expectWhole(await upload())
  expect(seen[0]).toBe('POST uploads')
  appendFileSync(path, 'and more')
  meanwhile = async (line) => {
    if (line === `PATCH ${chunkBytes}`) appendFileSync(path, 'x')
  }
  await expect(upload()).rejects.toMatchObject({ code: 'file-changed' })
})
