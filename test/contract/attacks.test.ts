/** @file Attacks on a server that creators share: each is tried, and none finds out whether something exists. */
import { createHash, randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../src/main/service/cluster/database/database.ts'
import { blobName } from '../../src/main/service/cluster/storage/blob-storage.ts'
import { hasPostgres } from '../fixtures/postgres.ts'
import { sayTo, type Heard } from './raw-request.ts'
import { clusterService, makeSwap, until, type ClusterUnderTest } from './service-under-test.ts'

const api = '/v1/faceswap-openapi'
const kinds: readonly Database['kind'][] = hasPostgres ? ['sqlite', 'postgres'] : ['sqlite']

interface Attempt {
  method?: string
  headers?: Record<string, string>
  body?: unknown
}

describe.each(kinds)('on %s', (kind) => {
  let service: ClusterUnderTest
  /** What the victim has. */
  let victim: {
    key: string
    keyId: string
    /** Done, waiting, and without anything but its id. */
    done: string
    waiting: string
    resultUrl: string
    asset: string
    upload: string
    blob: string
  }
  let attacker: { key: string; keyId: string; done: string; resultUrl: string; waiting: string }

  const ask = (path: string, { body, headers = {}, ...attempt }: Attempt = {}): Promise<Heard> =>
    sayTo(service.baseUrl, path, {
      ...attempt,
      ...(body === undefined || Buffer.isBuffer(body)
        ? { headers, ...(body && { body }) }
        : { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }),
    })
  const as = (key: string, path: string, { headers, ...more }: Attempt = {}): Promise<Heard> =>
    ask(path, { ...more, headers: { 'X-Service-Apikey': key, ...headers } })
  const attack = (path: string, attempt?: Attempt): Promise<Heard> => as(attacker.key, path, attempt)
  const parsed = (answer: Heard): Record<string, unknown> => JSON.parse(answer.body) as Record<string, unknown> // objects only

  /** A creator with a finished swap, one that waits, and uploads. */
  const creator = async (userId: bigint) => {
    const key = (await service.client(null).newKey(userId)).shown
    const client = service.client(key)
    const [keyId] = (await service.client(null).listKeys(userId)).map(({ id }) => id)
    const create = (content: string): Promise<string> =>
      makeSwap(service, client, content, { idempotencyKey: `key of ${content}` })
    const done = await create('done')
    const task = await until(
      async () => (await client.fetchTasks([done])).get(done),
      (found) => found?.status === 'succeeded',
    )
    const waiting = await create('HOLD')
    await client.pause(waiting)
    return { key, keyId: keyId ?? '', client, done, waiting, resultUrl: task?.resultUrl ?? '' }
  }

  beforeAll(async () => {
    service = await clusterService(kind)
    const { client, ...first } = await creator(1n)
    const asset = new URL(await client.uploadAsset(await service.file('b.mp4', 'secret'), 'b.mp4')).pathname
    const begun = await as(first.key, '/v1/uploads', { method: 'POST', body: { name: 'c.mp4', size: 100 } })
    const blob = blobName(createHash('sha256').update('secret').digest('hex'))
    victim = { ...first, asset, upload: String(parsed(begun)['id']), blob }
    attacker = await creator(2n)
  })
  // A key of its own for each test: the tests together are more than 20 requests a second.
  beforeEach(async () => {
    attacker.key = (await service.client(null).newKey(2n)).shown
  })
  afterAll(() => service.close())

  /** Everything of the victim, to see that nothing changed. */
  const state = async (): Promise<string> => {
    const { db } = service
    const of = (sql: string) => db.query(`${sql} WHERE user_id = '1' ORDER BY 1`)
    const rows = [
      await of('SELECT * FROM swaps'),
      await of('SELECT f.* FROM swap_files f JOIN swaps s ON s.object_id = f.object_id'),
      await of('SELECT * FROM assets'),
      await of('SELECT * FROM uploads'),
      await of('SELECT c.* FROM upload_chunks c JOIN uploads u ON u.id = c.upload_id'),
    ]
    const keys = await db.query(`SELECT * FROM access_keys WHERE user_id = '1' ORDER BY id`)
    return JSON.stringify([rows, keys])
  }

  /** Requests with an id, of which one belongs to the victim and one to nobody: the answers must be the same. */
  const post = (path: string, body: object): [string, Attempt] => [`${api}/${path}`, { method: 'POST', body }]
  type Try = [what: string, attempt: (id: string) => [path: string, attempt?: Attempt], of: Kind]
  type Kind = 'swap' | 'waiting' | 'asset' | 'upload'
  const commands = ['cancel', 'pause', 'resume', 'delete'].flatMap((what): Try[] => [
    [`${what} a finished swap`, (id) => post(what, { objectID: id }), 'swap'],
    [`${what} a waiting swap`, (id) => post(what, { objectID: id }), 'waiting'],
  ])
  const files = [
    'video.mp4',
    'cover.jpg',
    'audio.m4a',
    'face-0.jpg',
    'footage.jpg',
    'before-5.jpg',
    '..%2f..%2fcluster.db',
  ]
  it.each<Try>([
    ['list a swap', (id) => [`${api}/listbyids?objectID=${id}`], 'swap'],
    ['list a swap beside an own one', (id) => [`${api}/listbyids?objectID=${id},${attacker.done}`], 'swap'],
    ...commands,
    ['order a swap among own ones', (id) => post('order', { objectIDs: [attacker.waiting, id] }), 'waiting'],
    ...files.map((name): Try => [`fetch ${name} of a swap`, (id) => [`/v1/results/${id}/${name}`], 'swap']),
    ['fetch an upload', (id) => [`/v1/assets/${id}`], 'asset'],
    ['fetch a part of an upload', (id) => [`/v1/assets/${id}`, { headers: { range: 'bytes=0-1' } }], 'asset'],
    ['look whether an upload is there', (id) => [`/v1/assets/${id}`, { method: 'HEAD' }], 'asset'],
    [
      'use an upload',
      (id) =>
        post('create', { title: 'x', imageUrl: `/v1/assets/${id}`, videoUrl: `${service.baseUrl}/v1/assets/${id}` }),
      'asset',
    ],
    [
      'use an upload in a cast',
      (id) => {
        const clips = [{ id: 0, fromMs: 0, toMs: 1, places: [[0, 1, 1, 1]] }]
        const cast = [{ imageUrls: [`/v1/assets/${id}`], clips }]
        return post('create', { title: 'x', videoUrl: 'https://example.com/a', cast })
      },
      'asset',
    ],
    ['look at a resumable upload', (id) => [`/v1/uploads/${id}`, { method: 'HEAD' }], 'upload'],
    [
      'add to a resumable upload',
      (id) => [
        `/v1/uploads/${id}`,
        { method: 'PATCH', headers: { 'upload-offset': '0' }, body: Buffer.from('x'.repeat(100)) },
      ],
      'upload',
    ],
  ])('can’t %s of another creator', async (_what, attempt, which) => {
    const ids = {
      swap: victim.done,
      waiting: victim.waiting,
      asset: victim.asset.split('/').at(-1) ?? '',
      upload: victim.upload,
    }
    const before = await state()
    const [path, options] = attempt(ids[which])
    const [theirs, nobodys] = [await attack(path, options), await attack(...attempt(randomUUID()))]
    expect(theirs.status).toBe(nobodys.status)
    expect(theirs.body).toBe(nobodys.body)
    expect(Object.keys(theirs.headers).sort()).toEqual(Object.keys(nobodys.headers).sort())
    if (!path.includes('listbyids')) expect(theirs.status).toBeGreaterThanOrEqual(400)
    else expect(theirs.body).not.toContain(ids[which])
    expect(await state()).toBe(before)
  })

  it('has keys of idempotency for each creator alone', async () => {
    // Both creators used this one, for the same title.
    expect(attacker.done).not.toBe(victim.done)
    const body = { title: 'other', imageUrl: 'https://e.com/a', videoUrl: 'https://e.com/b' }
    const headers = { 'idempotency-key': 'of the attacker only' }
    const attempt = { method: 'POST', body, headers }
    const mine = parsed(await attack(`${api}/create`, attempt))['objectID']
    const theirs = parsed(await as(victim.key, `${api}/create`, attempt))['objectID']
    expect(mine).not.toBe(theirs)
    // So that it doesn't change while other tests look at everything of the victim.
    await as(victim.key, `${api}/cancel`, { method: 'POST', body: { objectID: theirs } })
  })

  const changes: [string, (url: URL) => void][] = [
    ['another swap', (url) => (url.pathname = url.pathname.replace(attacker.done, victim.done))],
    ['another file', (url) => (url.pathname = url.pathname.replace('video.mp4', 'cover.jpg'))],
    ['an upload', (url) => (url.pathname = victim.asset)],
    ['another key', (url) => url.searchParams.set('for', victim.keyId)],
    ['another time', (url) => url.searchParams.set('until', String(Number(url.searchParams.get('until')) + 3_600_000))],
    ['no time', (url) => url.searchParams.delete('until')],
    ['another signature', (url) => url.searchParams.set('sig', 'A'.repeat(43))],
    ['a shorter signature', (url) => url.searchParams.set('sig', (url.searchParams.get('sig') ?? '').slice(0, -1))],
    ['an empty signature', (url) => url.searchParams.set('sig', '')],
    ['two signatures', (url) => url.searchParams.append('for', victim.keyId)],
  ]
  it.each(changes.slice(0, -1))('refuses a signed address that was changed to %s', async (_what, change) => {
    const url = new URL(attacker.resultUrl)
    expect((await ask(url.pathname + url.search)).status).toBe(200)
    change(url)
    const answer = await ask(url.pathname + url.search)
    expect([answer.status, parsed(answer)['code']]).toEqual([403, 'forbidden'])
  })

  it('takes signed addresses for files only, and lets no other parameter change what they are for', async () => {
    const { search } = new URL(attacker.resultUrl)
    const others = [`${api}/listbyids${search}&objectID=${attacker.done}`, `/v1/uploads/${victim.upload}${search}`]
    for (const path of [...others, `/v1/audit${search}`]) expect((await ask(path)).status).toBe(401)
    const [, append] = changes.at(-1) ?? []
    const url = new URL(attacker.resultUrl)
    append?.(url)
    const answer = await ask(url.pathname + url.search)
    // The first value counts: it is still the attacker's own file.
    expect(answer.body).toBe('swapped done')
  })

  it.each<[string, string, Attempt]>([
    ['make a key', '/v1/openapi_account/new', { method: 'POST', body: { userId: 1 } }],
    ['list keys', '/v1/openapi_account/list?userId=1', {}],
    ['revoke a key', '/v1/openapi_account/delete', { method: 'POST', body: { id: 'x' } }],
    ['read limits', '/v1/openapi_account/limits?userId=1', {}],
    ['lift its limits', '/v1/openapi_account/limits', { method: 'POST', body: { userId: 2, limits: {} } }],
    ['read the audit log', '/v1/audit', {}],
  ])('can’t %s with a creator’s key', async (_what, path, attempt) => {
    const before = await state()
    for (const headers of [
      { 'X-Service-Apikey': attacker.key },
      { 'X-Service-Apikey': attacker.key, 'X-Admin-Token': attacker.key },
      { 'X-Admin-Token': '' },
      { 'X-Admin-Token': service.adminToken.slice(0, -1) },
      { 'X-Admin-Token': `${service.adminToken} ` + 'x' },
      { authorization: `Bearer ${service.adminToken}` },
    ]) {
      const answer = await ask(path, { ...attempt, headers })
      expect([answer.status, parsed(answer)['code']]).toEqual([401, 'forbidden'])
    }
    expect(await state()).toBe(before)
  })

  it('doesn’t take the administrator’s key as a creator’s', async () => {
    const answer = await as(service.adminToken, `${api}/listbyids?objectID=${victim.done}`)
    expect(answer.status).toBe(401)
  })

  it.each([
    '/v1/assets/../../cluster.db',
    '/v1/assets/..%2f..%2fcluster.db',
    '/v1/assets/%2e%2e/%2e%2e/cluster.db',
    '/v1/assets/..\\..\\cluster.db',
    '/v1/assets/%00',
    '/v1/results/../../../etc/passwd',
    '/v1/results/x/..%2f..%2f..%2fetc%2fpasswd',
    '/v1/assets/%c0%ae%c0%ae/',
    "/v1/assets/'%20OR%20'1'='1",
    '/v1/assets/%25',
  ])('finds nothing at %s', async (path) => {
    const answer = await attack(path)
    expect([400, 403, 404]).toContain(answer.status)
  })

  it('serves no file by its name in the storage', async () => {
    const [row] = await service.db.query(`SELECT blob FROM assets WHERE user_id = '1'`)
    const blob = String(row?.['blob'])
    for (const path of [`/v1/assets/${blob}`, `/v1/results/${attacker.done}/${blob}`, `/${blob}`])
      expect((await attack(path)).status).toBe(404)
  })

  it('stores a name as it is, and never uses it as a path', async () => {
    for (const name of ['..%2f..%2fevil', '%2fetc%2fpasswd', 'a%00b', `${'x'.repeat(300)}.mp4`, '%F0%9F%98%80']) {
      const answer = await attack(`/v1/assets/${name}`, { method: 'PUT', body: Buffer.from('x') })
      expect(answer.status).toBe(200)
    }
    for (const path of await service.files()) expect(path).toMatch(/[0-9a-f]{64}-[0-9a-f]{12}$/)
  })

  it.each([
    ['a huge header', `GET /v1/capabilities HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['many headers', `GET /v1/capabilities HTTP/1.1\r\nHost: 127.0.0.1\r\n${'X: 1\r\n'.repeat(20_000)}\r\n`],
    ['a huge path', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`],
    ['no Host', 'GET /v1/capabilities HTTP/1.1\r\n\r\n'],
    ['no HTTP', 'hello\r\n\r\n'],
    ['two lengths', 'POST /v1/uploads HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    [
      'a length beside chunks',
      'POST /v1/uploads HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('ends a connection with %s', async (_what, text) => {
    const answer = await new Promise<string>((resolve) => {
      let heard = ''
      const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1', () => socket.write(text))
      socket.on('data', (part: Buffer) => (heard += part.toString()))
      socket.on('error', () => resolve(heard))
      socket.on('close', () => resolve(heard))
    })
    expect(answer).toMatch(/^$|^HTTP\/1\.1 4(?:00|31)/)
    expect((await ask('/healthz')).status).toBe(200)
  })

  it('tells nothing of itself in errors', async () => {
    for (const body of [{ title: 'x', options: { likeness: 'DROP TABLE swaps' } }, { title: { $gt: '' } }, []]) {
      const answer = await attack(`${api}/create`, { method: 'POST', body })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
      expect(answer.body).not.toMatch(/SELECT|node_modules|\.ts|\/tmp\//)
    }
    expect(service.logged.filter((line) => line.includes('a request failed'))).toEqual([])
  })
})
