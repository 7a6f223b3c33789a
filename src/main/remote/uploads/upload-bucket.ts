/** @file The bucket of an upload target. Converts S3's errors to error codes. */
import { MienError } from '@shared/errors.ts'
import type { UploadTarget } from '@shared/service/upload-target.ts'
import { refusalReason } from '../s3/answers.ts'
import { S3Bucket, type NameFailure, type S3Credentials, type S3Refusal } from '../s3/s3-bucket.ts'
import { networkFailure } from '../client/parsing/outcomes.ts'
import { parseBaseUrl } from '../../machine/settings/base-url.ts'

/** Maps a refusal to an error, by S3's error code or the status. */
export function refusal({ status, code }: S3Refusal, host: string): MienError {
  const details = { host, status, ...(code === '' ? {} : { serviceCode: code }) }
  if (status >= 500 || status === 429 || code === 'SlowDown') return new MienError('service-trouble', details)
  if (status === 408 || code === 'RequestTimeout') return new MienError('service-timeout', details)
  return new MienError('upload-refused', { ...details, reason: refusalReason({ status, code }) ?? 'other' })
}

const nameFailure: NameFailure = (failure, host) =>
  'thrown' in failure ? networkFailure(failure.thrown, host, failure.timedOut).error : refusal(failure, host)

/**
 * Methods reject with `upload-refused` (with `reason`), `service-trouble`, `service-unreachable`, `service-timeout`,
 * `cancelled`.
 */
export class UploadBucket extends S3Bucket {
  /** @throws MienError `address-invalid` */
  constructor(
    private readonly target: UploadTarget,
    credentials: S3Credentials,
    fetch: typeof globalThis.fetch,
  ) {
    super({ ...target, endpoint: parseBaseUrl(target.endpoint, false) }, credentials, fetch, nameFailure)
  }

  /** A URL that anyone can fetch: the public one, or one signed for the target's lifetime. */
  async address(key: string): Promise<string> {
    const { publicUrl, lifetimeHours } = this.target
    if (publicUrl !== null) return `${publicUrl.replace(/\/+$/, '')}/${key}`
    return this.signedUrl(key, lifetimeHours * 3600)
  }
}

/** Whether the storage deleted an unfinished multipart upload. */
export const isForgotten = (error: unknown): boolean =>
  error instanceof MienError && error.details['serviceCode'] === 'NoSuchUpload'
