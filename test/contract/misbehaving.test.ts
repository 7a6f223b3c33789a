/** @file Services that do what services should not, over real connections. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { errorSentence } from '@shared/i18n/error-text.ts'
import type { Spelling } from '../../src/main/service-client/service-client.ts'
import { makeClient, serviceKey } from '../fixtures/task-service.ts'

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void

const input = { title: 'x', imageUrl: 'https://h/f', videoUrl: 'https://h/v', durationMs: 1500, idempotencyKey: 'k' }
const json =
  (body: string, status = 200, headers: Record<string, string> = {}): Answer =>
  (_, outgoing) => {
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }

describe('the client', () => {
  const servers: Server[] = []
  let dir: string

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'mien-odd-'))
  })
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
    await rm(dir, { recursive: true, force: true })
  })

  async function serve(answer: Answer): Promise<{
    url: string
    heard: { url: string; method: string; headers: IncomingMessage['headers']; body: string }[]
  }> {
    const heard: Awaited<ReturnType<typeof serve>>['heard'] = []
    const server = createServer((incoming, outgoing) => {
      let body = ''
      incoming.on('data', (part: Buffer) => (body += part.toString()))
      incoming.on('end', () => {
        // What asks whether the service is there at all is answered, and not counted.
        if (incoming.url?.includes('mien-test-')) {
          outgoing.writeHead(500).end()
          return
        }
        heard.push({ url: incoming.url ?? '', method: incoming.method ?? '', headers: incoming.headers, body })
        answer(incoming, outgoing)
      })
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, heard } // it listens
  }

  describe('sends a create', () => {
    it.each<[string, Answer, string, string]>([
      ['that is reset before an answer', (incoming) => incoming.socket.destroy(), 'unclear', 'create-unclear'],
      [
        'that is reset in the answer',
        (incoming, outgoing) => {
          outgoing.writeHead(200, { 'content-length': '500' }).write('{"obj')
          setTimeout(() => incoming.socket.destroy(), 20)
        },
        'unclear',
        'create-unclear',
      ],
      [
        'that is answered with a page',
        json('<html>Welcome</html>', 200, { 'content-type': 'text/html' }),
        'unclear',
        'create-unclear',
      ],
      ['that is answered with half of it', json('{"objectID":"a'), 'unclear', 'create-unclear'],
      ['that is answered with depth', json('['.repeat(100_000)), 'unclear', 'create-unclear'],
      [
        'that is answered with too much',
        json(`{"objectID":"a","more":"${'x'.repeat(6_000_000)}"}`),
        'unclear',
        'create-unclear',
      ],
      [
        'that is answered with a gzip bomb',
        (_, outgoing) => {
          outgoing
            .writeHead(200, { 'content-encoding': 'gzip' })
            .end(gzipSync(`{"objectID":"a"${' '.repeat(50_000_000)}}`))
        },
        'unclear',
        'create-unclear',
      ],
      ['to a service in trouble', json('{"message":"db"}', 503), 'unclear', 'create-unclear'],
      ['that is refused', json('{"message":"no face"}', 422), 'refused', 'request-refused'],
      ['that is slowed down', json('', 429, { 'retry-after': '2' }), 'not-sent', 'rate-limited'],
      [
        'that is sent elsewhere',
        (_, outgoing) => outgoing.writeHead(307, { location: 'http://127.0.0.1:1/steal' }).end(),
        'refused',
        'request-refused',
      ],
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
        const { url } = await serve(json(body))
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
      const { url, heard } = await serve(json('{"objectID":"a"}'))
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
      servers[0]?.closeAllConnections()
      await new Promise((resolve) => servers.pop()?.close(resolve))
      expect(await makeClient(url).create(input)).toMatchObject({
        kind: 'not-sent',
        error: { code: 'service-unreachable' },
      })
    })

    it('not at all to a service that does not answer anything', async () => {
      const methods: string[] = []
      const server = createServer((incoming) => {
        methods.push(incoming.method ?? '')
        incoming.socket.destroy()
      })
      servers.push(server)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` // it listens
      expect(await makeClient(url).create(input)).toMatchObject({
        kind: 'not-sent',
        error: { code: 'service-unreachable' },
      })
      expect(methods).toEqual(['GET'])
    })

    it('as the interface says: header, body, unit', async () => {
      const { url, heard } = await serve(json('{"objectID":"a"}'))
      await makeClient(`${url}/prefix/`, { keyHeader: 'X-Other', durationUnit: 's' }).create(input)
      await makeClient(url).create({ ...input, durationMs: null })
      expect(heard[0]).toMatchObject({ method: 'POST', url: '/prefix/v1/faceswap-openapi/create' })
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
      const { url, heard } = await serve((incoming, outgoing) => {
        if (incoming.url?.includes('faceswap_openapi')) json('{"objectID":"a"}')(incoming, outgoing)
        else json('{"message":"no such path"}', 404)(incoming, outgoing)
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
    it.each<[string, Answer, string, Record<string, unknown>]>([
      [
        'and gets a page',
        json('<!doctype html><title>nginx</title>'),
        'not-a-service',
        { firstBytes: '<!doctype html><title>nginx</title>' },
      ],
      ['and gets another JSON', json('{"hello":1}'), 'not-a-service', {}],
      [
        'and gets an error inside a 200',
        json('{"code":40101,"msg":"invalid key"}'),
        'key-refused',
        { message: 'invalid key' },
      ],
      ['and is slowed down', json('{}', 429, { 'retry-after': '3' }), 'rate-limited', { retryAfterMs: 3000 }],
      ['and has no credit', json('{}', 402), 'no-credit', {}],
      ['and finds trouble', json('<html>502</html>', 502), 'service-trouble', {}],
      [
        'and no spelling is right',
        json('{"message":"no route"}', 404),
        'request-refused',
        { message: 'no route', status: 404 },
      ],
    ])('%s', async (_, answer, code, details) => {
      const { url } = await serve(answer)
      await expect(makeClient(url).fetchTasks(['a'])).rejects.toMatchObject({ code, details })
    })

    it('and takes only what it asked for', async () => {
      const { url, heard } = await serve(
        json('{"data":{"list":[{"objectId":"b"},{"objectId":"a,c"},{"objectId":"x"},null]}}'),
      )
      const { found } = await makeClient(url).fetchTasks(['a', 'b'])
      expect([...found.keys()]).toEqual(['b'])
      expect(heard[0]?.url).toBe('/v1/faceswap-opanpai/listbyids?objectID=a%2Cb')
    })
  })

  it('takes half an answer about its capabilities for trouble, and asks again; a page says that there are none', async () => {
    const answers = [json('{"assets":tr'), json('{}', 408), json('{"assets":true}'), json('{"assets":false}')]
    const { url } = await serve((incoming, outgoing) => answers.shift()?.(incoming, outgoing))
    const client = makeClient(url)
    await expect(client.capabilities()).rejects.toMatchObject({ code: 'service-trouble' })
    await expect(client.capabilities()).rejects.toMatchObject({ code: 'service-timeout' })
    expect(await client.capabilities()).toMatchObject({ assets: true })
    expect(await client.capabilities()).toMatchObject({ assets: true })
    const page = await serve(json('<html>', 200, { 'content-type': 'text/html' }))
    expect(await makeClient(page.url).capabilities()).toBeNull()
  })

  it('tries a key operation in the other form when the first is refused', async () => {
    const { url, heard } = await serve((incoming, outgoing) => {
      json(
        incoming.url?.includes('?userId=7') ? '{"data":{"apikey":"sk-new"}}' : '{}',
        incoming.url?.includes('?') ? 200 : 422,
      )(incoming, outgoing)
    })
    expect(await makeClient(url).newKey(7n)).toEqual({ id: null, shown: 'sk-new' })
    expect(heard.map(({ method }) => method)).toEqual(['POST', 'POST'])
  })

  it("tells an upload's refusal, though the file is large", async () => {
    const server = createServer((_, outgoing) => outgoing.writeHead(413).end('{}'))
    servers.push(server)
    server.on('checkContinue', (_: IncomingMessage, outgoing: ServerResponse) => outgoing.writeHead(413).end('{}'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    await writeFile(join(dir, 'v.mp4'), new Uint8Array(20_000_000))
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` // it listens
    await expect(makeClient(url).uploadAsset(join(dir, 'v.mp4'), 'v.mp4')).rejects.toMatchObject({ code: 'too-large' })
    await expect(makeClient(url).uploadAsset(join(dir, 'none.mp4'), 'v.mp4')).rejects.toMatchObject({
      code: 'file-missing',
    })
  })

  describe('downloads', () => {
    const film = 'the whole film, all of it'
    const path = () => join(dir, 'film.mp4')

    it('and never takes the key to another host', async () => {
      const other = await serve(json(film, 200, { 'content-type': 'video/mp4' }))
      const service = await serve((_, outgoing) => outgoing.writeHead(302, { location: `${other.url}/film` }).end())
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
        const service = await serve((_, outgoing) => outgoing.writeHead(302, { location: url }).end())
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
      const service = await serve((_, outgoing) => outgoing.writeHead(302, { location: '/again' }).end())
      await expect(makeClient(service.url).download(`${service.url}/r`, path())).rejects.toMatchObject({
        code: 'result-unavailable',
      })
      expect(service.heard).toHaveLength(6)
    })

    it('goes on where a broken connection left it, and leaves an older file alone until then', async () => {
      await writeFile(path(), 'older')
      const { url, heard } = await serve((incoming, outgoing) => {
        const start = Number(/bytes=(\d+)-/.exec(incoming.headers.range ?? '')?.[1] ?? 0)
        const headers = { etag: '"v1"', 'content-length': String(film.length - start) }
        if (start > 0)
          outgoing
            .writeHead(206, {
              ...headers,
              'content-range': `bytes ${String(start)}-${String(film.length - 1)}/${String(film.length)}`,
            })
            .end(film.slice(start))
        else {
          outgoing.writeHead(200, headers).write(film.slice(0, 9))
          setTimeout(() => incoming.socket.destroy(), 50)
        }
      })
      const client = makeClient(url)
      await expect(client.download(`${url}/r`, path())).rejects.toMatchObject({ code: 'service-unreachable' })
      expect(await readFile(path(), 'utf8')).toBe('older')
      await client.download(`${url}/r`, path())
      expect(await readFile(path(), 'utf8')).toBe(film)
      expect(heard.map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=9-'])
      expect(await readdir(dir)).toEqual(['film.mp4'])
    })

    it.each<[string, Answer, string]>([
      ['nothing', json('', 200, { 'content-type': 'video/mp4' }), 'result-unreadable'],
      ['a page', json('<html>', 200, { 'content-type': 'text/html' }), 'result-unreadable'],
      ['a refusal of the key', json('{}', 401), 'key-refused'],
      ['what is gone', json('{}', 410), 'result-unavailable'],
      [
        'a range nobody asked for',
        json('x', 206, { 'content-range': 'bytes 5-5/9', 'content-type': 'video/mp4' }),
        'result-unavailable',
      ],
    ])('%s: says so, keeps nothing', async (_, answer, code) => {
      const { url } = await serve(answer)
      await expect(makeClient(url).download(`${url}/r`, path())).rejects.toMatchObject({ code })
      expect(await readdir(dir)).not.toContain('film.mp4')
    })

    it('a picture without an end: gives up, and keeps nothing of it', async () => {
      const { url } = await serve((_, outgoing) => {
        outgoing.writeHead(200, { 'content-type': 'image/jpeg', 'content-encoding': 'gzip' })
        outgoing.end(gzipSync(Buffer.alloc(200_000_000, '\xff\xd8\xff')))
      })
      await expect(makeClient(url).download(`${url}/r`, path(), { wanted: 'picture' })).rejects.toMatchObject({
        code: 'result-unreadable',
      })
      expect((await readFile(`${path()}.part`)).byteLength).toBe(0)
    })

    it('that the user stops: cancelled, and can go on later', async () => {
      const { url } = await serve((_, outgoing) => {
        outgoing.writeHead(200, { 'content-length': '100', etag: '"v"' }).write('beginning')
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
      const other = await serve(json('{}', 403))
      const service = await serve((_, outgoing) => outgoing.writeHead(302, { location: `${other.url}/film` }).end())
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
    ])('to %s: the disk’s fault, and nothing is left', async (_, target, code) => {
      await writeFile(join(dir, 'file'), 'mine')
      const { url } = await serve(json(film, 200, { 'content-type': 'video/mp4', etag: '"v"' }))
      await expect(makeClient(url).download(`${url}/r`, target())).rejects.toMatchObject({ code })
      expect(await readdir(dir)).toEqual(['file'])
      expect((await readdir(tmpdir())).filter((name) => name.startsWith(`${basename(dir)}.`))).toEqual([])
    })

    it('into a folder that is gone: says so', async () => {
      const { url } = await serve(json(film, 200, { 'content-type': 'video/mp4' }))
      await expect(makeClient(url).download(`${url}/r`, join(dir, 'gone', 'film.mp4'))).rejects.toMatchObject({
        code: 'folder-missing',
      })
    })

    it('of more than the disk holds: says how much', async () => {
      const { url } = await serve((_, outgoing) => {
        outgoing.writeHead(200, { 'content-length': String(1e15), 'content-type': 'video/mp4' }).write('x')
      })
      await expect(makeClient(url).download(`${url}/r`, path())).rejects.toMatchObject({
        code: 'disk-full',
        details: { needBytes: 1e15 },
      })
    })
  })
})
