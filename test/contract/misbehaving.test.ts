/** @file Services that do what services should not, over real connections. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { errorSentence } from '@shared/i18n/error-text.ts'
import type { Spelling } from '../../src/main/remote/client/transport/http.ts'
import {
  breakOff,
  type FakeService,
  redirect,
  sendJson,
  type Reply,
  type SeenRequest,
} from '../fixtures/fake-service.ts'
import { makeClient, serviceKey } from '../fixtures/task-service.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { tempService } from '../fixtures/temp-service.ts'

const input = { title: 'x', imageUrl: 'https://h/f', videoUrl: 'https://h/v', durationMs: 1500, idempotencyKey: 'k' }
const text =
  (body: string, status = 200, headers: Record<string, string> = {}): Reply =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }

describe('the client', () => {
  let dir: string

  beforeEach(() => {
    dir = tempDir()
  })

  async function open(reply: Reply): Promise<FakeService> {
    const service = await tempService()
    service.replies.set('', reply)
    return service
  }
  async function serve(reply: Reply): Promise<{ service: FakeService; url: string; heard: SeenRequest[] }> {
    const heard: SeenRequest[] = []
    const service = await open((request, response, body) => {
      // What asks whether the service is there at all is answered, and not counted.
      if (request.url?.includes('mien-test-')) {
        sendJson(response, {}, 500)
        return
      }
      heard.push(...service.seen.slice(-1))
      reply(request, response, body)
    })
    return { service, url: service.baseUrl, heard }
  }

  describe('sends a create', () => {
    const unclear: [what: string, answer: Reply][] = [
      ['that is reset before an answer', breakOff],
      [
        'that is reset in the answer',
        (request, response) => {
          response.writeHead(200, { 'content-length': '500' }).write('{"obj')
          setTimeout(() => request.socket.destroy(), 20)
        },
      ],
      ['that is answered with a page', text('<html>Welcome</html>', 200, { 'content-type': 'text/html' })],
      ['that is answered with half of it', text('{"objectID":"a')],
      ['that is answered with depth', text('['.repeat(100_000))],
      ['that is answered with too much', text(`{"objectID":"a","more":"${'x'.repeat(6_000_000)}"}`)],
      ['to a service in trouble', text('{"message":"db"}', 503)],
    ]
    const elsewhere = redirect('http://127.0.0.1:1/steal')
    it.each<[string, Reply, string, string]>([
      ...unclear.map(
        ([what, answer]) => [what, answer, 'unclear', 'create-unclear'] as [string, Reply, string, string],
      ),
      ['that is refused', text('{"message":"no face"}', 422), 'refused', 'request-refused'],
      ['that is slowed down', text('', 429, { 'retry-after': '2' }), 'not-sent', 'rate-limited'],
      ['that is sent elsewhere', elsewhere, 'refused', 'request-refused'],
    ])('%s: once, and says what is known', async (_, answer, kind, code) => {
      const { url, heard } = await serve(answer)
      expect(await makeClient(url).create(input)).toMatchObject({ kind, error: { code } })
      expect(heard).toHaveLength(1)
    })

    it('that the user takes back while it is under way: unclear', async () => {
      const { url, heard } = await serve(() => undefined)
      const abort = new AbortController()
      const outcome = makeClient(url).create(input, abort.signal)
      await expect.poll(() => heard.length).toBe(1)
      abort.abort()
      expect(await outcome).toMatchObject({
        kind: 'unclear',
        error: { code: 'create-unclear', details: { failure: 'cancelled' } },
      })
      expect(await makeClient(url).create(input, abort.signal)).toMatchObject({ kind: 'not-sent' })
    })

    it.each([
      ['{"code":1,"message":"no worker is free"}', 'no worker is free'],
      ['{"code":0,"message":"accepted","data":{}}', 'accepted'],
    ])(
      'that is answered with %s: the sentence quotes it, and says that the swap may have started',
      async (body, said) => {
        const { url } = await serve(text(body))
        const outcome = await makeClient(url).create(input)
        expect(outcome).toMatchObject({
          kind: 'unclear',
          error: { code: 'create-unclear', details: { message: said } },
        })
        const sentence = outcome.kind === 'unclear' ? errorSentence(outcome.error) : ''
        expect(sentence).toContain(said)
        expect(sentence).toContain('may have started')
      },
    )

    it('to nobody, or without a key: not sent', async () => {
      const { service, url, heard } = await serve(text('{"objectID":"a"}'))
      for (const [sk, code] of [
        [null, 'key-missing'],
        ['', 'key-missing'],
        ['two\nlines', 'key-refused'],
        ['schlüssel €', 'key-refused'],
      ] as const)
        expect(await makeClient(url, { readKey: () => Promise.resolve(sk) }).create(input)).toMatchObject({
          kind: 'not-sent',
          error: { code },
        })
      expect(heard).toHaveLength(0)
      await service.stop()
      expect(await makeClient(url).create(input)).toMatchObject({
        kind: 'not-sent',
        error: { code: 'service-unreachable' },
      })
    })

    it('not at all to a service that does not answer anything', async () => {
      const service = await open(breakOff)
      expect(await makeClient(service.baseUrl).create(input)).toMatchObject({
        kind: 'not-sent',
        error: { code: 'service-unreachable' },
      })
      expect(service.seen.map(({ method }) => method)).toEqual(['GET'])
    })

    it('as the interface says: header, body, unit', async () => {
      const { url, heard } = await serve(text('{"objectID":"a"}'))
      await makeClient(`${url}/prefix/`, { keyHeader: 'X-Other', durationUnit: 's' }).create(input)
      await makeClient(url).create({ ...input, durationMs: null })
      expect(heard[0]).toMatchObject({ method: 'POST', path: '/prefix/v1/faceswap-openapi/create' })
      expect(heard[0]?.headers).toMatchObject({
        'x-other': serviceKey,
        'content-type': 'application/json',
        'idempotency-key': 'k',
      })
      expect(JSON.parse(heard[0]?.body ?? '')).toEqual({
        title: 'x',
        imageUrl: 'https://h/f',
        videoUrl: 'https://h/v',
        duration: 2,
      })
      expect(JSON.parse(heard[1]?.body ?? '')).not.toHaveProperty('duration')
    })

    it('in the next spelling after 404, and remembers the one that worked', async () => {
      const { url, heard } = await serve((request, response) => {
        if (request.url?.includes('faceswap_openapi')) sendJson(response, { objectID: 'a' })
        else sendJson(response, { message: 'no such path' }, 404)
      })
      let remembered: Spelling = {}
      const client = makeClient(url, { onSpelling: (spelling) => (remembered = spelling) })
      expect(await client.create(input)).toEqual({ kind: 'created', objectId: 'a' })
      expect(await client.create(input)).toEqual({ kind: 'created', objectId: 'a' })
      expect(heard).toHaveLength(3)
      await makeClient(url, { spelling: remembered }).create(input)
      expect(heard).toHaveLength(4)
    })
  })

  describe('asks for tasks', () => {
    it.each<[string, Reply, string, Record<string, unknown>]>([
      [
        'and gets a page',
        text('<!doctype html><title>nginx</title>'),
        'not-a-service',
        { firstBytes: '<!doctype html><title>nginx</title>' },
      ],
      ['and gets another JSON', text('{"hello":1}'), 'not-a-service', {}],
      [
        'and gets an error inside a 200',
        text('{"code":40101,"msg":"invalid key"}'),
        'key-refused',
        { message: 'invalid key' },
      ],
      ['and is slowed down', text('{}', 429, { 'retry-after': '3' }), 'rate-limited', { retryAfterMs: 3000 }],
      ['and has no credit', text('{}', 402), 'no-credit', {}],
      ['and finds trouble', text('<html>502</html>', 502), 'service-trouble', {}],
      [
        'and no spelling is right',
        text('{"message":"no route"}', 404),
        'request-refused',
        { message: 'no route', status: 404 },
      ],
    ])('%s', async (_, answer, code, details) => {
      const { url } = await serve(answer)
      await expect(makeClient(url).fetchTasks(['a'])).rejects.toMatchObject({ code, details })
    })

    it('and takes only what it asked for', async () => {
      const { url, heard } = await serve(
        text('{"data":{"list":[{"objectId":"b"},{"objectId":"a,c"},{"objectId":"x"},null]}}'),
      )
      const found = await makeClient(url).fetchTasks(['a', 'b'])
      expect([...found.keys()]).toEqual(['b'])
      expect(heard[0]?.path).toBe('/v1/faceswap-opanpai/listbyids?objectID=a%2Cb')
    })
  })

  it('takes half an answer about its capabilities for trouble, and asks again; a page says that there are none', async () => {
    const answers = [text('{"assets":tr'), text('{}', 408), text('{"assets":true}'), text('{"assets":false}')]
    const { url } = await serve((...request) => answers.shift()?.(...request))
    const client = makeClient(url)
    await expect(client.capabilities()).rejects.toMatchObject({ code: 'service-trouble' })
    await expect(client.capabilities()).rejects.toMatchObject({ code: 'service-timeout' })
    expect(await client.capabilities()).toMatchObject({ assets: true })
    expect(await client.capabilities()).toMatchObject({ assets: true })
    const page = await serve(text('<html>', 200, { 'content-type': 'text/html' }))
    expect(await makeClient(page.url).capabilities()).toBeNull()
  })

  it('asks a service that had no capabilities again after some minutes, as a proxy may have answered for it', async () => {
    const answers = [text('upgrading', 403), text('{"cast":4}'), text('{"cast":0}')]
    const { url } = await serve((...request) => answers.shift()?.(...request))
    let now = 0
    const client = makeClient(url, { ticks: () => now })
    for (const at of [0, 299_999]) {
      now = at
      expect(await client.capabilities()).toBeNull()
    }
    for (const at of [300_000, 9_000_000]) {
      now = at
      expect(await client.capabilities()).toMatchObject({ cast: 4 })
    }
  })

  it('tries a key operation in the other form when the first is refused', async () => {
    const { url, heard } = await serve((request, response) => {
      const answer = request.url?.includes('?userId=7') ? { data: { apikey: 'sk-new' } } : {}
      sendJson(response, answer, request.url?.includes('?') ? 200 : 422)
    })
    expect(await makeClient(url).newKey(7n)).toEqual({ id: null, shown: 'sk-new' })
    expect(heard.map(({ method }) => method)).toEqual(['POST', 'POST'])
  })

  it("tells an upload's refusal, though the file is large", async () => {
    const { service, url } = await serve(text('{}', 413))
    service.server.on('checkContinue', (_, response) => response.writeHead(413).end('{}'))
    await writeFile(join(dir, 'v.mp4'), new Uint8Array(20_000_000))
    await expect(makeClient(url).uploadAsset(join(dir, 'v.mp4'), 'v.mp4')).rejects.toMatchObject({ code: 'too-large' })
    await expect(makeClient(url).uploadAsset(join(dir, 'none.mp4'), 'v.mp4')).rejects.toMatchObject({
      code: 'file-missing',
    })
  })

  describe('downloads', () => {
    const film = 'the whole film, all of it'
    const path = () => join(dir, 'film.mp4')

    it('and never takes the key to another host', async () => {
      const other = await serve(text(film, 200, { 'content-type': 'video/mp4' }))
      const service = await serve(redirect(`${other.url}/film`))
      await makeClient(service.url).download(`${service.url}/r`, path())
      await makeClient(service.url).download(`${other.url}/film`, path())
      expect(await readFile(path(), 'utf8')).toBe(film)
      expect(service.heard[0]?.headers['x-service-apikey']).toBe(serviceKey)
      expect(other.heard).toHaveLength(2)
      for (const { headers } of other.heard) expect(JSON.stringify(headers)).not.toContain(serviceKey)
    })

    it.each(['file:///etc/passwd', 'ftp://127.0.0.1/x', 'data:video/mp4,x', 'javascript:1', 'nonsense'])(
      'not from %s',
      async (url) => {
        const service = await serve(redirect(url))
        await expect(makeClient(service.url).download(url, path())).rejects.toMatchObject({
          code: 'result-address-invalid',
        })
        if (url !== 'nonsense')
          await expect(makeClient(service.url).download(`${service.url}/r`, path())).rejects.toMatchObject({
            code: 'result-address-invalid',
          })
        expect(await readdir(dir)).toEqual([])
      },
    )

    it('and says no after five redirects', async () => {
      const service = await serve(redirect('/again'))
      await expect(makeClient(service.url).download(`${service.url}/r`, path())).rejects.toMatchObject({
        code: 'result-unavailable',
      })
      expect(service.heard).toHaveLength(6)
    })

    it('goes on where a broken connection left it, and leaves an older file alone until then', async () => {
      await writeFile(path(), 'older')
      const { url, heard } = await serve((request, response) => {
        const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
        const headers = { etag: '"v1"', 'content-length': String(film.length - start) }
        if (start > 0)
          response
            .writeHead(206, {
              ...headers,
              'content-range': `bytes ${String(start)}-${String(film.length - 1)}/${String(film.length)}`,
            })
            .end(film.slice(start))
        else {
          response.writeHead(200, headers).write(film.slice(0, 9))
          setTimeout(() => request.socket.destroy(), 50)
        }
      })
      const client = makeClient(url)
      await expect(client.download(`${url}/r`, path())).rejects.toMatchObject({ code: 'service-unreachable' })
      expect(await readFile(path(), 'utf8')).toBe('older')
      await client.download(`${url}/r`, path())
      expect(await readFile(path(), 'utf8')).toBe(film)
      expect(heard.map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=9-'])
      expect(heard[1]?.headers['if-range']).toBe('"v1"')
      expect(await readdir(dir)).toEqual(['film.mp4'])
    })

    it.each<[string, Reply, string]>([
      ['nothing', text('', 200, { 'content-type': 'video/mp4' }), 'result-unreadable'],
      ['a page', text('<html>', 200, { 'content-type': 'text/html' }), 'result-unreadable'],
      ['a refusal of the key', text('{}', 401), 'key-refused'],
      ['what is gone', text('{}', 410), 'result-unavailable'],
      [
        'a range nobody asked for',
        text('x', 206, { 'content-range': 'bytes 5-5/9', 'content-type': 'video/mp4' }),
        'result-unavailable',
      ],
    ])('%s: says so, keeps nothing', async (_, answer, code) => {
      const { url } = await serve(answer)
      await expect(makeClient(url).download(`${url}/r`, path())).rejects.toMatchObject({ code })
      expect(await readdir(dir)).not.toContain('film.mp4')
    })

    it('a picture without an end: gives up, and keeps nothing of it', async () => {
      const { url } = await serve((_, response) => {
        response.writeHead(200, { 'content-type': 'image/jpeg', 'content-encoding': 'gzip' })
        response.end(gzipSync(Buffer.alloc(200_000_000, '\xff\xd8\xff')))
      })
      await expect(makeClient(url).download(`${url}/r`, path(), { wanted: 'picture' })).rejects.toMatchObject({
        code: 'result-unreadable',
      })
      expect((await readFile(`${path()}.part`)).byteLength).toBe(0)
    })

    it('that the user stops: cancelled, and can go on later', async () => {
      const { url } = await serve((_, response) => {
        response.writeHead(200, { 'content-length': '100', etag: '"v"' }).write('beginning')
      })
      const abort = new AbortController()
      const onProgress = () => {
        abort.abort()
      }
      await expect(
        makeClient(url).download(`${url}/r`, path(), { signal: abort.signal, onProgress }),
      ).rejects.toMatchObject({ code: 'cancelled' })
      expect((await readdir(dir)).sort()).toEqual(['film.mp4.part', 'film.mp4.part.tag'])
    })

    it('that the service sends on to a host that says 403: its own key is not refused', async () => {
      const other = await serve(text('{}', 403))
      const service = await serve(redirect(`${other.url}/film`))
      // As in the app: there a Response has no address.
      const bare: typeof fetch = async (...request) => {
        const { body, status, headers } = await fetch(...request)
        return new Response(body, { status, headers })
      }
      const client = makeClient(service.url, { fetch: bare })
      await expect(client.download(`${service.url}/r`, path())).rejects.toMatchObject({
        code: 'result-unavailable',
        details: { status: 403, host: new URL(other.url).host },
      })
    })

    it.each<[string, () => string, string]>([
      ['a name that is too long', () => join(dir, 'x'.repeat(249)), 'save-failed'],
      ['a name that is a folder’s', () => dir, 'save-failed'],
      ['a folder that is a file', () => join(dir, 'file', 'film.mp4'), 'folder-missing'],
      ['a folder that is gone', () => join(dir, 'gone', 'film.mp4'), 'folder-missing'],
    ])('to %s: the disk’s fault, and nothing is left', async (_, target, code) => {
      await writeFile(join(dir, 'file'), 'mine')
      const { url } = await serve(text(film, 200, { 'content-type': 'video/mp4', etag: '"v"' }))
      await expect(makeClient(url).download(`${url}/r`, target())).rejects.toMatchObject({ code })
      expect(await readdir(dir)).toEqual(['file'])
      expect((await readdir(tmpdir())).filter((name) => name.startsWith(`${basename(dir)}.`))).toEqual([])
    })
  })
})
