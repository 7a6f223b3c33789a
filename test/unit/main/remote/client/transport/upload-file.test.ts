import { appendFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sendFile } from '../../../../../../src/main/remote/client/transport/upload.ts'
import { json } from '../../../../../fixtures/fake-service.ts'
import { close, listen } from '../../../../../fixtures/listen.ts'
import { tempPaths } from '../../../../../fixtures/temp-dir.ts'
import { selfSigned, TlsService } from '../../../../../fixtures/tls-service.ts'

const inDir = tempPaths()
let path: string
let server: Server
let url: URL
/** What happens when the first bytes have come. */
let midway: () => void

beforeEach(async () => {
  path = inDir('film.mp4')
  writeFileSync(path, Buffer.alloc(8 * 2 ** 20, 7))
  midway = () => undefined
  server = createServer((request, response) => {
    request.once('data', () => midway())
    request.on('error', () => undefined)
    request.on('end', () => response.end('{"url":"x"}'))
    request.resume()
  })
  url = new URL(`http://127.0.0.1:${await listen(server)}/film`)
})
afterEach(() => close(server))

it('sends a file whole', async () => expect((await sendFile(url, path, {}, {})).status).toBe(200))

it('sends a file whole that is deleted meanwhile', async () => {
  midway = () => {
    unlinkSync(path)
  }
  expect((await sendFile(url, path, {}, {})).status).toBe(200)
})

it.each<[string, () => void]>([
  ['grows', () => appendFileSync(path, 'more')],
  ['is cut short', () => truncateSync(path, 1000)],
  ['is written over', () => writeFileSync(path, Buffer.alloc(8 * 2 ** 20, 9))],
])('does not take a file that %s meanwhile', async (_what, change) => {
  midway = change
  await expect(sendFile(url, path, {}, {})).rejects.toMatchObject({ code: 'file-changed' })
})

it('says that a file is not there', async () => {
  await expect(sendFile(url, inDir('none'), {}, {})).rejects.toMatchObject({ code: 'file-missing' })
})

it('goes to a server with the pinned certificate, and to no other one before it has the key', async () => {
  const [pinned, other] = await Promise.all([selfSigned(), selfSigned()])
  const service = await new TlsService(pinned).start()
  try {
    service.replies.set('PUT /film', json({ url: 'x' }))
    const to = new URL(`${service.baseUrl}/film`)
    const put = () => sendFile(to, path, { 'x-service-apikey': 'sk-1' }, {}, pinned.fingerprint)
    expect((await put()).status).toBe(200)
    expect(service.seen).toHaveLength(1)
    service.change(other)
    await expect(put()).rejects.toMatchObject({ code: 'certificate-changed', details: { host: to.host } })
    expect(service.seen).toHaveLength(1)
    await expect(sendFile(to, path, {}, {}, other.fingerprint)).resolves.toMatchObject({ status: 200 })
  } finally {
    await service.stop()
  }
})
