/**
 * @file An S3-compatible bucket: objects, multipart uploads, lists, signed URLs. aws4fetch signs the requests (SigV4).
 * Every request is sent once. Independent of what the objects are for.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 */
import { hash } from 'node:crypto'
import { ReadableStream as NodeStream } from 'node:stream/web'
import { AwsClient } from 'aws4fetch'
import { MienError } from '@shared/errors.ts'
import { chunksOf, DownloadTimeout, readText } from '../../machine/transfer/download-timeout.ts'
import { tagOf, tagsOf } from './answers.ts'

export interface S3Place {
  /** URL without the bucket and without a slash at its end. */
  endpoint: string
  bucket: string
  region: string
  /** `path`: endpoint/bucket/key. `host`: bucket.endpoint/key. */
  style: 'path' | 'host'
}

export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
}

/** An unsuccessful answer. `code` is S3's error code; empty if there is none. */
export interface S3Refusal {
  status: number
  code: string
}

/** Converts a refusal, or the error that ended a request (`timedOut`: our own timeout). */
export type NameFailure = (failure: S3Refusal | { thrown: unknown; timedOut: boolean }, host: string) => MienError

export interface Part {
  number: number
  etag: string
}

export interface S3Object {
  key: string
  /** Epoch ms. */
  storedAt: number
}

const answerMs = 60_000
/** Timeout of a part: twice what a slow line (1 Mbit/s) needs for 16 MB. */
const partMs = 300_000
/** Max size of an answer that isn't a file. */
const maxTextBytes = 2_000_000

interface Ask {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  key: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Uint8Array<ArrayBuffer> | string
  signal?: AbortSignal | undefined
}

interface Answer {
  status: number
  text: string
  headers: Headers
}

export class S3Bucket {
  readonly host: string
  private readonly client: AwsClient
  private readonly base: URL

  constructor(
    { endpoint, bucket, region, style }: S3Place,
    credentials: S3Credentials,
    private readonly fetch: typeof globalThis.fetch,
    private readonly nameFailure: NameFailure,
  ) {
    this.client = new AwsClient({ ...credentials, service: 's3', region, retries: 0 })
    this.base = new URL(endpoint)
    if (style === 'host') this.base.hostname = `${bucket}.${this.base.hostname}`
    else this.base.pathname = `${this.base.pathname.replace(/\/$/, '')}/${bucket}`
    this.host = this.base.host
  }

  private url(key: string, query: Record<string, string> = {}): URL {
    const url = new URL(this.base)
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${key}`
    url.search = new URLSearchParams(query).toString()
    return url
  }

  private async request({ method, key, query, headers = {}, body }: Ask, signal: AbortSignal): Promise<Response> {
    const url = this.url(key, query)
    const signed = await this.client.sign(url, { method, headers })
    return this.fetch(url, {
      method,
      headers: Object.fromEntries(signed.headers),
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
      signal,
    })
  }

  private failed(thrown: unknown, timedOut: boolean, signal: AbortSignal | undefined): MienError {
    if (signal?.aborted) return new MienError('cancelled', {}, { cause: thrown })
    return this.nameFailure({ thrown, timedOut }, this.host)
  }

  private refused({ status, text }: Pick<Answer, 'status' | 'text'>): MienError {
    return this.nameFailure({ status, code: tagOf(text, 'Code') ?? '' }, this.host)
  }

  /** Resolves for any status. */
  private async ask(ask: Ask): Promise<Answer> {
    const late = AbortSignal.timeout(ask.body instanceof Uint8Array ? partMs : answerMs)
    const either = ask.signal ? AbortSignal.any([ask.signal, late]) : late
    try {
      const response = await this.request(ask, either)
      return { status: response.status, text: await this.textOf(response, either), headers: response.headers }
    } catch (thrown) {
      throw this.failed(thrown, late.aborted, ask.signal)
    }
  }

  private async textOf(response: Response, signal: AbortSignal): Promise<string> {
    const { text, isCut } = await readText(chunksOf(response.body, signal), maxTextBytes)
    if (isCut) throw new MienError('not-a-service', { status: response.status })
    return text
  }

  /** @throws MienError as `nameFailure`, `cancelled` */
  private async done(ask: Ask): Promise<Answer> {
    const answer = await this.ask(ask)
    if (answer.status < 200 || answer.status >= 300) throw this.refused(answer)
    return answer
  }

  /** Headers of a body. The storage refuses a body that doesn't match them. */
  private bodyHeaders(body: Uint8Array, sha256: string | undefined): Record<string, string> {
    return {
      'content-type': 'application/octet-stream',
      'content-md5': hash('md5', body, 'base64'),
      ...(sha256 === undefined
        ? {}
        : {
            'x-amz-content-sha256': sha256,
            'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
          }),
    }
  }

  /** With `sha256` (hex), the storage refuses a body whose hash is different. */
  async put(key: string, body: Uint8Array<ArrayBuffer>, signal?: AbortSignal, sha256?: string): Promise<void> {
    await this.done({ method: 'PUT', key, body, headers: this.bodyHeaders(body, sha256), signal })
  }

  /** Starts a multipart upload. Returns its id. */
  async begin(key: string, signal?: AbortSignal): Promise<string> {
    const answer = await this.done({ method: 'POST', key, query: { uploads: '' }, signal })
    const id = tagOf(answer.text, 'UploadId')
    if (id === null) throw this.refused(answer)
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
    const headers = this.bodyHeaders(body, undefined)
    const answer = await this.done({ method: 'PUT', key, query, headers, body, signal })
    const etag = answer.headers.get('etag')
    if (etag === null) throw this.refused(answer)
    return { number, etag }
  }

  /** S3 may report an error in an answer with status 200. */
  async complete(key: string, uploadId: string, parts: readonly Part[], signal?: AbortSignal): Promise<void> {
    const list = parts.map(
      ({ number, etag }) => `<Part><PartNumber>${String(number)}</PartNumber><ETag>${etag}</ETag></Part>`,
    )
    const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`
    const answer = await this.done({ method: 'POST', key, query: { uploadId }, body, signal })
    if (answer.text.includes('<Error>')) throw this.refused({ status: 500, text: answer.text })
  }

