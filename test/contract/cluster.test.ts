/** @file What servers of a cluster do besides the interface: results, limits, uploads, TLS, monitoring, housekeeping. */
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { request } from 'node:https'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { newKeyResponseSchema } from '@shared/service/wire.ts'
import { ClusterServer } from '../../src/main/service/http/cluster-server.ts'
import { DatabaseUnavailable, type Database } from '../../src/main/service/cluster/database/database.ts'
import { openSqlite } from '../../src/main/service/cluster/database/sqlite.ts'
import { Housekeeping } from '../../src/main/service/cluster/housekeeping.ts'
import { makeAdminKey, SignedLinks } from '../../src/main/service/cluster/key-table.ts'
import { FolderStorage } from '../../src/main/service/cluster/storage/folder-storage.ts'
import { blobName } from '../../src/main/service/cluster/storage/blob-storage.ts'
import { SwapTable } from '../../src/main/service/cluster/swap-table.ts'
import { givenCertificate, ownCertificate } from '../../src/main/cli/server/tls.ts'
import { WorkQueue } from '../../src/main/service/cluster/work-queue.ts'
import type { ServiceClient } from '../../src/main/remote/client/service-client.ts'
import { close as closeServer, listen } from '../fixtures/listen.ts'
import { hasPostgres } from '../fixtures/postgres.ts'
import { endWaits, makeResult } from '../fixtures/cluster-database.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { sayTo } from './raw-request.ts'
import { clusterService, until, type ClusterUnderTest } from './service-under-test.ts'

const hour = 3_600_000
const kinds: readonly Database['kind'][] = hasPostgres ? ['sqlite', 'postgres'] : ['sqlite']
const list = '/v1/faceswap-openapi/listbyids'

it('makes the administrator’s key with the first start that can show it', async () => {
  const dir = tempDir()
  const db = openSqlite(join(dir, 'server.db'))
  const storage = new FolderStorage(join(dir, 'files'))
  await storage.check()
  const taken = createServer()
  const port = await listen(taken)
  const make = (port: number): ClusterServer =>
    new ClusterServer({ ...{ db, storage, dir, port, tls: null, address: '127.0.0.1' }, log: () => undefined })
  await expect(make(port).start()).rejects.toMatchObject({ code: 'EADDRINUSE' })
  const server = make(0)
  expect((await server.start()).adminKey).toMatch(/^admin-mien-/)
  await server.dispose()
  await closeServer(taken)
  await db.close()
})

