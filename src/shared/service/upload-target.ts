/**
 * @file An S3-compatible bucket for local files, for services that only accept addresses. Never contains the secret.
 */
import { z } from 'zod'

/** One week, the maximum that S3 allows for signed URLs. */
export const maxLifetimeHours = 168

export const uploadTargetSchema = z.object({
  /** URL without the bucket: `https://s3.eu-central-1.amazonaws.com`. http is allowed only to this computer. */
  endpoint: z.string().trim().min(1).max(2000),
  bucket: z
    .string()
    .trim()
    .regex(/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i),
  region: z
    .string()
    .trim()
    .regex(/^[a-z0-9-]{1,40}$/i),
  /** `path`: endpoint/bucket/key. `host`: bucket.endpoint/key. */
  style: z.enum(['path', 'host']),
  /** Prefix of object keys; may be empty. */
  prefix: z
    .string()
    .trim()
    .max(200)
    .regex(/^[A-Za-z0-9._/-]*$/),
  /** Public URL of the bucket's content; null: use signed URLs. */
  publicUrl: z.string().trim().max(2000).nullable(),
  /** Lifetime of signed URLs. */
  lifetimeHours: z.int().min(1).max(maxLifetimeHours),
  /** Delete files once their swap has ended. */
  deleteAfter: z.boolean(),
})
export type UploadTarget = z.infer<typeof uploadTargetSchema>

/** Access key and secret, always set together. */
export const uploadCredentialsSchema = z.strictObject({
  accessKeyId: z
    .string()
    .trim()
    .regex(/^[\x21-\x39\x3b-\x7e]{1,200}$/),
  secretAccessKey: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,1000}$/),
  keep: z.enum(['keychain', 'session']),
})
export type UploadCredentials = z.infer<typeof uploadCredentialsSchema>

export interface UploadTargetView {
  target: UploadTarget
  /** The access key's id, which isn't secret; null without credentials. */
  accessKeyId: string | null
  /** Fixed for this computer: only its credentials can be changed. */
  locked?: true
}
