/**
 * @file The one client for any service with the interface, the embedded one included. Every call is
 * one request (or one per path spelling, while nothing can have been done); retrying is the caller's.
 */
import { randomUUID } from 'node:crypto'
import type { ConnectionReport } from '@shared/ipc.ts'
import { writeExactJson, type Json } from '@shared/exact-json.ts'
import { MienError, toErrorBody } from '@shared/errors.ts'
import { assetSchema, capabilitiesSchema, type Capabilities } from '@shared/wire.ts'
import { outcomeOfAnswer, outcomeOfFailure } from './create-outcome.ts'
import { download } from './download.ts'
import { errorInside, unwrap } from './envelope.ts'
import { errorInEnvelope, errorOfAnswer, notAService } from './errors.ts'
import { ask, plainKy, type ReadAnswer } from './http.ts'
import { readKeys } from './keys.ts'
import { networkFailure, type NetworkFailure } from './network.ts'
import {
  assetsPath,
  cancelPath,
  capabilitiesPath,
  createPaths,
  deletePath,
  endpoint,
  inOrder,
  isWrongPath,
  keyPaths,
  listPaths,
} from './paths.ts'
import { readTasks, resolver } from './read-task.ts'
import { putFile } from './upload.ts'
import type {
  CreateInput,
  CreateOutcome,
  FetchedTasks,
  ServiceClientOptions,
  ServiceKey,
  Spelling,
  TransferOptions,
} from './types.ts'

export type * from './types.ts'
export { batchIds, defaultLimits, smallerLimits, type BatchLimits } from './batch.ts'

const betweenMs = 60

type Sent = { answer: ReadAnswer } | { failure: NetworkFailure }

interface Request {
  method: 'GET' | 'POST'
  path: string
  query?: Record<string, string>
  json?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
  /** To be sent once and no more. */
  once?: boolean
}

/** The parsed body of a success, null for an empty one; any failure is thrown. */
function succeeded(sent: Sent): { json: Json; answer: ReadAnswer } {
  if ('failure' in sent) throw sent.failure.error
  const { answer } = sent
  if (answer.status < 200 || answer.status >= 300) throw errorOfAnswer(answer)
  if (answer.json !== undefined) return { json: answer.json, answer }
  if (answer.text.trim() === '') return { json: null, answer }
  throw notAService(answer.text, answer.status)
}

/** The documented body, in whatever envelope. */
function documented(sent: Sent, wanted: 'list' | 'url'): { body: Json; answer: ReadAnswer } {
  const { json, answer } = succeeded(sent)
  const found = unwrap(json, wanted)
  if (found.kind === 'body') return { body: found.body, answer }
  if (found.kind === 'error') throw errorInEnvelope(found.code, found.message, answer.retryAfter)
  throw notAService(answer.text, answer.status)
}

/** For answers whose shape nobody documents: anything but an error. */
function accepted(sent: Sent): Json {
  const { json, answer } = succeeded(sent)
  const error = errorInside(json)
  if (error) throw errorInEnvelope(error.code, error.message, answer.retryAfter)
  return json
}

export class ServiceClient {
  private readonly http: ReturnType<typeof plainKy>
  private readonly createHttp: ReturnType<typeof plainKy>
  private readonly spelling: Spelling
  private known: Capabilities | null | undefined
  private nextTurn = 0

  constructor(private readonly options: ServiceClientOptions) {
    this.http = plainKy(options.fetch)
    this.createHttp = plainKy(options.createFetch ?? options.fetch)
    this.spelling = { ...options.spelling }
  }

  private get base(): URL {
    return new URL(this.options.baseUrl)
  }

  private async keyHeaders(): Promise<Record<string, string>> {
    const key = await this.options.readKey()
    if (key === null || key === '') throw new MienError('key-missing')
    // A header cannot carry it; fetch would throw something that looks like a broken connection.
    if (!/^[\x21-\x7e]+$/.test(key)) throw new MienError('key-refused', { reason: 'malformed' })
    return { [this.options.keyHeader]: key }
  }

