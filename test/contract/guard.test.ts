/** @file The guards of a service, without the client: each rule by itself. */
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  assetSchema,
  createResponseSchema,
  keyListSchema,
  newKeyResponseSchema,
  problemSchema,
  taskListSchema,
} from '@shared/service/wire.ts'
import { parseExactJson } from '@shared/service/exact-json.ts'
import { sayTo, type Heard } from './raw-request.ts'
import { embeddedService, services, until, type ServiceUnderTest } from './service-under-test.ts'

const create = '/v1/faceswap-openapi/create'
const list = '/v1/faceswap-opanpai/listbyids'

/** Servers sign the addresses of files. */
const unsigned = (text: string): string => text.replaceAll(/\?until=[^"\\]*/g, '')

const code = (heard: Heard): [number, string] => {
  expect(heard.headers['content-type']).toBe('application/problem+json')
  return [heard.status, problemSchema.parse(JSON.parse(heard.body)).code]
}

it.each(services)(
  '%s says 429 with Retry-After beyond 20 requests a second, to that key alone',
  async (_name, open) => {
    const service = await open({ requestsPerSecond: undefined })
    onTestFinished(() => service.close())
    const ask = (key: string): Promise<Heard> =>
      sayTo(service.baseUrl, `${list}?objectID=x`, { headers: { 'X-Service-Apikey': key } })
    const [busy, other] = [await service.client(null).newKey(1n), await service.client(null).newKey(1n)]
    // However slow the machine is, all of them arrive within one second.
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    onTestFinished(() => now.mockRestore())
    const heard = await Promise.all(Array.from({ length: 25 }, () => ask(busy.shown)))
    const refused = heard.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(5)
    for (const one of refused) {
      expect(code(one)).toEqual([429, 'rate-limited'])
      expect(one.headers['retry-after']).toBe('1')
    }
    expect((await ask(other.shown)).status).toBe(200)
    now.mockReturnValue(performance.now() + 1000)
    expect((await ask(busy.shown)).status).toBe(200)
  },
)

it("is never too fast for Mien's own client", async () => {
  const service = await embeddedService({ requestsPerSecond: undefined })
  onTestFinished(() => service.close())
  const client = service.client((await service.client(null).newKey(1n)).shown, { gapMs: undefined })
  const answers = await Promise.all(Array.from({ length: 22 }, () => client.fetchTasks(['x'])))
  expect(answers).toHaveLength(22)
})

describe.each(services)('%s', (_name, open) => {
  let service: ServiceUnderTest
  let key: string
  let free = 10 ** 12

  beforeAll(async () => {
    service = await open({ freeBytes: () => Promise.resolve(free) })
    key = (await service.client(null).newKey(1n)).shown
  })
  afterAll(() => service.close())

  const say = (path: string, headers: Record<string, string> = {}, method = 'GET', body = ''): Promise<Heard> =>
    sayTo(service.baseUrl, path, { headers, method, body })
  const keyed = (more: Record<string, string> = {}) => ({ 'X-Service-Apikey': key, ...more })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    say(
      path,
      keyed({ 'content-type': 'application/json', ...headers }),
      'POST',
      typeof body === 'string' ? body : JSON.stringify(body),
    )
  const put = async (name: string, content: string): Promise<string> => {
    const answer = await say(`/v1/assets/${name}`, keyed({ 'content-length': String(content.length) }), 'PUT', content)
    return assetSchema.parse(JSON.parse(answer.body)).url
  }

  it('listens on this computer only', async () => {
    const { port } = new URL(service.baseUrl)
    const { networkInterfaces } = await import('node:os')
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find((address) => address.family === 'IPv4' && !address.internal)
    const reached = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: outside?.address ?? '127.0.0.2', port: Number(port) })
      socket.on('connect', () => {
        socket.destroy()
        resolve(true)
      })
      socket.on('error', () => resolve(false))
    })
    expect(reached).toBe(false)
  })

  it.each([
    ['a name of somebody else', 'evil.example'],
    ['a name that begins like this one', '127.0.0.1.evil.example'],
    ['another form of the address', '2130706433'],
    ['another port of a name', 'evil.example:7433'],
  ])('refuses as Host %s, even with a key', async (_what, host) => {
    expect(code(await say(`${list}?objectID=x`, keyed({ host })))).toEqual([403, 'forbidden'])
  })

  it.each(['evil.example@127.0.0.1', '127.0.0.1/evil'])('reads no request with the Host %s', async (host) => {
    expect((await say(`${list}?objectID=x`, keyed({ host }))).status).toBe(400)
  })

  it('takes localhost as Host', async () => {
    const host = `localhost:${new URL(service.baseUrl).port}`
    expect((await say(`${list}?objectID=x`, keyed({ host }))).status).toBe(200)
  })

  it.each(['https://evil.example', 'null', 'http://127.0.0.1'])(
    'refuses the Origin %s, even with a key',
    async (origin) => {
      expect(code(await say(`${list}?objectID=x`, keyed({ origin })))).toEqual([403, 'forbidden'])
    },
  )

  it.each([
    ['POST', create],
    ['GET', `${list}?objectID=x`],
    ['POST', '/v1/faceswap-openapi/cancel'],
    ['POST', '/v1/faceswap-openapi/delete'],
    ['PUT', '/v1/assets/a.mp4'],
    ['GET', `/v1/assets/${randomUUID()}`],
    ['GET', `/v1/results/${randomUUID()}/video.mp4`],
  ])('wants a key for %s %s', async (method, path) => {
    expect(code(await say(path, {}, method))).toEqual([401, 'key-missing'])
    expect(code(await say(path, { 'X-Service-Apikey': `${key}x` }, method))).toEqual([401, 'key-refused'])
  })

  it('leaves nothing on disk of an upload without a key', async () => {
    const before = await service.files()
    await say('/v1/assets/a.mp4', { 'content-length': '5' }, 'PUT', 'hello')
    expect(await service.files()).toEqual(before)
  })

  it('keeps no key on disk', async () => {
    const names = (await readdir(service.dir, { recursive: true })).filter((name) => /\.db(?:-wal)?$/.test(name))
    for (const name of names) expect((await readFile(join(service.dir, name))).includes(key), name).toBe(false)
  })

  it.each(['/v1/faceswap-openapi', '/v1/faceswap_openapi', '/v1/faceswap-opanpai'])(
    'knows the spelling %s',
    async (prefix) => {
      expect((await say(`${prefix}/listbyids?objectID=x`, keyed())).status).toBe(200)
      expect(code(await post(`${prefix}/create`, {}))).toEqual([422, 'request-refused'])
    },
  )

  it.each([
    ['GET', create, 'POST'],
    ['DELETE', create, 'POST'],
    ['POST', `${list}?objectID=x`, 'GET, HEAD'],
    ['POST', '/v1/capabilities', 'GET, HEAD'],
    ['DELETE', '/v1/openapi_account/delete', 'POST'],
    ['POST', '/v1/assets/a', 'GET, HEAD, PUT'],
  ])('says 405 to %s %s', async (method, path, allow) => {
    const heard = await say(path, keyed(), method)
    expect(code(heard)).toEqual([405, 'request-refused'])
    expect(heard.headers.allow).toBe(allow)
  })

  it('says 404 to what it does not have', async () => {
    expect(code(await say('/v2/anything', keyed()))).toEqual([404, 'not-found'])
    expect(code(await say(`/v1/results/${randomUUID()}/video.mp4`, keyed()))).toEqual([404, 'not-found'])
    expect(code(await say('/v1/assets/..%2F..%2Fservice.db', keyed()))).toEqual([404, 'not-found'])
  })

  it.each([
    ['no JSON', 'title=x', {}, 400],
    ['another type', '{"title":"x"}', { 'content-type': 'text/plain' }, 415],
    ['no title', '{}', {}, 422],
    ['a title of the wrong type', '{"title":7}', {}, 422],
    ['no face', '{"title":"x","videoUrl":"http://h/v.mp4"}', {}, 422],
    ['depth', '['.repeat(5000) + ']'.repeat(5000), {}, 400],
  ])('refuses a create with %s', async (_, body, headers, status) => {
    expect(code(await post(create, body, headers))).toEqual([status, 'request-refused'])
  })

  it.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    'ftp://h/a',
    '/etc/passwd',
    'http://u:p@h/a',
    'no address',
  ])('refuses the face address %s', async (imageUrl) => {
    expect(code(await post(create, { title: 'x', imageUrl, videoUrl: 'http://h/v.mp4' }))).toEqual([
      422,
      'address-invalid',
    ])
  })

  it('refuses an upload that is not there', async () => {
    const imageUrl = `${service.baseUrl}/v1/assets/${randomUUID()}`
    expect(code(await post(create, { title: 'x', imageUrl, videoUrl: imageUrl }))).toEqual([422, 'file-missing'])
  })

  it.each([
    [1, '/v1/faceswap-openapi/cancel'],
    [8, create],
  ])('refuses a body above %i MB for %s, with and without its length told', async (megabytes, path) => {
    const body = JSON.stringify({ title: 'x'.repeat(megabytes * 1_000_000 + 1) })
    expect(code(await post(path, body))).toEqual([413, 'too-large'])
    expect(code(await post(path, body, { 'transfer-encoding': 'chunked' }))).toEqual([413, 'too-large'])
  })

  it('takes 200 ids and refuses 201', async () => {
    const ids = (n: number) => Array.from({ length: n }, (_, i) => `id${String(i)}`).join(',')
    expect((await say(`${list}?objectID=${ids(200)}`, keyed())).status).toBe(200)
    expect(code(await say(`${list}?objectID=${ids(201)}`, keyed()))).toEqual([400, 'request-refused'])
    expect(code(await say(list, keyed()))).toEqual([400, 'request-refused'])
  })

  it('says 507 to an upload that does not fit, and keeps nothing of it', async () => {
    const before = await service.files()
    free = 70 * 2 ** 20
    const size = 50_000_000
    const path = await service.file('large.mp4', new Uint8Array(size))
    await expect(service.client(key).uploadAsset(path, 'large.mp4')).rejects.toMatchObject({
      code: 'disk-full',
      // With what is left free for everything else.
      details: { needBytes: size + 64 * 2 ** 20, freeBytes: free },
    })
    free = 10 ** 12
    expect(await service.files()).toEqual(before)
  })

  it('keeps nothing of an upload that breaks off', async () => {
    const before = await service.files()
    await new Promise<void>((resolve) => {
      const half = request(`${service.baseUrl}/v1/assets/half.mp4`, {
        method: 'PUT',
        headers: keyed({ 'content-length': '1000' }),
      })
      half.on('error', () => resolve())
      half.write('half of it')
      void until(
        () => service.files(),
        (names) => names.length > before.length,
      ).then(() => half.destroy())
    })
    await until(
      () => service.files(),
      (names) => names.length === before.length,
    )
    expect(await service.files()).toEqual(before)
  })

  it('answers ranges', async () => {
    const url = await put('a.mp4', '0123456789')
    const path = new URL(url).pathname
    const whole = await say(path, keyed())
    expect([whole.status, whole.body, whole.headers['accept-ranges'], whole.headers['content-type']]).toEqual([
      200,
      '0123456789',
      'bytes',
      'video/mp4',
    ])
    const etag = whole.headers.etag ?? ''
    const cases: [Record<string, string>, number, string, string | undefined][] = [
      [{ range: 'bytes=2-4' }, 206, '234', 'bytes 2-4/10'],
      [{ range: 'bytes=7-' }, 206, '789', 'bytes 7-9/10'],
      [{ range: 'bytes=-3' }, 206, '789', 'bytes 7-9/10'],
      [{ range: 'bytes=2-4', 'if-range': etag }, 206, '234', 'bytes 2-4/10'],
      [{ range: 'bytes=2-4', 'if-range': '"other"' }, 200, '0123456789', undefined],
    ]
    for (const [headers, status, body, contentRange] of cases) {
      const heard = await say(path, keyed(headers))
      expect([heard.status, heard.body, heard.headers['content-range']], JSON.stringify(headers)).toEqual([
        status,
        body,
        contentRange,
      ])
      expect(heard.headers['content-length']).toBe(String(body.length))
    }
    const beyond = await say(path, keyed({ range: 'bytes=10-' }))
    expect(code(beyond)).toEqual([416, 'request-refused'])
    expect(beyond.headers['content-range']).toBe('bytes */10')
    const head = await say(path, keyed(), 'HEAD')
    expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', '10'])
    const empty = await put('empty.mp4', '')
    expect((await say(new URL(empty).pathname, keyed())).body).toBe('')
  })

  it('fills every field with the truth, null or zero', async () => {
    const [face, video] = [await put('face.jpg', 'a face'), await put('the%20clip.mp4', 'HOLD clip')]
    const made = await post(create, { title: 'Über <b>', imageUrl: face, videoUrl: video, duration: 999_999 })
    expect(made.status).toBe(200)
    const { objectID } = createResponseSchema.parse(JSON.parse(made.body))
    const ask = async () =>
      taskListSchema.parse(JSON.parse(unsigned((await say(`${list}?objectID=${objectID}`, keyed())).body))).list[0]
    await until(ask, (task) => task?.work?.preview?.frame === 10)
    service.engine.release()
    const item = await until(ask, (task) => task?.status === 'completed')
    const at = `${service.baseUrl}/v1/results/${objectID}`
    const userId = 1
    const { createdAt, updatedAt } = item ?? {}
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(item).toEqual({
      id: {},
      imageUrl: face,
      videoUrl: video,
      userId,
      objectId: objectID,
      title: 'Über <b>',
      status: 'completed',
      taskId: item?.taskId,
      footageId: item?.footageId,
      videoId: item?.videoId,
      createdAt,
      updatedAt,
      deletedAt: null,
      publishStatus: 0,
      duration: 800,
      error: null,
      Footage: {
        id: item?.Video.id,
        type: 'video',
        name: 'the clip.mp4',
        card: null,
        cardId: null,
        workflowId: null,
        status: 'completed',
        cover: `${at}/footage.jpg`,
        objectId: item?.footageId,
        userId,
        webId: null,
        createdAt,
        updatedAt,
        trashedAt: null,
        removedAt: null,
        videoQty: 1,
      },
      Video: {
        id: item?.Video.id,
        userId,
        objectId: item?.videoId,
        footageId: item?.footageId,
        name: 'Über <b>',
        width: 320,
        height: 180,
        size: 17,
        duration: 800,
        suffix: 'mp4',
        webId: null,
        status: 'completed',
        originUrl: null,
        videoUrl: `${at}/video.mp4`,
        coverUrl: `${at}/cover.jpg`,
        audioUrl: `${at}/audio.m4a`,
        avatars: JSON.stringify([`${at}/face-0.jpg`, `${at}/face-1.jpg`]),
        audioText: null,
        uploadAt: item?.Video.uploadAt,
      },
      progress: 1,
      etaMs: null,
      errorCode: null,
      errorDetails: null,
      work: {
        stage: 'finishing',
        framesDone: 20,
        framesTotal: 20,
        framesSwapped: 19,
        workFps: 50,
        savedMs: 800,
        preview: null,
        result: {
          frames: 20,
          swappedFrames: 19,
          fps: 25,
          workFps: 50,
          videoCodec: 'avc',
          audioCodec: 'aac',
          lostSound: [],
          missing: [],
          encoder: 'software',
          fellBack: 'failed',
          oddPictures: [],
          ranOn: null,
          quality: [
            { kind: 'swapped', frames: 19 },
            { kind: 'none', frames: 1 },
          ],
          weak: [{ kind: 'covered', face: 0, fromMs: 200, toMs: 440, frames: 6 }],
        },
      },
    })
    expect((await service.filesOf(objectID)).filter((name) => !/\/(?:before|after)\.jpg$/.test(name))).toEqual([
      'footage/cover.jpg',
      ...['audio.m4a', 'cover.jpg', 'face-0.jpg', 'face-1.jpg', 'output.mp4'].map((name) => `result/${name}`),
    ])
  })

  it('says a failure in words, and by code', async () => {
    const [face, video] = [await put('face.jpg', 'NOFACE'), await put('clip.mp4', 'a clip')]
    const made = await post(create, { title: 'x', imageUrl: face, videoUrl: video })
    const { objectID } = createResponseSchema.parse(JSON.parse(made.body))
    const ask = async () =>
      taskListSchema.parse(JSON.parse(unsigned((await say(`${list}?objectID=${objectID}`, keyed())).body))).list[0]
    const item = await until(ask, (task) => task?.status === 'failed')
    expect(item).toMatchObject({
      error: 'It says: no-face-in-picture.',
      errorCode: 'no-face-in-picture',
      errorDetails: { name: 'face.jpg' },
      progress: null,
      Video: { videoUrl: null, coverUrl: null, avatars: null, size: 0 },
      Footage: { videoQty: 0 },
    })
    expect((await service.filesOf(objectID)).filter((name) => name !== 'footage/cover.jpg')).toEqual([])
  })

  it('reads and writes a user id of 2^64 − 1 exactly', async () => {
    const admin = { 'X-Admin-Token': service.adminToken, 'content-type': 'application/json' }
    const made = await say('/v1/openapi_account/new', admin, 'POST', '{"userId":18446744073709551615}')
    const { sk, lastFour } = newKeyResponseSchema.parse(parseExactJson(made.body))
    const listed = await say('/v1/openapi_account/list?userId=18446744073709551615', admin)
    expect(keyListSchema.parse(parseExactJson(listed.body)).list).toMatchObject([
      { userId: 2n ** 64n - 1n, lastFour, mask: `sk-mien-…${sk.slice(-4)}` },
    ])
    expect((await say('/v1/openapi_account/list?userId=18446744073709551616', admin)).status).toBe(400)
    expect((await say('/v1/openapi_account/new', admin, 'POST', '{"userId":18446744073709551616}')).status).toBe(422)
  })
})
