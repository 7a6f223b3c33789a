/**
 * @file Error codes, the error type that carries one, and the envelope in which an answer or an
 * error crosses IPC. The code decides what the studio shows and offers; sentences come from
 * `i18n/error-text.ts`, so an error never carries text for people, only the facts for it. Without the schema
 * (errors.ts), so that the studio's first bundle does not carry zod.
 */
export const pictureErrors = [
  'picture-unreadable',
  'picture-too-large',
  'no-face-in-picture',
  'face-too-small',
  'face-turned-away',
  'face-covered',
] as const

export const videoErrors = [
  'not-a-video',
  'file-empty',
  'no-video-track',
  'codec-unsupported',
  'video-damaged',
  'no-face-in-video',
] as const

/** The file is good, but not to be had as it was. */
export const fileErrors = [
  'file-missing',
  'file-is-folder',
  'file-unreadable',
  'file-unreachable',
  'file-changed',
] as const

export const addressErrors = ['address-invalid', 'address-silent', 'address-refused', 'address-not-video'] as const

/** A service or its key. */
export const serviceErrors = [
  'key-missing',
  'key-refused',
  'no-credit',
  'request-refused',
  'too-large',
  'rate-limited',
  'service-trouble',
  'service-unreachable',
  'service-certificate',
  'service-timeout',
  'create-unclear',
  'not-a-service',
  'needs-upload-target',
  'upload-refused',
  'no-keychain',
  'result-address-invalid',
  'result-unavailable',
] as const

/** Whether a result can never be fetched from the address that the service gave. */
export const isPermanentResultError = (code: ErrorCode): boolean => code === 'result-address-invalid'

export const errorCodes = [
  ...pictureErrors,
  ...videoErrors,
  ...fileErrors,
  ...addressErrors,
  ...serviceErrors,
  // What a service made of a swap
  'task-failed',
  'result-unreadable',
  // Disk
  'disk-full',
  'folder-missing',
  'folder-read-only',
  'save-failed',
  // Engine
  'engine-crashed',
  'engine-failed',
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
  // Data of another version or another program
  'data-newer',
  'data-damaged',
  'import-foreign',
  // The program itself
  'bad-argument',
  'forbidden',
  'not-found',
  'usage',
  'internal',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** Facts for the sentence: names, sizes in bytes, hosts, seconds. Never a key, never a path with a home in it. */
export type ErrorDetails = Record<string, string | number | boolean | null>

export interface ErrorBody {
  code: ErrorCode
  details: ErrorDetails
}

/** The one error type that Mien throws on purpose. `cause` keeps what lies under it, for the log. */
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

/** Anything thrown, as an error body; what was not thrown on purpose is `internal`. */
export function toErrorBody(thrown: unknown): ErrorBody {
  if (thrown instanceof MienError) return thrown.body
  return { code: 'internal', details: { reason: thrown instanceof Error ? thrown.message : String(thrown) } }
}

export type Envelope<T> = { ok: true; value: T } | { ok: false; error: ErrorBody }
