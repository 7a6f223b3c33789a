/**
 * @file An S3-compatible bucket: put, multipart upload, delete, URLs. aws4fetch signs the requests (SigV4). Independent
 * of swaps.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 */
import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { MienError } from '@shared/errors.ts'
import type { UploadTarget } from '@shared/upload-target.ts'
import { readBounded } from '../service-client/transport/http.ts'
import { networkFailure } from '../service-client/parsing/network-failure.ts'
import { parseBaseUrl } from '../settings/base-url.ts'

export interface Part {
  number: number
  etag: string
}

const answerMs = 60_000
/** Timeout of a part: twice what a slow line (1 Mbit/s) needs for 16 MB. */
const partMs = 300_000

interface Ask {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  key: string
  query?: Record<string, string>
  body?: Uint8Array<ArrayBuffer> | string
  signal?: AbortSignal | undefined
}

interface Answer {
  status: number
  text: string
  etag: string | null
}

const tag = (xml: string, name: string): string | null =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.replaceAll('&quot;', '"').replaceAll('&amp;', '&') ?? null

/** Maps a refusal to an error, by S3's error code or the status. */
export function refusal({ status, text }: Pick<Answer, 'status' | 'text'>, host: string): MienError {
  const code = tag(text, 'Code') ?? ''
  const details = { host, status, ...(code === '' ? {} : { serviceCode: code }) }
  if (status >= 500 || status === 429 || code === 'SlowDown') return new MienError('service-trouble', details)
  if (status === 408 || code === 'RequestTimeout') return new MienError('service-timeout', details)
  const reason =
    code === 'NoSuchBucket'
      ? 'bucket'
      : code === 'RequestTimeTooSkewed'
        ? 'clock'
        : status === 301 || status === 307 || /Region|AuthorizationHeaderMalformed|PermanentRedirect/.test(code)
          ? 'region'
          : status === 401 || status === 403
            ? 'credentials'
            : 'other'
  return new MienError('upload-refused', { ...details, reason })
}

export class S3Bucket {
  private readonly client: AwsClient
  private readonly base: URL

  /** @throws MienError `address-invalid` */
  constructor(
    private readonly target: UploadTarget,
    credentials: { accessKeyId: string; secretAccessKey: string },
    private readonly fetch: typeof globalThis.fetch,
  ) {
    this.client = new AwsClient({ ...credentials, service: 's3', region: target.region, retries: 0 })
    const base = new URL(parseBaseUrl(target.endpoint, false))
    if (target.style === 'host') base.hostname = `${target.bucket}.${base.hostname}`
    else base.pathname = `${base.pathname.replace(/\/$/, '')}/${target.bucket}`
    this.base = base
  }

  private url(key: string, query: Record<string, string> = {}): URL {
    const url = new URL(this.base)
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${key}`
    url.search = new URLSearchParams(query).toString()
    return url
  }

  private async ask({ method, key, query, body, signal }: Ask): Promise<Answer> {
    const url = this.url(key, query)
    const late = AbortSignal.timeout(body instanceof Uint8Array ? partMs : answerMs)
    const either = signal ? AbortSignal.any([signal, late]) : late
    try {
      const md5 = body === undefined ? {} : { 'content-md5': createHash('md5').update(body).digest('base64') }
      const headers = method === 'PUT' ? { 'content-type': 'application/octet-stream', ...md5 } : {}
      // The body isn't signed: its MD5 is sent along, and the connection is encrypted or stays on this computer.
      const signed = await this.client.sign(url, { method, headers })
      const response = await this.fetch(url, {
        method,
        headers: Object.fromEntries(signed.headers),
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        credentials: 'omit',
        cache: 'no-store',
        signal: either,
      })
      const text = await readBounded(response, either, 1_000_000)
      return { status: response.status, text, etag: response.headers.get('etag') }
    } catch (thrown) {
      if (signal?.aborted) throw new MienError('cancelled', {}, { cause: thrown })
      throw networkFailure(thrown, url.host, late.aborted).error
    }
  }

  /**
   * @throws MienError `upload-refused` (with `reason`), `service-trouble`, `service-unreachable`, `service-timeout`,
   * `cancelled`
   */
  private async done(ask: Ask): Promise<Answer> {
    const answer = await this.ask(ask)
    if (answer.status < 200 || answer.status >= 300) throw refusal(answer, this.base.host)
    return answer
  }

  async put(key: string, body: Uint8Array<ArrayBuffer>, signal?: AbortSignal): Promise<void> {
    await this.done({ method: 'PUT', key, body, signal })
  }

  async begin(key: string, signal?: AbortSignal): Promise<string> {
    const { status, text } = await this.done({ method: 'POST', key, query: { uploads: '' }, signal })
    const id = tag(text, 'UploadId')
    if (id === null) throw refusal({ status, text }, this.base.host)
    return id
  }

  async putPart(
    key: string,
    uploadId: string,
    number: number,
    body: Uint8Array<ArrayBuffer>,
    signal?: AbortSignal,
  ): Promise<Part> {
    const query = { partNumber: String(number), uploadId }
    const { status, text, etag } = await this.done({ method: 'PUT', key, query, body, signal })
    if (etag === null) throw refusal({ status, text }, this.base.host)
    return { number, etag }
  }

  /** The answer may be a 200 with an error inside. */
  async complete(key: string, uploadId: string, parts: readonly Part[], signal?: AbortSignal): Promise<void> {
    const list = parts.map(
      ({ number, etag }) => `<Part><PartNumber>${String(number)}</PartNumber><ETag>${etag}</ETag></Part>`,
    )
    const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`
    const answer = await this.done({ method: 'POST', key, query: { uploadId }, body, signal })
    if (answer.text.includes('<Error>')) throw refusal({ status: 500, text: answer.text }, this.base.host)
  }

  /** An upload that no longer exists counts as aborted. */
  async abort(key: string, uploadId: string): Promise<void> {
    const answer = await this.ask({ method: 'DELETE', key, query: { uploadId } })
    if (answer.status >= 300 && answer.status !== 404) throw refusal(answer, this.base.host)
  }

  async delete(key: string): Promise<void> {
    const answer = await this.ask({ method: 'DELETE', key })
    if (answer.status >= 300 && answer.status !== 404) throw refusal(answer, this.base.host)
  }

  /** A URL that anyone can fetch: the public one, or one signed for the target's lifetime. */
  async address(key: string): Promise<string> {
    const { publicUrl, lifetimeHours } = this.target
    if (publicUrl !== null) return `${publicUrl.replace(/\/+$/, '')}/${key}`
    const url = this.url(key, { 'X-Amz-Expires': String(lifetimeHours * 3600) })
    return (await this.client.sign(url, { method: 'GET', aws: { signQuery: true } })).url
  }
}

/** Whether the storage has dropped a multipart upload. */
export const isForgotten = (error: unknown): boolean =>
  error instanceof MienError && error.details['serviceCode'] === 'NoSuchUpload'
