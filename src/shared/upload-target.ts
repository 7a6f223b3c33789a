/** @file Where local files go when a service takes addresses only: an S3-compatible bucket. Its secret is never in here. */
import { z } from 'zod'

/** A month is the longest that is of use; S3 itself signs for a week at most. */
export const maxLifetimeHours = 168

export const uploadTargetSchema = z.object({
  /** Address of the storage without the bucket: `https://s3.eu-central-1.amazonaws.com`. http to this computer only. */
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
  /** What keys begin with; may be empty. */
  prefix: z
    .string()
    .trim()
    .max(200)
    .regex(/^[A-Za-z0-9._/-]*$/),
  /** Public address of the bucket's content; null: addresses are signed. */
  publicUrl: z.string().trim().max(2000).nullable(),
  /** How long a signed address works. */
  lifetimeHours: z.int().min(1).max(maxLifetimeHours),
  /** Whether files are deleted once their swap has ended. */
  deleteAfter: z.boolean(),
})
export type UploadTarget = z.infer<typeof uploadTargetSchema>

/** Both, or neither to leave them as they are. */
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
  /** The access key's id, which is no secret; null: there are no credentials. */
  accessKeyId: string | null
  /** Set up for this computer: only its credentials can be changed. */
  locked?: true
}
