/**
 * @file Client for any service with this interface, including the embedded one. Every call is one request (or one per
 * path spelling, as long as nothing can have been done). Retries are up to the caller.
 */
import { randomUUID } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { z } from 'zod'
import type { ConnectionReport } from '@shared/service/profile.ts'
import type { Json } from '@shared/service/exact-json.ts'
import { MienError, toErrorBody } from '@shared/errors.ts'
import {
  assetSchema,
  begunUploadSchema,
  capabilitiesSchema,
  endedSchema,
  resumedSchema,
  uploadSchema,
  type Capabilities,
  type CreateRequest,
} from '@shared/service/wire.ts'
import { onFile } from '../../machine/disk/disk-errors.ts'
import {
  outcomeOfAnswer,
  outcomeOfFailure,
  type CreateOutcome,
  isTlsFailure,
  networkFailure,
} from './parsing/outcomes.ts'
import { download, downloadPart } from './transport/download.ts'
import type { DownloadSource } from './transport/download-request.ts'
import { errorOfAnswer, notAService } from './parsing/answers.ts'
import { readKeys, type ServiceKey } from './parsing/read-keys.ts'
import {
  assetsPath,
  cancelPath,
  capabilitiesPath,
  deletePath,
  endpoint,
  keyPaths,
  listPaths,
  orderPath,
  pausePath,
  resumePath,
  uploadsPath,
  accepted,
  documented,
  Requests,
  type Sent,
  type ServiceRequest,
} from './transport/requests.ts'
import { readTasks, resolver, type ServiceTask } from './parsing/read-task.ts'
import type { ServiceClientOptions, TransferOptions } from './transport/http.ts'
import {
  isGone,
  uploadInChunks,
  usualChunkBytes,
  type UploadNote,
  type UploadRequests,
  sendFile,
  type FilePart,
  type SentAnswer,
} from './transport/upload.ts'

export interface CreateInput {
  title: string
  imageUrl: string
  videoUrl: string
  /** Null: unknown; omitted from the request. */
  durationMs: number | null
  /** Only for services whose capabilities have them. */
  extras?: Partial<Pick<CreateRequest, 'pictureUrls' | 'options' | 'cast' | 'stay' | 'range'>>
  idempotencyKey: string
}

export interface UploadOptions extends TransferOptions {
  /** Of this file at this service. */
  note?: UploadNote
}

/** @throws MienError also if the answer has another shape */
function parsed<T>(schema: z.ZodType<T>, sent: Sent): T {
  const { data } = schema.safeParse(accepted(sent))
  if (data === undefined) throw notAService('answer' in sent ? sent.answer.text : '')
  return data
}

/** After this, a service that had no capabilities is asked again: a proxy may have answered during an upgrade. */
const noneMs = 5 * 60_000

export class ServiceClient {
  private readonly requests: Requests
  private known: { capabilities: Capabilities | null; askedAt: number } | undefined

  /** @throws MienError `address-invalid` */
  constructor(private readonly options: ServiceClientOptions) {
    this.requests = new Requests(options)
  }

  private get base(): URL {
    return new URL(this.options.baseUrl)
  }

  /** Capabilities; null when the service has none, as most do. Cached after the first answer, null for some minutes. */
  async capabilities(signal?: AbortSignal): Promise<Capabilities | null> {
    const { known } = this
    const now = this.options.ticks?.() ?? performance.now()
    if (known && (known.capabilities !== null || now - known.askedAt < noneMs)) return known.capabilities
    const sent = await this.requests.send({ method: 'GET', path: capabilitiesPath, signal })
    if ('failure' in sent) throw sent.failure.error
    const { status, json, contentType } = sent.answer
    if (status === 408 || status === 429 || status >= 500) throw errorOfAnswer(sent.answer)
    // Any other answer, such as a web page, means no capabilities. Truncated JSON means nothing, so fail.
    if (status === 200 && json === undefined && contentType.includes('json')) {
      throw new MienError('service-trouble', { host: this.base.host, status })
    }
    const read = status === 200 ? capabilitiesSchema.safeParse(json) : null
    this.known = { capabilities: read?.success ? read.data : null, askedAt: now }
    return this.known.capabilities
  }