  /** A burst (thirty swaps removed at once) must not run into a service's limit; ours allows 20 a second. */
  private async turn(): Promise<void> {
    const now = performance.now()
    this.nextTurn = Math.max(now, this.nextTurn + betweenMs)
    if (this.nextTurn > now) await new Promise((resolve) => setTimeout(resolve, this.nextTurn - now))
  }

  /** Throws only `cancelled`, when the caller's signal ended it. */
  private async send({ method, path, query, json, headers = {}, signal, once = false }: Request): Promise<Sent> {
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
        onTimeout: () => (timedOut = true),
      })
      return { answer }
    } catch (thrown) {
      if (signal?.aborted) throw new MienError('cancelled', {}, { cause: thrown })
      return { failure: networkFailure(thrown, url.host, timedOut) }
    }
  }

  /** Tries spellings until one is no wrong path, and remembers it. */
  private async spelled(kind: keyof Spelling, request: Omit<Request, 'path'>): Promise<Sent> {
    const paths = inOrder(kind === 'create' ? createPaths : listPaths, this.spelling[kind])
    let sent: Sent | null = null
    for (const path of paths) {
      const next = await this.send({ ...request, path })
      // The first wrong path's answer is the one that is shown when all are wrong.
      sent = sent && 'answer' in next && isWrongPath(next.answer.status) ? sent : next
      if ('failure' in next) return next
      if (isWrongPath(next.answer.status)) continue
      if (next.answer.status < 300 && this.spelling[kind] !== path) {
        this.spelling[kind] = path
        this.options.onSpelling?.({ ...this.spelling })
      }
      return next
    }
    return sent ?? { failure: networkFailure(new MienError('internal'), this.base.host, false) }
  }

  /** Null when the service has none, which is the rule. Remembered once it answered. */
  async capabilities(signal?: AbortSignal): Promise<Capabilities | null> {
    if (this.known !== undefined) return this.known
    const sent = await this.send({ method: 'GET', path: capabilitiesPath, signal })
    if ('failure' in sent) throw sent.failure.error
    const { status, json } = sent.answer
    if (status === 429 || status >= 500) throw errorOfAnswer(sent.answer)
    const read = status === 200 ? capabilitiesSchema.safeParse(json) : null
    this.known = read?.success ? read.data : null
    return this.known
  }

  /** Sends one create, never twice, and never throws. A signal that comes while it is under way leaves it unclear. */
  async create(input: CreateInput, signal?: AbortSignal): Promise<CreateOutcome> {
    let headers: Record<string, string>
    try {
      headers = await this.keyHeaders()
    } catch (thrown) {
      return { kind: 'not-sent', error: toErrorBody(thrown), retryAfterMs: null }
    }
    const { durationMs, title, imageUrl, videoUrl } = input
    const duration =
      durationMs === null ? null : Math.round(this.options.durationUnit === 's' ? durationMs / 1000 : durationMs)
    if (signal?.aborted) return { kind: 'not-sent', error: new MienError('cancelled').body, retryAfterMs: null }
    const stopped = (thrown: unknown): Sent => ({ failure: networkFailure(thrown, this.base.host, false) })
    const request = this.spelled('create', {
      method: 'POST',
      json: { title, imageUrl, videoUrl, ...(duration === null ? {} : { duration }) },
      headers: { ...headers, 'idempotency-key': input.idempotencyKey },
      signal,
      once: true,
    })
    const sent = await request.catch(stopped)
    return 'failure' in sent ? outcomeOfFailure(sent.failure) : outcomeOfAnswer(sent.answer)
  }

  /** One request; keep the ids within the limits (`batchIds`). Ids the service left out are not in `found`. */
  async fetchTasks(ids: readonly string[], signal?: AbortSignal): Promise<FetchedTasks> {
    if (ids.length === 0) return { found: new Map(), asked: [] }
    const sent = await this.spelled('list', {
      method: 'GET',
      query: { objectID: ids.join(',') },
      headers: await this.keyHeaders(),
      signal,
    })
    const { body, answer } = documented(sent, 'list')
    return { found: readTasks(body, new Set(ids), answer.rawOf, resolver(this.base.href)), asked: [...ids] }
  }

  /** Address of the uploaded file. Only for a service whose capabilities have `assets`. */
  async uploadAsset(path: string, name: string, options: TransferOptions = {}): Promise<string> {
    const url = endpoint(this.options.baseUrl, `${assetsPath}/${encodeURIComponent(name)}`)
    const headers = await this.keyHeaders()
    const answer = await putFile(url, path, headers, options).catch((thrown: unknown) => {
      if (options.signal?.aborted) throw new MienError('cancelled', {}, { cause: thrown })
      throw networkFailure(thrown, url.host, false).error
    })
    const asset = assetSchema.safeParse(documented({ answer }, 'url').body)
    if (!asset.success) throw notAService(answer.text, answer.status)
    return asset.data.url
  }

  /** To `toPath`, atomically; `toPath.part` (and `.part.tag`) stay for a later resume when it fails. */
  async download(url: string, toPath: string, options: TransferOptions = {}): Promise<void> {
    if (!URL.canParse(url)) throw new MienError('address-invalid')
    const keyHeaders = async () => this.keyHeaders()
    await download({ http: this.http, url, origin: this.base.origin, keyHeaders }, toPath, options)
  }

  /** Only where capabilities have `cancel`. */
  async cancel(objectId: string, signal?: AbortSignal): Promise<void> {
    await this.order(cancelPath, objectId, signal)
  }

  /** Only where capabilities have `delete`. The task's files go with it. */
  async delete(objectId: string, signal?: AbortSignal): Promise<void> {
    await this.order(deletePath, objectId, signal)
  }

  private async order(path: string, objectId: string, signal: AbortSignal | undefined): Promise<void> {
    const headers = await this.keyHeaders()
    accepted(await this.send({ method: 'POST', path, json: { objectID: objectId }, headers, signal }))
  }

  /** Key operations: body or query is not shown in the interface, so on 400, 415 or 422 the other form is tried once. */
  private async keyCall(
    method: 'GET' | 'POST',
    path: string,
    values: Record<string, string | bigint>,
    signal?: AbortSignal,
  ): Promise<Json> {
    const headers: Record<string, string> =
      this.options.adminToken === undefined ? {} : { 'X-Admin-Token': this.options.adminToken }
    const query = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
    const inBody: Request = { method: 'POST', path, json: values, headers, signal }
    const inQuery: Request = { method, path, query, headers, signal }
    const [first, second] = method === 'GET' ? [inQuery, inBody] : [inBody, inQuery]
    const sent = await this.send(first)
    const retry = 'answer' in sent && [400, 415, 422].includes(sent.answer.status)
    return accepted(retry ? await this.send(second) : sent)
  }

  /** A new key for a user; its `shown` is the whole key, this once. */
  async newKey(userId: bigint, signal?: AbortSignal): Promise<ServiceKey> {
    const json = await this.keyCall('POST', keyPaths.new, { userId }, signal)
    const [key] = readKeys(json)
    if (!key) throw notAService(writeExactJson(json))
    return key
  }

  async listKeys(userId: bigint, signal?: AbortSignal): Promise<ServiceKey[]> {
    return readKeys(await this.keyCall('GET', keyPaths.list, { userId }, signal))
  }

  /** By the key's id, or by the key itself. */
  async deleteKey(key: { id: string } | { sk: string }, signal?: AbortSignal): Promise<void> {
    await this.keyCall('POST', keyPaths.delete, { ...key }, signal)
  }

  /** Asks for an id that no service has given out; never throws. */
  async test(signal?: AbortSignal): Promise<ConnectionReport> {
    const began = performance.now()
    const report = (
      reached: boolean,
      keyAccepted: boolean | null,
      error: ConnectionReport['error'],
    ): ConnectionReport => ({
      reached,
      keyAccepted,
      ms: Math.round(performance.now() - began),
      error,
    })
    try {
      await this.fetchTasks([`mien-test-${randomUUID()}`], signal)
      return report(true, true, null)
    } catch (thrown) {
      const error = toErrorBody(thrown)
      if (error.code === 'key-refused') return report(true, false, error)
      const reached = typeof error.details['status'] === 'number'
      return report(reached, error.code === 'no-credit' || error.code === 'rate-limited' ? true : null, error)
    }
  }
}
