import type { S3Refusal } from './s3-bucket.ts'

/** What the user has to change after a refusal; null: something else. */
export function refusalReason({ status, code }: S3Refusal): 'bucket' | 'clock' | 'region' | 'credentials' | null {
  if (code === 'NoSuchBucket') return 'bucket'
  if (code === 'RequestTimeTooSkewed') return 'clock'
  if (status === 301 || status === 307) return 'region'
  if (/Region|AuthorizationHeaderMalformed|PermanentRedirect/.test(code)) return 'region'
  return status === 401 || status === 403 ? 'credentials' : null
}