  /** Succeeds if the upload no longer exists. */
  async abort(key: string, uploadId: string): Promise<void> {
    const answer = await this.ask({ method: 'DELETE', key, query: { uploadId } })
    if (answer.status >= 300 && answer.status !== 404) throw this.refused(answer)
  }

  async delete(key: string): Promise<void> {
    const answer = await this.ask({ method: 'DELETE', key })
    if (answer.status >= 300 && answer.status !== 404) throw this.refused(answer)
  }

  async has(key: string): Promise<boolean> {
    const { status, text } = await this.ask({ method: 'HEAD', key })
    if (status !== 200 && status !== 404) throw this.refused({ status, text })
    return status === 200
  }

  /**
   * Bytes of an object from `start` to `end` (inclusive), and the size of the whole object. Null: no such object. The
   * body fails if nothing arrives for 30 s.
   */
  async get(
    key: string,
    { range, signal }: { range?: { start: number; end: number } | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<{ size: number; body: ReadableStream<Uint8Array> } | null> {
    const timeout = new DownloadTimeout(signal, answerMs)
    const failed = (thrown: unknown): MienError => {
      timeout.end()
      return thrown instanceof MienError ? thrown : this.failed(thrown, timeout.silentSeconds !== null, signal)
    }
    try {
      const headers = range ? { range: `bytes=${String(range.start)}-${String(range.end)}` } : {}
      const response = await this.request({ method: 'GET', key, headers }, timeout.signal)
      const { status } = response
      if (status !== 200 && status !== 206) {
        const text = await this.textOf(response, timeout.signal)
        timeout.end()
        if (status === 404 && tagOf(text, 'Code') !== 'NoSuchBucket') return null
        throw this.refused({ status, text })
      }
      const total = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1]
      const size = Number(total ?? response.headers.get('content-length'))
      const body = async function* (): AsyncGenerator<Uint8Array> {
        try {
          yield* timeout.chunks(response)
        } catch (thrown) {
          throw failed(thrown)
        } finally {
          timeout.end()
        }
      }
      // node:stream/web's type of fetch's stream.
      return { size, body: NodeStream.from(body()) as ReadableStream<Uint8Array> }
    } catch (thrown) {
      throw failed(thrown)
    }
  }

  /** One page of the objects whose key begins with `prefix`, sorted by key. `next`: null on the last page. */
  async list(prefix: string, token: string | null): Promise<{ objects: S3Object[]; next: string | null }> {
    const query = { 'list-type': '2', prefix, ...(token === null ? {} : { 'continuation-token': token }) }
    const { text } = await this.done({ method: 'GET', key: '', query })
    const objects = tagsOf(text, 'Contents').map((xml) => ({
      key: tagOf(xml, 'Key') ?? '',
      storedAt: Date.parse(tagOf(xml, 'LastModified') ?? ''),
    }))
    return { objects, next: tagOf(text, 'NextContinuationToken') }
  }

  /** Multipart uploads that were neither completed nor aborted, at most the first 1000. */
  async uploads(prefix: string): Promise<{ key: string; uploadId: string; startedAt: number }[]> {
    const { text } = await this.done({ method: 'GET', key: '', query: { uploads: '', prefix } })
    return tagsOf(text, 'Upload').map((xml) => ({
      key: tagOf(xml, 'Key') ?? '',
      uploadId: tagOf(xml, 'UploadId') ?? '',
      startedAt: Date.parse(tagOf(xml, 'Initiated') ?? ''),
    }))
  }

  /** A URL with which anyone can download the object for `seconds`. */
  async signedUrl(key: string, seconds: number): Promise<string> {
    const url = this.url(key, { 'X-Amz-Expires': String(seconds) })
    return (await this.client.sign(url, { method: 'GET', aws: { signQuery: true } })).url
  }
}
