/** @file The services against resources/openapi.yaml, by Prism, which stands between as a proxy and compares. */
import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeService, json, routes } from '../fixtures/fake-service.ts'
import { freePort } from '../fixtures/listen.ts'
import { clusterService, embeddedService, until, type ServiceUnderTest } from './service-under-test.ts'

const root = join(import.meta.dirname, '../..')
const prism = join(root, 'node_modules/@stoplight/prism-cli/dist/index.js')
const children: ChildProcess[] = []
let service: ServiceUnderTest
let proxy: string
let sk: string

/** Prism in front of an address; returns its own. */
async function before(upstream: string): Promise<string> {
  const port = String(await freePort())
  const args = [prism, 'proxy', join(root, 'resources/openapi.yaml'), upstream, '--port', port, '--no-cors']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let said = ''
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += chunk.toString()
      if (said.includes('is listening')) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', () => reject(new Error(`Prism ended: ${said}`)))
  })
  return `http://127.0.0.1:${port}`
}

interface Seen {
  status: number
  /** What differs from the description, by where: request or response. */
  request: string[]
  response: string[]
  text: string
}

async function call(
  method: string,
  path: string,
  options: { json?: unknown; text?: string; headers?: Record<string, string>; to?: string } = {},
) {
  const answer = await fetch((options.to ?? proxy) + path, {
    method,
    headers: {
      accept: '*/*',
      ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.json === undefined ? { body: options.text ?? null } : { body: JSON.stringify(options.json) }),
  })
  const found: unknown = JSON.parse(answer.headers.get('sl-violations') ?? '[]')
  // Prism's own header.
  const violations = found as { location: string[]; message: string }[]
  const at = (where: string) =>
    violations
      .filter(({ location }) => location[0] === where)
      .map(({ location, message }) => `${location.join('.')}: ${message}`)
  return {
    status: answer.status,
    request: at('request'),
    response: at('response'),
    text: await answer.text(),
  } satisfies Seen
}
const keyed = (): { headers: Record<string, string> } => ({ headers: { 'X-Service-Apikey': sk } })
const admin = (): { headers: Record<string, string> } => ({ headers: { 'X-Admin-Token': service.adminToken } })
const good = { request: [], response: [] }

const list = '/v1/faceswap-opanpai/listbyids'
const create = '/v1/faceswap-openapi/create'

beforeAll(async () => {
  service = await embeddedService()
  proxy = await before(service.baseUrl)
  sk = (await service.client(null).newKey(1n)).shown
})
afterAll(async () => {
  for (const child of children) child.kill()
  await service.close()
})

const extras = {
  cast: [{ clips: [{ id: 0, fromMs: 0, toMs: 800, places: [[0, 160, 90, 40]] }] }],
  stay: [{ id: 1, fromMs: 0, toMs: 800, places: [[0, 40, 90, 40]] }],
  range: { parts: [{ fromMs: 0, toMs: 400 }], rest: 'keep' },
}

/** A request and its answer are as described, and it is answered with 200. @returns the answer's text */
async function works(...args: Parameters<typeof call>): Promise<string> {
  const seen = await call(...args)
  expect(seen).toMatchObject({ status: 200, ...good })
  return seen.text
}

/** A swap of two uploads, made past the proxy; `video` tells the test's engine what to do. */
async function swap(video: string): Promise<string> {
  const client = service.client(sk)
  const imageUrl = await client.uploadAsset(await service.file('face.jpg', 'a face'), 'face.jpg')
  const videoUrl = await client.uploadAsset(await service.file('clip.mp4', video), 'clip.mp4')
  const cast = extras.cast.map((each) => ({ ...each, imageUrls: [imageUrl] }))
  const json = { title: 'Summer', imageUrl, videoUrl, duration: 6000, ...extras, cast }
  // Our own service's answer, just checked.
  return (JSON.parse(await works('POST', create, { json, ...keyed() })) as { objectID: string }).objectID
}
const look = (id: string, path = list) => call('GET', `${path}?objectID=${id},unknown`, keyed())

