/** @file The ways in which services go wrong, as things that a service does instead of its good answer. */
import { gzipSync } from 'node:zlib'
import { points, send, type Good, type Play, type Point, type Scene } from './faulty-service.ts'

export interface Fault {
  name: string
  points: readonly Point[]
  play: Play
  times?: number
  /** A clear no: a create that meets it made nothing. */
  refuses?: boolean
  /**
   * The service's answer means something that a swap may rightly end by: a refusal of the request, or a `capabilities`
   * that says it has none. Then the swap may fail, with its reason, where nothing was created.
   */
  mayFail?: readonly Point[]
  /** The case needs a new key to go on. */
  newKey?: boolean
  /** Only after half a minute or more. */
  slow?: boolean
}

const json: readonly Point[] = ['capabilities', 'upload', 'create', 'watch', 'relist']
/** Answers that say nothing may mean that a service has no capabilities, or didn't take a file. */
const unread: readonly Point[] = ['capabilities', 'upload']
const list: readonly Point[] = ['watch', 'relist']
const files: readonly Point[] = ['result', 'cover']

const raw =
  (text: string): Play =>
  ({ request }) => {
    request.socket.end(text)
  }
const body =
  (text: string | Buffer, type = 'application/json', status = 200, headers: Record<string, string> = {}): Play =>
  ({ response }) => {
    send(response, { status, headers: { 'content-type': type, ...headers }, body: Buffer.from(text) })
  }
const status = (code: number, headers: Record<string, string> = {}, text = '{"message":"no"}') =>
  body(text, 'application/json', code, headers)

/** The good answer with its JSON changed. */
const changed =
  (change: (value: Record<string, unknown>, scene: Scene) => unknown): Play =>
  (scene) => {
    // The service's own JSON object.
    const value = JSON.parse(scene.good.body.toString('utf8')) as Record<string, unknown>
    const good: Good = { ...scene.good, body: Buffer.from(JSON.stringify(change(value, scene))) }
    send(scene.response, good)
  }
const items = (value: Record<string, unknown>): Record<string, unknown>[] =>
  Array.isArray(value['list']) ? (value['list'] as Record<string, unknown>[]) : [] // the service's own list

/** The good list, with each of its items changed but for its id. */
const eachItem = (change: (item: Record<string, unknown>, scene: Scene) => object): Play =>
  changed((value, scene) => ({
    list: items(value).map((item) => ({ ...change(item, scene), objectId: item['objectId'] })),
  }))

const partly =
  (share: number): Play =>
  ({ request, response, good }) => {
    response.writeHead(good.status, { 'content-length': String(good.body.byteLength), ...good.headers })
    response.write(good.body.subarray(0, Math.floor(good.body.byteLength * share)))
    setTimeout(() => request.socket.destroy(), 40)
  }

/** A body that takes `steps` × 60 ms. */
const drip =
  (steps: number): Play =>
  ({ response, good }) => {
    response.writeHead(good.status, { 'content-length': String(good.body.byteLength), ...good.headers })
    const size = Math.ceil(good.body.byteLength / steps)
    let at = 0
    const timer = setInterval(() => {
      response.write(good.body.subarray(at, at + size))
      at += size
      if (at < good.body.byteLength && !response.destroyed) return
      clearInterval(timer)
      response.end()
    }, 60)
  }

const redirect =
  (code: number, to: (scene: Scene) => string): Play =>
  (scene) => {
    scene.response.writeHead(code, { location: to(scene), 'content-length': '0' }).end()
  }
const toItself = ({ request }: Scene): string => request.url ?? '/'
const elsewhere = ({ other, request }: Scene): string => `${other}${request.url ?? ''}`

/** The other host's own copy is not the service's answer; a film from there is one, as results lie in clouds. */
const refusing = (name: string, play: Play, more: Partial<Fault> = {}): Fault => ({
  name,
  points,
  play,
  refuses: true,
  mayFail: ['capabilities', 'upload', 'create'],
  ...more,
})

const bomb = gzipSync(Buffer.alloc(60_000_000, ' '))
const page = '<!doctype html><html><title>Sign in</title><body>Welcome</body></html>'
const inTwoHours = (): string => new Date(Date.now() + 7_200_000).toUTCString()

