/**
 * @file Sends the client's requests: key, pacing, paths. The interface itself spells two of them in several ways (see docs
 * on its gaps). Doesn't interpret answers.
 */
import { randomUUID } from 'node:crypto'
import { writeExactJson, type Json } from '@shared/service/exact-json.ts'
import { MienError } from '@shared/errors.ts'
import { errorInside, unwrap, errorInEnvelope, errorOfAnswer, notAService } from '../parsing/answers.ts'
import {
  answerDeadlineMs,
  ask,
  plainFetch,
  reachDeadlineMs,
  type PlainFetch,
  type ReadAnswer,
  type ServiceClientOptions,
  type Spelling,
} from './http.ts'
import { networkFailure, type NetworkFailure } from '../parsing/outcomes.ts'

/** Most reliable first. */
const createPaths = ['/v1/faceswap-openapi/create', '/v1/faceswap_openapi/create'] as const
export const listPaths = [
  '/v1/faceswap-opanpai/listbyids',
  '/v1/faceswap_openapi/listbyids',
  '/v1/faceswap-openapi/listbyids',
] as const

/** Extra operations of the embedded service. Other services may list them in their capabilities. */
export const capabilitiesPath = '/v1/capabilities'
export const cancelPath = '/v1/faceswap-openapi/cancel'
export const pausePath = '/v1/faceswap-openapi/pause'
export const resumePath = '/v1/faceswap-openapi/resume'
export const orderPath = '/v1/faceswap-openapi/order'
export const deletePath = '/v1/faceswap-openapi/delete'
export const assetsPath = '/v1/assets'
export const uploadsPath = '/v1/uploads'
export const keyPaths = {
  new: '/v1/openapi_account/new',
  list: '/v1/openapi_account/list',
  delete: '/v1/openapi_account/delete',
} as const

/** Paths with the last working spelling first; an unknown one is ignored. */
export function inOrder(known: readonly string[], remembered: string | undefined): string[] {
  if (remembered === undefined || !known.includes(remembered)) return [...known]
  return [remembered, ...known.filter((path) => path !== remembered)]
}

/** Whether the next spelling may be tried: these statuses guarantee that nothing was done. */
export const isWrongPath = (status: number): boolean => status === 404 || status === 405 || status === 501

/**
 * Builds a URL. `baseUrl` may have a path prefix, with or without a trailing slash; its query and fragment are dropped.
 */
export function endpoint(baseUrl: string, path: string, query: Record<string, string> = {}): URL {
  const url = new URL(baseUrl)
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  url.hash = ''
  url.search = new URLSearchParams(query).toString()
  return url
}

const defaultGapMs = 60
const heardMs = 60_000

export type Sent = { answer: ReadAnswer } | { failure: NetworkFailure }

export interface ServiceRequest {
  method: 'GET' | 'POST'
  path: string
  query?: Record<string, string>
  json?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
  /** Must never be sent twice. */
  once?: boolean
  deadlineMs?: number
}

/** Parsed body of a success, null if empty. Throws for any failure. */
function succeeded(sent: Sent): { json: Json; answer: ReadAnswer } {
  if ('failure' in sent) throw sent.failure.error
  const { answer } = sent
  if (answer.status < 200 || answer.status >= 300) throw errorOfAnswer(answer)
  if (answer.json !== undefined) return { json: answer.json, answer }
  if (answer.text.trim() === '') return { json: null, answer }
  throw notAService(answer.text, answer.status)
}

/** The documented body, unwrapped from any envelope. */
export function documented(sent: Sent, wanted: 'list' | 'url'): Json {
  const { json, answer } = succeeded(sent)
  const found = unwrap(json, wanted)
  if (found.kind === 'body') return found.body
  if (found.kind === 'error') throw errorInEnvelope(found.code, found.message, answer)
  throw notAService(answer.text, answer.status)
}

/** Accepts any answer that is not an error, for answers without a documented shape. */
export function accepted(sent: Sent): Json {
  const { json, answer } = succeeded(sent)
  const error = errorInside(json)
  if (error) throw errorInEnvelope(error.code, error.message, answer)
  return json
}

/** A Date header has whole seconds; use the middle of the second. */
function skewOf(date: string | null): number | null {
  const dateMs = date === null ? NaN : Date.parse(date)
  return Number.isFinite(dateMs) ? dateMs + 500 - Date.now() : null
}