it('does what is described: a swap in the middle, done, cancelled, deleted, and keys', async () => {
  await works('GET', '/v1/capabilities')
  const held = await swap('HOLD here')
  const midway = await until(
    () => look(held),
    ({ text }) => text.includes('"beforeUrl"'),
  )
  expect(midway).toMatchObject({ status: 200, ...good })
  const waits = await swap('HOLD second')
  expect(await look(waits)).toMatchObject({ status: 200, ...good })
  const order = { json: { objectIDs: [held, waits] }, ...keyed() }
  await works('POST', '/v1/faceswap-openapi/order', order)
  await works('POST', '/v1/faceswap-openapi/cancel', { json: { objectID: waits }, ...keyed() })
  service.engine.release()
  const done = await until(
    () => look(held, '/v1/faceswap_openapi/listbyids'),
    ({ text }) => text.includes('"completed"'),
  )
  expect(done).toMatchObject({ status: 200, ...good })
  expect(await look(waits)).toMatchObject({ status: 200, ...good })
  await works('POST', '/v1/faceswap-openapi/delete', { json: { objectID: held }, ...keyed() })
  expect(await look(held, '/v1/faceswap-openapi/listbyids')).toMatchObject({ status: 200, ...good })
  await works('POST', '/v1/openapi_account/new', { json: { userId: 7 }, ...admin() })
  const keys = await works('GET', '/v1/openapi_account/list?userId=7', admin())
  // Checked just now.
  const [first] = (JSON.parse(keys) as { list: { id: string }[] }).list
  await works('POST', '/v1/openapi_account/delete', { json: { id: first?.id }, ...admin() })
})

it.each<[string, string, string, Parameters<typeof call>[2], number]>([
  ['a request without a key', 'GET', `${list}?objectID=a`, {}, 401],
  ['a wrong key', 'GET', `${list}?objectID=a`, { headers: { 'X-Service-Apikey': 'sk-of-nobody' } }, 401],
  ['no admin token', 'GET', '/v1/openapi_account/list?userId=1', { headers: { 'X-Admin-Token': 'x' } }, 401],
])('refuses %s as described', async (_, method, path, options, status) => {
  expect(await call(method, path, options)).toMatchObject({ status, response: [] })
})

it('refuses what is not as described, with a described refusal', async () => {
  const wrong = [{ cast: [{ imageUrls: [], clips: [] }] }, { range: { parts: [], rest: 'drop' } }]
  for (const json of [
    {},
    { title: 5 },
    { title: '' },
    ...[{ duration: -1 }, ...wrong].map((each) => ({ title: 'x', ...each })),
  ]) {
    const seen = await call('POST', create, { json, ...keyed() })
    expect(seen.status).toBeGreaterThanOrEqual(400)
    expect(seen.request).not.toEqual([])
    expect(seen.response).toEqual([])
  }
  expect(
    await call('POST', create, { json: { title: 'x', imageUrl: 'javascript:1', videoUrl: 'data:,' }, ...keyed() }),
  ).toMatchObject({ status: 422, ...good })
  expect(await call('POST', '/v1/faceswap-openapi/cancel', { json: { objectID: 'none' }, ...keyed() })).toMatchObject({
    status: 404,
    ...good,
  })
})

it('describes what servers add', async () => {
  const server = await clusterService('sqlite', { workers: 0 })
  const to = await before(server.baseUrl)
  const own = { headers: { 'X-Service-Apikey': (await server.client(null).newKey(1n)).shown }, to }
  const asAdmin = { headers: { 'X-Admin-Token': server.adminToken }, to }
  const limits = { json: { userId: 1, limits: { swapsPerDay: 1 } }, ...asAdmin }
  await works('POST', '/v1/openapi_account/limits', limits)
  await works('GET', '/v1/openapi_account/limits?userId=1', asAdmin)
  await works('GET', '/v1/audit?after=0', asAdmin)
  const begun = await works('POST', '/v1/uploads', { json: { name: 'a.mp4', size: 10 }, ...own })
  // Checked just now.
  const { id } = JSON.parse(begun) as { id: string }
  for (const [start, status] of [
    [0, 204],
    [0, 409],
    [5, 200],
  ] as const) {
    const headers = { ...own.headers, 'content-type': 'application/octet-stream', 'upload-offset': String(start) }
    const sent = await call('PATCH', `/v1/uploads/${id}`, { to, headers, text: '12345' })
    expect(sent).toMatchObject({ status, ...good })
    await works('GET', `/v1/uploads/${id}`, own)
  }
  const json = { title: 'x', imageUrl: 'https://e.com/a', videoUrl: 'https://e.com/b' }
  await works('POST', create, { json, ...own })
  expect(await call('POST', create, { json, ...own })).toMatchObject({ status: 429, ...good })
  for (const path of ['/v1/capabilities', '/healthz', '/readyz', '/metrics']) await works('GET', path, { to })
  await server.close()
})

it('finds a service that differs', async () => {
  const other = await new FakeService().start()
  other.replies.set(routes.list, json({ list: [{ objectId: 5, status: 'resting' }] }))
  const to = await before(other.baseUrl)
  const seen = await call('GET', `${list}?objectID=a`, { ...keyed(), to })
  expect(seen.response.join('\n')).toMatch(/objectId|required/)
  await other.stop()
})