/** Faults of the wire and of the answer. Each plays `times` times (once unless said), then the service behaves. */
export const faults: readonly Fault[] = [
  { name: 'reset-before-headers', points, times: 2, play: ({ request }) => request.socket.destroy() },
  {
    name: 'reset-rst',
    points,
    play: ({ request }) => {
      request.socket.resetAndDestroy()
    },
  },
  {
    name: 'reset-after-headers',
    points,
    times: 2,
    play: ({ request, response, good }) => {
      response.writeHead(good.status, { 'content-length': String(good.body.byteLength), ...good.headers })
      response.flushHeaders()
      setTimeout(() => request.socket.destroy(), 40)
    },
  },
  { name: 'reset-in-body', points, times: 2, play: partly(0.5) },
  { name: 'reset-at-last-byte', points, play: partly(0.999) },
  { name: 'closed-politely', points, play: raw('') },
  { name: 'half-a-status-line', points, play: raw('HTTP/1.1 2') },
  { name: 'garbage-protocol', points, play: raw('220 mail.example ESMTP ready\r\n') },
  {
    name: 'broken-headers',
    points,
    play: raw('HTTP/1.1 200 OK\r\ncontent-length: banana\r\n\r\n{}'),
    mayFail: ['capabilities'],
  },
  { name: 'broken-chunks', points, play: raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n{}') },
  { name: 'slow-drip', points, play: drip(25) },
  { name: 'endless-drip', points: json, slow: true, play: drip(1200) },
  { name: 'silence', points, slow: true, play: () => undefined },
  {
    name: 'continue-then-nothing',
    points: ['create', 'watch'],
    play: ({ request, response }) => {
      response.writeContinue()
      setTimeout(() => request.socket.destroy(), 200)
    },
  },
  { name: '200-html', points, play: body(page, 'text/html'), mayFail: unread },
  {
    name: '200-html-as-promised-type',
    points: files,
    play: (scene) => send(scene.response, { ...scene.good, body: Buffer.from(page) }),
  },
  { name: '200-empty', points, play: body(''), mayFail: unread },
  {
    name: '204',
    points,
    play: ({ response }) => response.writeHead(204).end(),
    mayFail: unread,
  },
  {
    name: 'truncated',
    points,
    play: ({ response, good }) =>
      send(response, { ...good, body: good.body.subarray(0, Math.floor(good.body.byteLength / 2)) }),
    mayFail: ['upload'],
  },
  {
    name: 'gzip-bomb',
    points,
    play: ({ response, good }) =>
      send(response, { status: 200, headers: { ...good.headers, 'content-encoding': 'gzip' }, body: bomb }),
    mayFail: unread,
  },
  {
    name: 'broken-gzip',
    points,
    play: ({ response, good }) =>
      send(response, {
        ...good,
        headers: { ...good.headers, 'content-encoding': 'gzip' },
        body: Buffer.from('no gzip'),
      }),
    mayFail: ['upload'],
  },
  refusing('429-seconds', status(429, { 'retry-after': '1' }), { times: 2, mayFail: [] }),
  refusing(
    '429-date',
    ({ response }) =>
      send(response, {
        status: 429,
        headers: { 'retry-after': new Date(Date.now() + 2000).toUTCString() },
        body: Buffer.from('{}'),
      }),
    { mayFail: [] },
  ),
  refusing(
    '429-date-clock-skew',
    ({ response }) => {
      // A server whose clock is two hours ahead asks for two seconds.
      response.setHeader('date', inTwoHours())
      send(response, {
        status: 429,
        headers: { 'retry-after': new Date(Date.now() + 7_202_000).toUTCString() },
        body: Buffer.from('{}'),
      })
    },
    { mayFail: [] },
  ),
  refusing('429-date-past', status(429, { 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' }), { times: 2, mayFail: [] }),
  refusing('401', status(401), { newKey: true }),
  refusing('403', status(403), { newKey: true }),
  refusing('402', status(402)),
  refusing('413', status(413)),
  refusing('422', status(422)),
  { name: '500', points, times: 2, play: status(500) },
  { name: '502-html', points, times: 2, play: body(page, 'text/html', 502) },
  { name: '503-retry-after', points, play: status(503, { 'retry-after': '1' }) },
  { name: '504', points, play: status(504, {}, '') },
  { name: '408', points, play: status(408) },
  refusing('redirect-302-elsewhere', redirect(302, elsewhere)),
  refusing('redirect-307-elsewhere', redirect(307, elsewhere)),
  refusing('redirect-308-elsewhere', redirect(308, elsewhere)),
  refusing(
    'redirect-301-other-name',
    redirect(301, (scene) => elsewhere(scene).replace('127.0.0.1', 'localhost')),
  ),
  refusing(
    'redirect-to-file',
    redirect(302, () => 'file:///etc/passwd'),
  ),
  refusing('redirect-loop', redirect(302, toItself), { times: 2, points: json }),
  refusing('redirect-loop-of-a-file', redirect(302, toItself), { times: 8, points: files }),
  {
    name: 'clock-skew',
    points,
    play: ({ response, good }) => {
      response.setHeader('date', inTwoHours())
      send(response, good)
    },
  },
  { name: 'json-deep', points: json, play: body('['.repeat(200_000)), mayFail: unread },
  {
    name: 'json-huge',
    points: json,
    play: body(`{"list":["${'x'.repeat(7_000_000)}"]}`),
    mayFail: unread,
  },
  { name: 'json-null', points: json, play: body('null'), mayFail: unread },
  { name: 'json-array', points: json, play: body('[1,2,3]'), mayFail: unread },
  { name: 'json-text', points: json, play: body('"ok"'), mayFail: unread },
  { name: 'json-empty-object', points: json, play: body('{}'), mayFail: unread },
  {
    name: 'json-wrong-types',
    points: json,
    play: changed((value) =>
      Object.fromEntries(Object.keys(value).map((name) => [name, name === 'list' ? { a: 1 } : { not: ['this'] }])),
    ),
    mayFail: unread,
  },
  {
    name: 'json-wrong-types-in-item',
    points: list,
    play: eachItem((item) => Object.fromEntries(Object.keys(item).map((name) => [name, [{ a: 1e300 }]]))),
  },
  {
    name: 'json-bom',
    points: json,
    play: (scene) =>
      send(scene.response, { ...scene.good, body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), scene.good.body]) }),
    mayFail: ['upload'],
  },
  refusing('200-with-429-inside', body('{"code":429,"msg":"too many requests"}'), {
    points: json,
    mayFail: unread,
  }),
  refusing('200-with-401-inside', body('{"code":40101,"msg":"invalid api key"}'), { points: json, newKey: true }),
  refusing('200-with-422-inside', body('{"code":42200,"msg":"no face"}'), { points: json }),
  {
    name: '200-with-500-inside',
    points: json,
    play: body('{"code":500,"msg":"db"}'),
    mayFail: unread,
  },
  {
    name: 'ids-duplicate',
    points: list,
    play: changed((value) => ({
      list: items(value).flatMap((item) => [item, { ...item, status: 'failed', error: 'a double' }]),
    })),
  },
  {
    name: 'ids-foreign',
    points: list,
    play: changed(() => ({
      list: ['object-foreign', '', ' ', '__proto__', 'constructor'].map((objectId) => ({ objectId, status: 'failed' })),
    })),
  },
  {
    name: 'ids-foreign-and-reordered',
    points: list,
    play: changed((value) => ({
      list: [{ objectId: 'zzz', status: 'failed', error: 'not yours' }, ...items(value).reverse()],
    })),
  },
  { name: 'ids-missing-then-back', points: list, times: 3, play: changed(() => ({ list: [] })) },
  { name: 'ids-null-list', points: list, times: 2, play: body('{"code":0,"data":null}') },
  { name: 'done-without-result', points: list, play: eachItem(() => ({ status: 'completed' })) },
  {
    name: 'done-with-the-input',
    points: list,
    times: 2,
    play: eachItem((_item, { other }) => ({
      status: 'processing',
      videoUrl: `${other}/in.mp4`,
      Video: { originUrl: `${other}/in.mp4` },
    })),
  },
  { name: 'word-unknown', points: list, times: 2, play: eachItem(() => ({ status: 'in_orbit' })) },
  {
    name: 'dangerous-addresses',
    points: list,
    play: eachItem(() => ({
      status: 'completed',
      Video: { videoUrl: 'file:///etc/passwd', coverUrl: 'javascript:alert(1)', avatars: '["data:text/html,x"]' },
    })),
  },
  { name: 'range-ignored', points: ['result'], times: 2, play: partly(0.3) },
  {
    name: 'range-of-another-film',
    points: ['result'],
    times: 2,
    play: (scene) => {
      if (scene.played === 0) partly(0.4)(scene)
      else
        send(scene.response, {
          status: 206,
          headers: { 'content-type': 'video/mp4', 'content-range': 'bytes 7-11/12' },
          body: Buffer.from('wrong'),
        })
    },
  },
  {
    name: 'longer-than-said',
    points: files,
    play: raw('HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: 5\r\n\r\nnot a film at all'),
  },
]