export class Requests {
  readonly http: PlainFetch
  private readonly createHttp: PlainFetch
  private readonly spelling: Spelling
  private readonly host: string
  private turns = Promise.resolve()
  private nextTurnAt = 0
  private heardAt = -Infinity
  /** From the last answer: the service's clock minus this computer's, in ms; null when it had no Date header. */
  clockSkewMs: number | null = null

  constructor(private readonly options: ServiceClientOptions) {
    this.http = plainFetch(options.fetch)
    this.createHttp = plainFetch(options.createFetch ?? options.fetch)
    this.spelling = { ...options.spelling }
    const base = URL.parse(options.baseUrl)
    if (!base) throw new MienError('address-invalid')
    this.host = base.host
  }

  /** Last working spelling of the list path. */
  get listPath(): string | null {
    return this.spelling.list ?? null
  }

  async keyHeaders(): Promise<Record<string, string>> {
    const key = await this.options.readKey()
    if (key === null || key === '') throw new MienError('key-missing')
    // fetch would throw an error that looks like a broken connection.
    if (!/^[\x21-\x7e]+$/.test(key)) throw new MienError('key-refused', { reason: 'malformed' })
    return { [this.options.keyHeader]: key }
  }

  /**
   * Spaces requests, so that a burst (thirty swaps removed at once) doesn't hit a service's rate limit; our own service
   * allows 20 a second. The gap starts when the previous request was really sent, so that there is no catching up after
   * a stall.
   */
  private turn(): Promise<void> {
    this.turns = this.turns.then(async () => {
      const waitMs = this.nextTurnAt - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      this.nextTurnAt = performance.now() + (this.options.gapMs ?? defaultGapMs)
    })
    return this.turns
  }

  /** Throws only `cancelled`, when the caller's signal aborted it. */
  async send({
    method,
    path,
    query,
    json,
    headers = {},
    signal,
    once,
    deadlineMs = this.options.deadlineMs ?? answerDeadlineMs,
  }: ServiceRequest): Promise<Sent> {
    const url = endpoint(this.options.baseUrl, path, query)
    let timedOut = false
    try {
      await this.turn()
      signal?.throwIfAborted()
      const answer = await ask(once ? this.createHttp : this.http, {
        method,
        url,
        headers: {
          accept: 'application/json',
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(json === undefined ? {} : { body: writeExactJson(json) }),
        signal,
        deadlineMs,
        onTimeout: () => (timedOut = true),
      })
      this.heardAt = performance.now()
      this.clockSkewMs = skewOf(answer.date)
      return { answer }
    } catch (thrown) {
      if (signal?.aborted) throw new MienError('cancelled', {}, { cause: thrown })
      return { failure: networkFailure(thrown, url.host, timedOut) }
    }
  }

  /** Tries path spellings until one exists, and remembers it. */
  async spelled(kind: keyof Spelling, request: Omit<ServiceRequest, 'path'>): Promise<Sent> {
    const paths = inOrder(kind === 'create' ? createPaths : listPaths, this.spelling[kind])
    let sent: Sent | null = null
    for (const path of paths) {
      const next = await this.send({ ...request, path })
      // If all paths are wrong, report the first answer.
      sent = sent && 'answer' in next && isWrongPath(next.answer.status) ? sent : next
      if ('failure' in next) return next
      if (isWrongPath(next.answer.status)) continue
      if (next.answer.status < 300 && this.spelling[kind] !== path) {
        this.spelling[kind] = path
        this.options.onSpelling?.({ ...this.spelling })
      }
      return next
    }
    return sent ?? { failure: networkFailure(new MienError('internal'), this.host, false) }
  }

  /**
   * Checks with a harmless request whether the service answers, unless it did within the last minute. A create without
   * a connection would be unclear after its deadline, because fetch can't tell that from a request that was read but
   * not answered. Any answer will do. Null: it answers.
   */
  async reach(headers: Record<string, string>, signal: AbortSignal | undefined): Promise<NetworkFailure | null> {
    if (performance.now() - this.heardAt < heardMs) return null
    const path = this.spelling.list ?? listPaths[0]
    const query = { objectID: `mien-test-${randomUUID()}` }
    try {
      const sent = await this.send({ method: 'GET', path, query, headers, signal, deadlineMs: reachDeadlineMs })
      return 'failure' in sent ? sent.failure : null
    } catch (thrown) {
      return networkFailure(thrown, this.host, false)
    }
  }
}