  /** Sends one create, at most once; never throws. Aborting it while in flight makes it unclear. */
  async create(input: CreateInput, signal?: AbortSignal): Promise<CreateOutcome> {
    let headers: Record<string, string>
    try {
      headers = await this.requests.keyHeaders()
    } catch (thrown) {
      return { kind: 'not-sent', error: toErrorBody(thrown), retryAfterMs: null }
    }
    const { durationMs, title, imageUrl, videoUrl, extras } = input
    const duration =
      durationMs === null ? null : Math.round(this.options.durationUnit === 's' ? durationMs / 1000 : durationMs)
    if (signal?.aborted) return { kind: 'not-sent', error: new MienError('cancelled').body, retryAfterMs: null }
    const silent = await this.requests.reach(headers, signal)
    if (silent) return { kind: 'not-sent', error: silent.error.body, retryAfterMs: null }
    const stopped = (thrown: unknown): Sent => ({ failure: networkFailure(thrown, this.base.host, false) })
    const request = this.requests.spelled('create', {
      method: 'POST',
      json: { title, imageUrl, videoUrl, ...(duration === null ? {} : { duration }), ...extras },
      headers: { ...headers, 'idempotency-key': input.idempotencyKey },
      signal,
      once: true,
    })
    const sent = await request.catch(stopped)
    return 'failure' in sent ? outcomeOfFailure(sent.failure) : outcomeOfAnswer(sent.answer)
  }

  /**
   * The service's swaps by object id, without those that it left out. Sends one request; keep the ids within the limits
   * (`batchIds`).
   */
  async fetchTasks(ids: readonly string[], signal?: AbortSignal): Promise<Map<string, ServiceTask>> {
    if (ids.length === 0) return new Map()
    const sent = await this.requests.spelled('list', {
      method: 'GET',
      query: { objectID: ids.join(',') },
      headers: await this.requests.keyHeaders(),
      signal,
    })
    return readTasks(documented(sent, 'list'), new Set(ids), {
      resolve: resolver(this.base.href),
      words: this.options.words?.(),
      isOwn: 'answer' in sent && sent.answer.isOwn === true,
    })
  }

  /**
   * Returns the URL of the uploaded file. Only for services with the capability `assets`. With a note, and at services
   * with the capability `uploads`, a large file is sent in chunks and can be continued.
   */
  async uploadAsset(path: string, name: string, options: UploadOptions = {}): Promise<string> {
    const { signal, note } = options
    const facts = await onFile(stat(path))
    const requests = this.uploadRequests(path, name, options)
    const inChunks = note && facts.size > requests.chunkBytes && (await this.capabilities(signal))?.uploads
    const answer = inChunks
      ? await uploadInChunks(requests, facts, note)
      : await this.sendTo(`${assetsPath}/${encodeURIComponent(name)}`, path, options)
    const asset = assetSchema.safeParse(documented({ answer }, 'url'))
    if (!asset.success) throw notAService(answer.text, answer.status)
    return asset.data.url
  }

  /** Sends a file, or a part of it, with the key. */
  private async sendTo(to: string, path: string, options: TransferOptions, part?: FilePart): Promise<SentAnswer> {
    const url = endpoint(this.options.baseUrl, to)
    const headers = await this.requests.keyHeaders()
    const sent = sendFile(url, path, headers, options, this.options.fingerprint, part)
    return sent.catch((thrown: unknown) => {
      if (options.signal?.aborted) throw new MienError('cancelled', {}, { cause: thrown })
      throw networkFailure(thrown, url.host, false).error
    })
  }

  private uploadRequests(path: string, name: string, options: UploadOptions): UploadRequests {
    const { signal } = options
    const pathOf = (id: string): string => `${uploadsPath}/${encodeURIComponent(id)}`
    return {
      chunkBytes: this.options.chunkBytes ?? usualChunkBytes,
      begin: async (size) => {
        // A service may limit the length of a name.
        const json = { name: name.slice(-255), size }
        const sent = await this.send({ method: 'POST', path: uploadsPath, json, signal })
        return parsed(begunUploadSchema, sent).id
      },
      received: async (id) => {
        const sent = await this.send({ method: 'GET', path: pathOf(id), signal })
        if ('answer' in sent && isGone(sent.answer)) return null
        return parsed(uploadSchema, sent).received
      },
      append: (id, part) => this.sendTo(pathOf(id), path, options, part),
    }
  }

  /** Downloads to `toPath`, atomically. On failure `toPath.part` (and `.part.tag`) stay for a later resume. */
  async download(url: string, toPath: string, options: TransferOptions = {}): Promise<void> {
    await download(this.source(url), toPath, options)
  }

  /** Downloads into `part` itself; the caller moves it into place. See `removePart`. */
  async downloadPart(url: string, part: string, options: TransferOptions = {}): Promise<void> {
    await downloadPart(this.source(url), part, options)
  }

  /** @throws MienError `result-address-invalid` */
  private source(url: string): DownloadSource {
    if (!URL.canParse(url)) throw new MienError('result-address-invalid', { reason: 'unreadable' })
    const keyHeaders = async () => this.requests.keyHeaders()
    return { http: this.requests.http, url, origin: this.base.origin, keyHeaders }
  }

  /** Needs the capability `cancel`. `hadEnded`: the job had already ended. */
  async cancel(objectId: string, signal?: AbortSignal): Promise<{ hadEnded: boolean }> {
    const answer = endedSchema.safeParse(await this.order(cancelPath, objectId, signal))
    return { hadEnded: answer.success && ['completed', 'failed'].includes(answer.data.status) }
  }

