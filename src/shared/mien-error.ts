/**
 * @file Error codes, the error type that has one, and the IPC envelope of a result or an error. The code decides what
 * the studio shows and offers. `i18n/error-text.ts` makes the sentences, so an error has no text for people, only the
 * details for it. The schema is in errors.ts, so that the studio's first bundle doesn't include zod.
 */
export const pictureErrors = [
  'picture-unreadable',
  'picture-too-large',
  'no-face-in-picture',
  'face-too-small',
  'face-turned-away',
  'face-covered',
  'picture-other-person',
] as const

export const videoErrors = [
  'not-a-video',
  'file-empty',
  'no-video-track',
  'codec-unsupported',
  'video-damaged',
  'no-face-in-video',
  'several-people',
] as const

/** Errors of what the user chose in a video: people and parts. */
export const choiceErrors = ['people-unfinished', 'person-unknown', 'range-invalid', 'plan-invalid'] as const

/** The file can't be accessed or changed. */
export const fileErrors = [
  'file-missing',
  'file-is-folder',
  'file-unreadable',
  'file-unreachable',
  'file-changed',
] as const

export const addressErrors = ['address-invalid', 'address-silent', 'address-refused', 'address-not-video'] as const

/** Errors of consents: withdrawn, a text that is too long, a release that can't be kept. */
export const consentErrors = ['consent-withdrawn', 'consent-invalid', 'release-refused'] as const

/** Errors of a model that the user adds. */
export const modelErrors = [
  'model-unreadable',
  'model-unknown',
  'model-manifest',
  'model-unusable',
  'model-failed',
] as const

/** Errors of a service or its key. */
export const serviceErrors = [
  'key-missing',
  'key-refused',
  'no-credit',
  'request-refused',
  'too-large',
  'rate-limited',
  'quota-reached',
  'service-trouble',
  'service-unreachable',
  'service-certificate',
  'certificate-changed',
  'service-timeout',
  'create-unclear',
  'not-a-service',
  'needs-upload-target',
  'upload-refused',
  'target-unsupported',
  'no-keychain',
  'result-address-invalid',
  'result-unavailable',
  'cast-unsupported',
  'range-unsupported',
] as const

/** True if a result can never be downloaded from the address that the service gave. */
export const isPermanentResultError = (code: ErrorCode): boolean => code === 'result-address-invalid'

export const errorCodes = [
  ...pictureErrors,
  ...videoErrors,
  ...choiceErrors,
  ...fileErrors,
  ...addressErrors,
  ...consentErrors,
  ...modelErrors,
  ...serviceErrors,
  // Results of a service
  'task-failed',
  'result-unreadable',
  // Disk
  'disk-full',
  'folder-missing',
  'folder-read-only',
  'save-failed',
  'trash-failed',
  'open-failed',
  // Engine
  'engine-crashed',
  'engine-failed',
  'part-unsupported',
  'cancelled',
  // Updates
  'update-unreachable',
  'update-unsigned',
  'update-signature',
  'update-mismatch',
  'update-expired',
  'update-clock',
  'update-older',
  'update-foreign',
  'update-damaged',
  'update-failed',
  'proxy-password',
  // Parts of a cluster
  'database-unusable',
  'engine-start',
  'storage-unreachable',
  'storage-refused',
  'storage-damaged',
  // Data of another version or another program
  'data-newer',
  'data-damaged',
  'import-foreign',
  // Tags
  'tag-invalid',
  'too-many-tags',
  'preset-invalid',
  'pairing-invalid',
  // Credentials
  'bad-certificate',
  'not-signed',
  // The program itself
  'bad-argument',
  'forbidden',
  'not-found',
  'usage',
  'internal',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** Details for the sentence: names, sizes in bytes, hosts, seconds. Never a key or a path with a home folder. */
export type ErrorDetails = Record<string, string | number | boolean | null>

export interface ErrorBody {
  code: ErrorCode
  details: ErrorDetails
}

/** The only error type that Mien throws on purpose. `cause` is the original error, for the log. */
export class MienError extends Error {
  override readonly name = 'MienError'
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(`${code} ${JSON.stringify(details)}`, options)
    this.code = code
    this.details = details
  }

  get body(): ErrorBody {
    return { code: this.code, details: this.details }
  }
}

/** The error of a command that can't be done as it was written. */
export const usage = (reason: string, cause?: unknown): MienError => new MienError('usage', { reason }, { cause })

/** Adds details to a MienError, without replacing its own. Returns other errors unchanged. */
export const withDetails = (error: unknown, details: ErrorDetails): unknown =>
  error instanceof MienError ? new MienError(error.code, { ...details, ...error.details }, { cause: error }) : error

/** Converts anything thrown to an error body. Errors other than `MienError` become `internal`. */
export function toErrorBody(thrown: unknown): ErrorBody {
  if (thrown instanceof MienError) return thrown.body
  return { code: 'internal', details: { reason: thrown instanceof Error ? thrown.message : String(thrown) } }
}

export type Envelope<T> = { ok: true; value: T } | { ok: false; error: ErrorBody }
