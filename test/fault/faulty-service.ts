/**
 * @file A face-swap service of one case, on a port of its own: it does the whole interface well, except where the case's
 * fault plays. It keeps the truth that a verdict needs: what it created, what it gave out, who showed which key.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { FakeService, idsOf, mp4 } from '../fixtures/fake-service.ts'

/** Where in a swap's life a request stands. `relist` is the downloader's own look before it fetches. */
export const points = ['capabilities', 'upload', 'create', 'watch', 'relist', 'result', 'cover'] as const
export type Point = (typeof points)[number]

export interface Good {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** One request at the fault's point, and what a good service would answer. */
export interface Scene {
  point: Point
  request: IncomingMessage
  response: ServerResponse
  good: Good
  /** Address of a host that is not the service's. */
  other: string
  /** How often the fault has played before this. */
  played: number
}

export type Play = (scene: Scene) => void

export interface Trouble {
  point: Point
  play: Play
  /** How often it plays before the service behaves. */
  times: number
  /** The fault is a refusal: a create that meets it makes nothing. */
  refuses: boolean
}

interface Made {
  objectId: string
  title: string
  looks: number
}

const answer = (status: number, value: unknown): Good => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
})

/** An MP4's outline that a container check accepts: ftyp, then one mdat of random bytes. */
export function film(bytes: number): Buffer {
  const moov = Buffer.from('\0\0\0\u0008moov', 'latin1')
  const head = Buffer.alloc(8)
  head.writeUInt32BE(bytes + 8)
  head.write('mdat', 4)
  return Buffer.concat([mp4, moov, head, randomBytes(bytes)])
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export function send(response: ServerResponse, { status, headers, body }: Good): void {
  response.writeHead(status, { 'content-length': String(body.byteLength), ...headers }).end(body)
}

export class FaultyService extends FakeService {
  readonly video = film(60_000)
  readonly cover = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), randomBytes(900)])
  /** Everything that was created, in order; two of one title are a double. */
  readonly made: Made[] = []
  /** Creates that were heard and not clearly refused, by title. */
  readonly heardCreates = new Map<string, number>()
  /** Times that the fault played. */
  played = 0
  /** Whether a finished item was ever given out. */
  saidDone = false
  /** Swaps the addresses of result and cover in the next finished items, for faults of addresses. */
  addresses: ((url: string) => string) | null = null
  /** Called when a swap is found in progress. */
  onLook = (): void => undefined
  private expired = false
  private readonly key: () => string
  private readonly trouble: Trouble | null
  private readonly other: string
  private readonly delayMs: () => number

  constructor(options: { key: () => string; trouble?: Trouble | null; other?: string; delayMs?: () => number }) {
    super()
    this.key = options.key
    this.trouble = options.trouble ?? null
    this.other = options.other ?? ''
    this.delayMs = options.delayMs ?? (() => 0)
    this.replies.set('', (request, response, body) => {
      setTimeout(() => {
        this.reply(request, response, body)
      }, this.delayMs())
    })
    this.server.on('clientError', (_error, socket) => socket.destroy())
  }

  private reply(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const url = new URL(request.url ?? '/', this.baseUrl)
    const point = this.pointOf(request.method ?? '', url)
    if (point === null) {
      send(response, answer(404, { message: 'not here' }))
      return
    }
    const trouble = this.trouble
    // The downloader looks again only where what it heard led nowhere.
    if (trouble?.point === 'relist' && point === 'result' && !this.expired) {
      this.expired = true
      send(response, answer(410, { message: 'expired' }))
      return
    }
    const plays = trouble !== null && trouble.point === point && this.played < trouble.times
    const good = this.good(point, request, url, body, plays && trouble.refuses)
    if (!plays) {
      send(response, good)
      return
    }
    this.played += 1
    trouble.play({ point, request, response, good, other: this.other, played: this.played - 1 })
  }

  private pointOf(method: string, url: URL): Point | null {
    const path = url.pathname
    if (path === '/v1/capabilities') return 'capabilities'
    if (method === 'PUT' && path.startsWith('/v1/assets/')) return 'upload'
    if (method === 'POST' && path.endsWith('/create')) return 'create'
    if (path.endsWith('/listbyids')) {
      // A made-up id asks only whether anyone is there.
      if (idsOf(url.href)[0]?.startsWith('mien-test-')) return null
      return this.saidDone ? 'relist' : 'watch'
    }
    if (path.startsWith('/out/')) return 'result'
    return path.startsWith('/cover/') ? 'cover' : null
  }

  private good(point: Point, request: IncomingMessage, url: URL, body: Buffer, refuses: boolean): Good {
    const keyed = point === 'upload' || point === 'create' || point === 'watch' || point === 'relist'
    if (keyed && request.headers['x-service-apikey'] !== this.key()) return answer(401, { message: 'unknown key' })
    switch (point) {
      case 'capabilities':
        return answer(200, { assets: true, cancel: false, delete: false, idempotency: false })
      case 'upload':
        return answer(200, { id: 'a', url: this.baseUrl + url.pathname, size: body.byteLength })
      case 'create':
        return this.create(body, refuses)
      case 'watch':
      case 'relist':
        return answer(200, { list: this.items(idsOf(request.url)) })
      case 'result':
        return this.file(request, this.video, 'video/mp4')
      case 'cover':
        return this.file(request, this.cover, 'image/jpeg')
    }
  }

  private create(body: Buffer, refuses: boolean): Good {
    const read: unknown = JSON.parse(body.toString('utf8'))
    const title = typeof read === 'object' && read !== null && 'title' in read ? String(read.title) : ''
    const objectId = `object-${randomBytes(6).toString('hex')}`
    if (refuses) return answer(200, { objectID: objectId })
    this.heardCreates.set(title, (this.heardCreates.get(title) ?? 0) + 1)
    this.made.push({ objectId, title, looks: 0 })
    return answer(200, { objectID: objectId })
  }

  private items(ids: string[]): object[] {
    return ids.flatMap((id) => {
      const made = this.made.find(({ objectId }) => objectId === id)
      if (!made) return []
      made.looks += 1
      if (made.looks < 2) {
        this.onLook()
        return [{ objectId: id, title: made.title, status: 'processing' }]
      }
      this.saidDone = true
      const to = this.addresses ?? ((each: string) => each)
      return [
        {
          objectId: id,
          title: made.title,
          status: 'completed',
          userId: 1,
          Video: {
            videoUrl: to(`${this.baseUrl}/out/${id}.mp4`),
            coverUrl: to(`${this.baseUrl}/cover/${id}.jpg`),
            size: this.video.byteLength,
          },
        },
      ]
    })
  }

  private file(request: IncomingMessage, bytes: Buffer, type: string): Good {
    const etag = `"${digest(bytes).slice(0, 12)}"`
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const headers = { 'content-type': type, etag, 'accept-ranges': 'bytes' }
    if (start === 0 || request.headers['if-range'] !== etag) return { status: 200, headers, body: bytes }
    const whole = String(bytes.byteLength)
    const range = `bytes ${String(start)}-${String(bytes.byteLength - 1)}/${whole}`
    return { status: 206, headers: { ...headers, 'content-range': range }, body: bytes.subarray(start) }
  }
}