  /** Needs the capability `pause`. */
  async pause(objectId: string): Promise<void> {
    await this.order(pausePath, objectId)
  }

  /** Needs the capability `pause`. Also resumes a failed or cancelled job if the service kept its work. */
  async resume(objectId: string): Promise<{ goesOn: boolean }> {
    const answer = resumedSchema.safeParse(await this.order(resumePath, objectId))
    const open = ['queued', 'processing', 'completed']
    return { goesOn: answer.success && !answer.data.paused && open.includes(answer.data.status) }
  }

  /** Needs the capability `order`. Runs these jobs in this order; a running one that isn't first is interrupted. */
  async setOrder(objectIds: readonly string[]): Promise<void> {
    accepted(await this.send({ method: 'POST', path: orderPath, json: { objectIDs: [...objectIds] } }))
  }

  /** Needs the capability `delete`. Also deletes the task's files. */
  async delete(objectId: string, signal?: AbortSignal): Promise<void> {
    await this.order(deletePath, objectId, signal)
  }

  private async order(path: string, objectId: string, signal?: AbortSignal): Promise<Json> {
    return accepted(await this.send({ method: 'POST', path, json: { objectID: objectId }, signal }))
  }

  /** Sends a request with the key. */
  private async send(request: Omit<ServiceRequest, 'headers'>): Promise<Sent> {
    return this.requests.send({ ...request, headers: await this.requests.keyHeaders() })
  }

  private async adminHeaders(): Promise<Record<string, string>> {
    const value = this.options.adminToken ?? (await this.options.readAdmin?.()) ?? null
    return value === null ? {} : { [this.options.adminHeader ?? 'X-Admin-Token']: value }
  }

  /**
   * Key operation. The interface doesn't say whether values go into body or query, so on 400, 415 or 422 the other form
   * is tried once.
   */
  private async keyCall(method: 'GET' | 'POST', path: string, values: Record<string, string | bigint>): Promise<Json> {
    const headers = await this.adminHeaders()
    const query = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))
    const inBody: ServiceRequest = { method: 'POST', path, json: values, headers }
    const inQuery: ServiceRequest = { method, path, query, headers }
    const [first, second] = method === 'GET' ? [inQuery, inBody] : [inBody, inQuery]
    const sent = await this.requests.send(first)
    const retry = 'answer' in sent && [400, 415, 422].includes(sent.answer.status)
    if (!retry) return accepted(sent)
    const again = await this.requests.send(second)
    // If both are refused, report the first refusal, which is about the intended form.
    return accepted('answer' in again && again.answer.status >= 400 ? sent : again)
  }

  /** Creates a key for a user. `shown` is the full key, this once only. */
  async newKey(userId: bigint): Promise<ServiceKey> {
    const json = await this.keyCall('POST', keyPaths.new, { userId })
    const [key] = readKeys(json)
    if (!key) throw notAService('')
    return key
  }

  async listKeys(userId: bigint): Promise<ServiceKey[]> {
    return readKeys(await this.keyCall('GET', keyPaths.list, { userId }))
  }

  /** Deletes a key by its id or by the key itself. */
  async deleteKey(key: { id: string } | { sk: string }): Promise<void> {
    await this.keyCall('POST', keyPaths.delete, { ...key })
  }

  /** Whether the service answers at all, without a key. */
  private async answers(signal: AbortSignal | undefined): Promise<boolean> {
    const sent = await this.requests.send({ method: 'GET', path: listPaths[0], signal }).catch(() => null)
    return sent !== null && 'answer' in sent
  }

  /** Tests the connection by requesting an id that doesn't exist; never throws. */
  async test(signal?: AbortSignal): Promise<ConnectionReport> {
    const began = performance.now()
    const secure = this.base.protocol === 'https:'
    const report = (
      reached: boolean,
      keyAccepted: boolean | null,
      error: ConnectionReport['error'],
      tls: ConnectionReport['tls'] = !secure ? 'none' : reached ? 'good' : null,
    ): ConnectionReport => ({
      ...{ reached, tls, keyAccepted, error },
      path: reached && keyAccepted !== null ? this.requests.listPath : null,
      clockSkewMs: reached ? this.requests.clockSkewMs : null,
      ms: Math.round(performance.now() - began),
    })
    try {
      await this.fetchTasks([`mien-test-${randomUUID()}`], signal)
      return report(true, true, null)
    } catch (thrown) {
      const error = toErrorBody(thrown)
      if (error.code === 'key-missing') return report(await this.answers(signal), null, error)
      if (error.code === 'key-refused') return report(true, false, error)
      if (isTlsFailure(error)) return report(false, null, error, 'bad')
      const reached = typeof error.details['status'] === 'number'
      return report(reached, error.code === 'no-credit' || error.code === 'rate-limited' ? true : null, error)
    }
  }
}