describe.each(kinds)('a server on %s', (kind) => {
  let service: ClusterUnderTest
  let client: ServiceClient
  let key: string

  beforeEach(async () => {
    service = await clusterService(kind, { workers: 0, wrongKeysPerMinute: 10 })
    key = (await service.client(null).newKey(1n)).shown
    client = service.client(key)
  })
  afterEach(() => service.close())

  interface Init {
    method?: string
    body?: BodyInit
    headers?: Record<string, string>
  }
  const call = (path: string, init: Init = {}, at = service.baseUrl): Promise<Response> =>
    fetch(at + path, { ...init, headers: { 'X-Service-Apikey': key, ...init.headers } })
  const admin = (path: string, body?: unknown, at = service.baseUrl): Promise<Response> =>
    fetch(at + path, {
      headers: { 'X-Admin-Token': service.adminToken, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
  const upload = async (content: string): Promise<string> =>
    client.uploadAsset(await service.file('a.mp4', content), 'a.mp4')
  const create = async (by = client): Promise<string> => {
    const imageUrl = 'https://example.com/face.jpg'
    const outcome = await by.create({
      ...{ title: 'A swap', imageUrl, videoUrl: 'https://example.com/clip.mp4', durationMs: null },
      idempotencyKey: randomUUID(),
    })
    if (outcome.kind !== 'created') throw new Error(JSON.stringify(outcome))
    return outcome.objectId
  }
  /** What a worker does, with this content under the name of another, or without the file. */
  const complete = async (content: string, stored: string | null): Promise<void> => {
    const queue = new WorkQueue(service.db)
    const lease = await queue.claim({ id: 'w', engine: 'e', host: 'h' })
    if (!lease) throw new Error('nothing to do')
    const blob = blobName(createHash('sha256').update(content).digest('hex'))
    if (stored !== null) {
      await service.storage.put(blob, await service.file('stored', content))
      // The storage refuses another content, so this one comes later.
      writeFileSync(service.storedFile(blob), stored)
    }
    await queue.complete(lease, makeResult(), [{ name: 'result/output.mp4', blob, size: content.length }])
  }
  const statusOf = async (id: string) => (await client.fetchTasks([id])).get(id)
  /** A swap that a worker has finished. */
  const finished = async (): Promise<{ id: string; url: string }> => {
    const id = await create()
    await complete('a film', 'a film')
    const task = await until(
      () => statusOf(id),
      (found) => found?.status === 'succeeded',
    )
    return { id, url: task?.resultUrl ?? '' }
  }
  const age = (table: string, column: string, ms: number) =>
    service.db.query(`UPDATE ${table} SET ${column} = ${column} - $1`, [ms])
  const housekeeping = (retentionMs = 30 * 86_400_000): Housekeeping => {
    const { db, storage } = service
    const deps = { db, storage, log: (message: string) => void service.logged.push(message) }
    return new Housekeeping({ ...deps, retentionMs, swaps: new SwapTable(deps) })
  }

  // SQLite's worker is in the same process, so its results aren't checked.
  const itShared = kind === 'postgres' ? it : () => undefined

  itShared('shows a result only when its content was checked', async () => {
    const id = await create()
    await complete('a film', 'a film')
    const first = await call(`${list}?objectID=${id}`)
    expect(await first.text()).toContain('"processing"')
    const done = await until(
      () => statusOf(id),
      (task) => task?.status === 'succeeded',
    )
    const path = await service.file('out.mp4', '')
    await client.download(done?.resultUrl ?? '', path)
    expect(readFileSync(path, 'utf8')).toBe('a film')
  })

  itShared('makes a swap again whose worker stored a wrong file or none, and fails it at the fifth time', async () => {
    for (const stored of ['another', null]) {
      const id = await create()
      for (let times = 1; times <= 5; times += 1) {
        await complete('a film', stored)
        await until(
          async () => (await call(`${list}?objectID=${id}`)).text(),
          (text) => !text.includes('"processing"'),
        )
        expect((await call(`/v1/results/${id}/video.mp4`)).status).toBe(404)
        await endWaits(service.db)
      }
      expect(await statusOf(id)).toMatchObject({ status: 'failed', error: { code: 'result-unreadable' } })
      expect(service.logged.filter((line) => line.includes(id))).toHaveLength(5)
      expect((await service.files()).filter((name) => name.includes('uploads'))).toEqual([])
      expect(await service.filesOf(id)).toEqual([])
      service.logged.length = 0
    }
  })

  it.each<[string, object, object]>([
    ['swaps', { swapsPerDay: 2 }, { quota: 'swaps', limit: 2, used: 2 }],
    ['swaps, none at all', { swapsPerDay: 0 }, { quota: 'swaps', limit: 0, used: 0, seconds: null }],
    ['minutes', { minutesPerDay: 3 }, { quota: 'minutes', limit: 3, used: 4 }],
    ['bytes', { bytes: 10 }, { quota: 'bytes', limit: 10, used: 11, seconds: null }],
  ])('limits %s of a creator, and of no other', async (_what, limits, details) => {
    const other = service.client((await service.client(null).newKey(2n)).shown)
    const set = await admin('/v1/openapi_account/limits', { userId: 1, limits })
    expect(set.status).toBe(200)
    expect(await (await admin('/v1/openapi_account/limits?userId=1')).json()).toMatchObject({ userId: 1, limits })
    const isNone = 'swapsPerDay' in limits && limits.swapsPerDay === 0
    for (let n = 0; n < 2 && !isNone; n += 1) await create()
    await service.db.query('UPDATE swaps SET footage = $1', [
      JSON.stringify({ width: 1, height: 1, durationMs: 120_000, frames: 1, hasCover: false }),
    ])
    if ('bytes' in limits) {
      await upload('0123456789')
      await expect(upload('x')).rejects.toMatchObject({ code: 'quota-reached', details })
    }
    const body = { title: 'x', imageUrl: 'https://e.com/a', videoUrl: 'https://e.com/b' }
    const refused = await call('/v1/faceswap-openapi/create', {
      ...{ method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
    })
    expect(refused.status).toBe(429)
    const problem = (await refused.json()) as { details: { seconds: number | null } }
    expect(problem).toMatchObject({ code: 'quota-reached', details })
    const { seconds } = problem.details
    expect(refused.headers.get('retry-after')).toBe(seconds === null ? null : String(seconds))
    if (seconds !== null) expect(seconds).toBeGreaterThan(86_000)
    await create(other)
    // A day later, or once files are gone.
    await age('swaps', 'created_at', 86_400_001)
    if ('bytes' in limits) await service.db.query('DELETE FROM assets')
    if (!isNone) await create()
  })

  it('lets no more swaps pass than the limit if they come together', async () => {
    await admin('/v1/openapi_account/limits', { userId: 1, limits: { swapsPerDay: 3 } })
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => create()))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  it('takes each chunk of an upload once, though two servers get it together', async () => {
    const second = (await service.another()).baseUrl
    const content = Buffer.alloc(500_000, 'content ')
    const begun = await call('/v1/uploads', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ name: 'clip.mp4', size: content.length }),
    })
    const { id } = (await begun.json()) as { id: string }
    const patch = (start: number, end: number, at: string): Promise<Response> =>
      call(
        `/v1/uploads/${id}`,
        { method: 'PATCH', body: content.subarray(start, end), headers: { 'upload-offset': String(start) } },
        at,
      )
    const together = await Promise.all([patch(0, 300_000, second), patch(0, 300_000, service.baseUrl)])
    expect(together.map(({ status }) => status).sort()).toEqual([204, 409])
    const wrong = await patch(0, 300_000, second)
    expect([wrong.status, wrong.headers.get('upload-offset')]).toEqual([409, '300000'])
    const last = await patch(300_000, 500_000, second)
    expect([last.status, await last.json()]).toEqual([200, { id, url: `${second}/v1/assets/${id}`, size: 500_000 }])
    const got = await call(`/v1/assets/${id}`)
    expect(Buffer.from(await got.arrayBuffer()).equals(content)).toBe(true)
    expect(await service.files()).toHaveLength(1)
  })

  it('refuses chunks that are too long, or more than was announced', async () => {
    const begin = async (size: number): Promise<string> => {
      const headers = { 'content-type': 'application/json' }
      const answer = await call('/v1/uploads', { method: 'POST', headers, body: JSON.stringify({ name: 'a', size }) })
      return ((await answer.json()) as { id: string }).id
    }
    for (const [size, bytes] of [
      [10, 11],
      [40_000_000, 17_000_000],
    ] as const) {
      const id = await begin(size)
      const sent = await call(`/v1/uploads/${id}`, {
        ...{ method: 'PATCH', body: Buffer.alloc(bytes), headers: { 'upload-offset': '0' } },
      }).catch(() => null)
      // The connection may end before the answer is read.
      if (sent) expect(sent.status).toBe(413)
      expect((await call(`/v1/uploads/${id}`)).headers.get('upload-offset')).toBe('0')
    }
    await until(service.files, (names) => names.length === 0)
  })

  it('removes what is old, and nothing else', async () => {
    const unused = await upload('unused')
    const used = await upload('used')
    const made = await client.create({
      ...{ title: 'x', imageUrl: used, videoUrl: used, durationMs: null, idempotencyKey: randomUUID() },
    })
    if (made.kind !== 'created') throw new Error(made.kind)
    const cancelled = await create()
    await client.cancel(cancelled)
    await service.storage.put(
      blobName(createHash('sha256').update('stray').digest('hex')),
      await service.file('stray', 'stray'),
    )
    const keeper = housekeeping()
    await keeper.run()
    await keeper.removeUnusedUploads()
    await keeper.removeStrayBlobs()
    expect(await service.files()).toHaveLength(3)
    await age('assets', 'created_at', 86_400_001)
    await age('swaps', 'ended_at', 10 * 60_000 + 1)
    vi.spyOn(service.storage, 'list').mockImplementation(async function* () {
      for (const path of await service.files()) yield { name: path.split('/').at(-1) ?? '', storedAt: 0 }
    })
    await keeper.run()
    await keeper.removeUnusedUploads()
    await keeper.removeStrayBlobs()
    await keeper.dispose()
    expect(await service.files()).toHaveLength(1)
    expect((await call(new URL(unused).pathname)).status).toBe(404)
    expect((await call(new URL(used).pathname)).status).toBe(200)
    expect(await service.db.query('SELECT object_id FROM swaps WHERE deleted_at IS NOT NULL')).toEqual([
      { object_id: cancelled },
    ])
    // Retention.
    await client.cancel(made.objectId)
    await service.db.query(`UPDATE swaps SET status = 'failed' WHERE object_id = $1`, [made.objectId])
    await age('swaps', 'ended_at', 2 * 86_400_000)
    await housekeeping(3 * 86_400_000).run()
    expect(await service.files()).toHaveLength(1)
    await housekeeping(86_400_000).run()
    expect(await service.files()).toEqual([])
  })

  it('forgets deleted swaps after the retention, but at least a month, and entries of the log after a year', async () => {
    const day = 86_400_000
    const [deleted, kept] = [await create(), await create()]
    await client.delete(deleted)
    const entries = async () => Number((await service.db.query('SELECT count(*) AS n FROM audit'))[0]?.['n'])
    const ids = async () => (await service.db.query('SELECT object_id FROM swaps')).map((row) => row['object_id'])
    const before = await entries()
    await age('swaps', 'deleted_at', 29 * day)
    await age('audit', 'at', 364 * day)
    const keeper = housekeeping(day)
    await keeper.removeOldRows()
    expect(await ids()).toEqual(expect.arrayContaining([deleted, kept]))
    expect(await entries()).toBe(before)
    await age('swaps', 'deleted_at', 2 * day)
    await housekeeping(60 * day).removeOldRows()
    expect(await ids()).toHaveLength(2)
    await keeper.removeOldRows()
    expect(await ids()).toEqual([kept])
    await age('audit', 'at', 2 * day)
    await keeper.removeOldRows()
    expect(await entries()).toBe(0)
  })

  it('writes down who did what, page by page', async () => {
    const id = await create()
    await client.delete(id)
    const [made] = await service.client(null).listKeys(1n)
    await service.client(null).deleteKey({ id: made?.id ?? '' })
    await admin('/v1/openapi_account/limits', { userId: 1, limits: { swapsPerDay: 1 } })
    await fetch(`${service.baseUrl}/v1/audit`, { headers: { 'X-Admin-Token': 'guessed' } })
    const page = async (after: number) =>
      ((await (await admin(`/v1/audit?after=${String(after)}`)).json()) as { list: { seq: number; at: string }[] }).list
    const entries = await page(0)
    const [, subject] = ['admin', made?.id]
    expect(entries).toMatchObject([
      { actor: 'server', action: 'admin-key-made', subject: 'admin' },
      { actor: 'admin', action: 'key-made', subject },
      { actor: subject, action: 'swap-deleted', subject: id },
      { actor: 'admin', action: 'key-revoked', subject },
      { actor: 'admin', action: 'limits-changed', subject: '1' },
      { actor: '127.0.0.1', action: 'admin-refused', subject: 'admin' },
    ])
    expect(await page(entries[3]?.seq ?? 0)).toEqual(entries.slice(4))
    expect((await call('/v1/audit')).status).toBe(401)
  })

  it('revokes a key on all servers at once, and replaces the administrator’s key', async () => {
    const second = (await service.another()).baseUrl
    expect((await call(`${list}?objectID=x`, {}, second)).status).toBe(200)
    await service.client(null).deleteKey({ sk: key })
    for (const at of [service.baseUrl, second]) expect((await call(`${list}?objectID=x`, {}, at)).status).toBe(401)
    const next = await makeAdminKey(service.db, { renew: true })
    expect((await admin('/v1/openapi_account/list?userId=1', undefined, second)).status).toBe(401)
    Object.assign(service, { adminToken: next })
    expect((await admin('/v1/openapi_account/list?userId=1', undefined, second)).status).toBe(200)
    const rows = JSON.stringify([
      await service.db.query('SELECT * FROM access_keys'),
      await service.db.query('SELECT * FROM facts'),
    ])
    for (const secret of [key, next]) expect(rows).not.toContain(secret)
  })

  it('looks no more wrong keys up after ten in a minute, and still takes keys that were right', async () => {
    const wrong = () => fetch(`${service.baseUrl}${list}?objectID=x`, { headers: { 'X-Service-Apikey': randomUUID() } })
    expect((await call(`${list}?objectID=x`)).status).toBe(200)
    for (let n = 0; n < 10; n += 1) expect((await wrong()).status).toBe(401)
    const refused = await wrong()
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await call(`${list}?objectID=x`)).status).toBe(200)
    expect((await fetch(`${service.baseUrl}/v1/audit`, { headers: { 'X-Admin-Token': 'guess' } })).status).toBe(429)
    await service.client(null).deleteKey({ sk: key })
    expect((await call(`${list}?objectID=x`)).status).toBe(401)
    expect((await call(`${list}?objectID=x`)).status).toBe(429)
  })

  it.each([
    ['/v1/audit', 401, 429],
    ['/metrics', 401, 429],
    // Whoever asks whether it is ready still has to get an answer.
    ['/readyz', 200, 200],
  ])('looks no more wrong administrator’s keys up at %s after ten in a minute', async (path, wrong, refused) => {
    const far = { 'x-forwarded-for': '203.0.113.1' }
    const ask = (token: string) => fetch(service.baseUrl + path, { headers: { ...far, 'X-Admin-Token': token } })
    expect((await ask(service.adminToken)).status).toBe(200)
    for (let n = 0; n < 10; n += 1) expect((await ask(`guess-${String(n)}`)).status).toBe(wrong)
    for (let n = 0; n < 5; n += 1) expect((await ask(`more-${String(n)}`)).status).toBe(refused)
    const [row] = await service.db.query(`SELECT count(*) AS n FROM audit WHERE action = 'admin-refused'`)
    expect(Number(row?.['n'])).toBe(10)
    // The right one passes all the same.
    expect((await ask(service.adminToken)).status).toBe(200)
  })

  it('tells how it is: alive, ready, and in figures', async () => {
    await create()
    await call(`${list}?objectID=x`)
    expect((await fetch(`${service.baseUrl}/healthz`)).status).toBe(200)
    expect(await (await fetch(`${service.baseUrl}/readyz`)).json()).toEqual({ ok: true, database: true, storage: true })
    const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text()
    expect(metrics).toContain('mien_swaps{status="queued"} 1\n')
    expect(metrics).toContain(`mien_requests_total{method="GET",route="${list}",status="200"} 1\n`)
    // Passed on by a proxy, these aren't for everybody.
    const far = { 'x-forwarded-for': '203.0.113.1' }
    expect((await fetch(`${service.baseUrl}/metrics`, { headers: far })).status).toBe(401)
    const trusted = { ...far, 'X-Admin-Token': service.adminToken }
    expect((await fetch(`${service.baseUrl}/metrics`, { headers: trusted })).status).toBe(200)
    expect(await (await fetch(`${service.baseUrl}/readyz`, { headers: far })).json()).toEqual({ ok: true })
  })

  it('is not ready without its storage, and says that it can be tried again', async () => {
    for (const method of ['take', 'check'] as const)
      vi.spyOn(service.storage, method).mockRejectedValue(new MienError('storage-unreachable'))
    const path = await service.file('a.jpg', 'x')
    await expect(client.uploadAsset(path, 'a.jpg')).rejects.toMatchObject({ code: 'service-trouble' })
    const ready = await fetch(`${service.baseUrl}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toEqual({ ok: false, database: true, storage: false })
  })

  it('says 503 while its database is away', async () => {
    const away = vi.spyOn(service.db, 'query').mockRejectedValue(new DatabaseUnavailable('gone'))
    const answer = await call(`${list}?objectID=x`)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await answer.text()).not.toContain('gone')
    const ready = await fetch(`${service.baseUrl}/readyz`)
    expect(await ready.json()).toEqual({ ok: false, database: false, storage: true })
    expect((await fetch(`${service.baseUrl}/healthz`)).status).toBe(200)
    away.mockRestore()
    expect((await call(`${list}?objectID=x`)).status).toBe(200)
  })

  it('serves signed addresses without a key, until the key is revoked', async () => {
    const { url } = await finished()
    expect(await (await fetch(url)).text()).toBe('a film')
    expect((await fetch(url, { headers: { range: 'bytes=2-' } })).status).toBe(206)
    await service.client(null).deleteKey({ sk: key })
    expect((await fetch(url)).status).toBe(403)
  })

  it('lets signed addresses expire by the database’s clock, also after its computer slept', async () => {
    const { id, url } = await finished()
    const { pathname, searchParams } = new URL(url)
    const keyId = searchParams.get('for') ?? ''
    const old = (await SignedLinks.open(service.db)).sign(pathname, keyId, Date.now() - 3 * hour)
    const ticks = performance.now.bind(performance)
    const asleep = vi.spyOn(performance, 'now').mockImplementation(() => ticks() - 3 * hour)
    const [, expires] = /until=(\d+)/.exec(await (await call(`${list}?objectID=${id}`)).text()) ?? []
    const refused = await fetch(service.baseUrl + old)
    asleep.mockRestore()
    expect(Number(expires)).toBeGreaterThan(Date.now() + hour)
    expect(refused.status).toBe(403)
  })
})

describe('TLS', () => {
  it('serves with a self-made certificate, which stays the same, and ends silent and plain connections', async () => {
    const dir = tempDir()
    const tls = await ownCertificate(dir, ['127.0.0.1', 'mien.local'])
    expect(tls.fingerprint).toMatch(/^sha256\/[A-Za-z0-9+/]{43}=$/)
    expect(await ownCertificate(dir, ['other'])).toEqual(tls)
    expect(statSync(join(dir, 'certificate.pem')).mode & 0o777).toBe(0o600)
    const service = await clusterService('sqlite', { tls, names: ['mien.local'], headersMs: 1000 })
    try {
      expect(service.baseUrl).toMatch(/^https:/)
      expect(await sayTo(service.baseUrl, '/v1/capabilities')).toMatchObject({ status: 200, protocol: 'TLSv1.3' })
      const port = Number(new URL(service.baseUrl).port)
      const closed = new Promise((resolve) => connect(port, '127.0.0.1').on('error', resolve).on('close', resolve))
      // It says nothing, so its handshake times out.
      await closed
    } finally {
      await service.close()
    }
  })

  it('keeps a transfer with a key while others open connections without one', async () => {
    const service = await clusterService('sqlite', { tls: await ownCertificate(tempDir(), []), workers: 0 })
    const sockets: Socket[] = []
    try {
      const asAdmin = { 'X-Admin-Token': service.adminToken, 'content-type': 'application/json' }
      const made = { method: 'POST', headers: asAdmin, body: '{"userId":1}' }
      const { body } = await sayTo(service.baseUrl, '/v1/openapi_account/new', made)
      const { sk } = newKeyResponseSchema.parse(JSON.parse(body))
      const headers = { 'X-Service-Apikey': sk, 'content-length': '20' }
      const options = { method: 'PUT', headers, rejectUnauthorized: false, agent: false }
      const upload = request(`${service.baseUrl}/v1/assets/a.bin`, options)
      const answered = new Promise<number>((resolve, reject) => {
        upload.on('error', reject).on('response', (answer) => {
          answer.resume()
          resolve(answer.statusCode ?? 0)
        })
      })
      upload.write('0123456789')
      await until(service.files, (names) => names.length === 1)
      let closed = 0
      for (let count = 0; count < 100; count += 1) {
        const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
        sockets.push(socket.on('error', () => undefined).on('close', () => (closed += 1)))
      }
      await until(
        () => Promise.resolve(closed),
        (count) => count >= 36,
      )
      upload.end('0123456789')
      expect(await answered).toBe(200)
    } finally {
      for (const socket of sockets) socket.destroy()
      await service.close()
    }
  })

  it('uses a given certificate, and names what is wrong with one', async () => {
    const [dir, other] = [tempDir(), tempDir()]
    const [mine, theirs] = [await ownCertificate(dir, []), await ownCertificate(other, [])]
    const write = (name: string, text: string): string => {
      writeFileSync(join(dir, name), text)
      return join(dir, name)
    }
    const [cert, key, wrong] = [write('c', mine.cert), write('k', mine.key), write('w', theirs.key)]
    expect(await givenCertificate(cert, key)).toEqual(mine)
    const bad = (reason: string) => ({ code: 'bad-certificate', details: { reason } })
    await expect(givenCertificate(cert, wrong)).rejects.toMatchObject(bad('other-key'))
    await expect(givenCertificate(key, key)).rejects.toMatchObject(bad('unreadable'))
    await expect(givenCertificate(join(dir, 'none'), key)).rejects.toMatchObject(bad('unreadable'))
    await expect(givenCertificate(cert, key, Date.parse('+010000-01-01'))).rejects.toMatchObject(bad('expired'))
  })
})
