/** @file An online service in this process, spoken to by `fetch`: it counts what it was sent, and fails as it is told to. */
import { MienError } from '@shared/errors.ts'

/** What the next creates meet. `lost`: the job is made, and its answer never arrives. `hold`: answered when let go. */
export type CreateFate = 'created' | 'lost' | 'refused' | 'too-many' | 'unreachable' | 'hold'

export interface OnlineJob {
  objectId: string
  idempotencyKey: string
  status: 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled'
  isListed: boolean
}

export interface OnlineExtras {
  idempotency: boolean
  cancel: boolean
  delete: boolean
}

export const mp4 = Buffer.from('\0\0\0\u0018ftypisom\0\0\0\0isomiso2', 'latin1')

/** As Node's fetch fails. */
const broken = (code: string): TypeError =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })

const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } })

export class OnlineService {
  readonly baseUrl = 'http://online.test'
  readonly jobs: OnlineJob[] = []
  fate: CreateFate = 'created'
  isDown = false
  private held: (() => void)[] = []
  private count = 0

  constructor(private readonly extras: OnlineExtras) {}

  /** Whether a job that nobody wants can be ended. */
  get canEnd(): boolean {
    return this.extras.cancel || this.extras.delete
  }

  /** Whether a create that was not answered can be sent again without making a second job. */
  get canBeAskedAgain(): boolean {
    return this.extras.idempotency
  }

  /** Answers the creates that are held. */
  release(): void {
    for (const go of this.held.splice(0)) go()
  }

  /** `waits` is called when a request waits for the test, and what it returns when it no longer does. */
  async answer(request: Request, waits: () => () => void): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (this.isDown) throw broken('ECONNREFUSED')
    if (pathname === '/v1/capabilities') return json({ assets: true, pause: false, ...this.extras })
    if (pathname.endsWith('/listbyids')) return json({ list: this.list(searchParams.get('objectID') ?? '') })
    if (pathname.endsWith('/create')) return this.create(request, waits)
    if (pathname.endsWith('/cancel') || pathname.endsWith('/delete')) return this.end(await request.json())
    if (pathname === '/out.mp4')
      return new Response(mp4, { headers: { 'content-type': 'video/mp4', 'content-length': String(mp4.length) } })
    return json({ message: 'not here' }, 404)
  }

  /** What the client's `uploadAsset` gives: uploads go by Node's own HTTP, which is not modelled here. */
  async upload(name: string): Promise<string> {
    await Promise.resolve()
    if (this.isDown) throw new MienError('service-unreachable')
    return `${this.baseUrl}/${name}`
  }

  private list(ids: string) {
    const asked = new Set(ids.split(','))
    return this.jobs
      .filter((job) => job.isListed && asked.has(job.objectId))
      .map(({ objectId, status }) => ({
        objectId,
        status,
        ...(status === 'completed' ? { Video: { videoUrl: `${this.baseUrl}/out.mp4` } } : {}),
      }))
  }

  private async create(request: Request, waits: () => () => void): Promise<Response> {
    const { fate } = this
    const idempotencyKey = request.headers.get('idempotency-key') ?? ''
    const made = this.extras.idempotency && this.jobs.find((job) => job.idempotencyKey === idempotencyKey)
    if (fate === 'unreachable') throw broken('ECONNREFUSED')
    // A key that is known belongs to a request that was accepted.
    if (fate === 'refused' && !made) return json({ message: 'No.' }, 422)
    if (fate === 'too-many') return json({ message: 'Later.' }, 429)
    const job = made || this.make(idempotencyKey)
    if (fate === 'lost') throw broken('ECONNRESET')
    if (fate === 'hold') {
      const goesOn = waits()
      await new Promise<void>((resolve) => this.held.push(resolve))
      goesOn()
    }
    return json({ objectID: job.objectId })
  }

  private make(idempotencyKey: string): OnlineJob {
    const job: OnlineJob = {
      objectId: `online-${String((this.count += 1))}`,
      idempotencyKey,
      status: 'queued',
      isListed: true,
    }
    this.jobs.push(job)
    return job
  }

  private end(body: unknown): Response {
    const { objectID } = body as { objectID?: string } // the client's own request
    const job = this.jobs.find(({ objectId }) => objectId === objectID)
    if (!job) return json({ message: 'There is no such task.' }, 404)
    if (job.status === 'queued' || job.status === 'processing') job.status = 'cancelled'
    return json({ objectID })
  }

  isEnded({ status }: OnlineJob): boolean {
    return status !== 'queued' && status !== 'processing'
  }
}
