/**
 * @file Reads answers of services: fields whose names may differ in case and separators; refusals (status, headers, body)
 * as typed errors; and the documented body in an answer with status 200. Services written in Go, Java or PHP often wrap it
 * in `data` or `result` of `{code, message, …}`, or report an error there. Pure.
 */
import { isJsonObject, type Json, type JsonObject } from '@shared/service/exact-json.ts'
import { errorBodySchema, MienError, type ErrorCode, type ErrorDetails } from '@shared/errors.ts'

const fold = (name: string) => name.replaceAll(/[_-]/g, '').toLowerCase()

/** Field of that exact name, else one that differs only in case, underscores and hyphens. */
export function field(object: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(object, name)) return object[name]
  const folded = fold(name)
  for (const [other, value] of Object.entries(object)) if (fold(other) === folded) return value
  return undefined
}

export function objectField(object: JsonObject, name: string): JsonObject {
  const value = field(object, name)
  return isJsonObject(value) ? value : {}
}

/** Non-blank text, or a number as text (integers exact); else null. */
export function textField(object: JsonObject, name: string): string | null {
  const value = field(object, name)
  if (typeof value === 'string') return value.trim() === '' ? null : value
  if (typeof value === 'bigint' || typeof value === 'number') return String(value)
  return null
}

/** A positive number, given as a number or text; else null. */
export function positiveField(object: JsonObject, name: string): number | null {
  const value = field(object, name)
  if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'string') return null
  const number = typeof value === 'string' && value.trim() === '' ? 0 : Number(value)
  return Number.isFinite(number) && number > 0 ? number : null
}

export interface Answer {
  status: number
  contentType: string
  retryAfter: string | null
  /** The Date header. */
  date?: string | null
  text: string
  /** Undefined: not JSON. */
  json: Json | undefined
  /** Whether it is from Mien's service, in the app or on a server: its error codes are Mien's. Others are text. */
  isOwn?: boolean
}

const maxMessage = 300
const firstBytes = 80

function inside(value: Json | undefined): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim()
  return isJsonObject(value)
    ? (textField(value, 'message') ?? textField(value, 'msg') ?? textField(value, 'detail'))
    : null
}

/** The message in an error body, in any of the usual places; at most 300 characters. */
export function findMessage(body: Json | undefined): string | null {
  if (!isJsonObject(body)) return typeof body === 'string' ? body.slice(0, maxMessage) : null
  const list = field(body, 'errors')
  const first = Array.isArray(list) ? list[0] : undefined
  const candidates = [
    ...['message', 'msg', 'error', 'detail', 'title'].map((name) => inside(field(body, name))),
    inside(first),
  ]
  return candidates.find((text) => text !== null)?.slice(0, maxMessage) ?? null
}

/** Retry-After in ms, from seconds or a date (RFC 9110, 10.2.3); null when absent. At most one hour. */
export function readRetryAfter(header: string | null, now = Date.now()): number | null {
  if (header === null || header.trim() === '') return null
  const text = header.trim()
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.ceil(ms)), 3_600_000) : null
}

/** Time at the service, epoch ms, from its Date header: a Retry-After date refers to that clock, not to ours. */
function clockOf(answer: Pick<Answer, 'date'>): number {
  const dateMs = Date.parse(answer.date ?? '')
  return Number.isFinite(dateMs) ? dateMs : Date.now()
}

/** First bytes of an unexpected answer, on one line. */
const glimpse = (text: string): string =>
  text
    .slice(0, firstBytes * 2)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, firstBytes)

const keyWords =
  /\b(?:api|open ?api|service|access)[ _-]?key\b|\bsk\b|unauthori[sz]ed|unauthenticated|forbidden|invalid (?:key|token)|privilege|permission/i
const creditWords = /balance|credit|quota exceeded|payment|recharge|arrears/i
const rateWords = /too many|rate.?limit|too frequent|throttl/i

/** HTTP status derived from an error code inside a 200: 401, 40101 and 401001 are all 401; 0 if unknown. */
function statusOfCode(code: string | null, message: string | null): number {
  const leading = /^([45]\d\d)\d{0,3}$/.exec(code ?? '')?.[1]
  if (leading !== undefined) return Number(leading)
  const text = `${code ?? ''} ${message ?? ''}`
  if (rateWords.test(text)) return 429
  if (creditWords.test(text)) return 402
  return keyWords.test(text) ? 401 : 0
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401 || status === 403) return 'key-refused'
  if (status === 402) return 'no-credit'
  if (status === 407) return 'proxy-password'
  if (status === 408) return 'service-timeout'
  if (status === 413) return 'too-large'
  if (status === 429) return 'rate-limited'
  return status >= 500 ? 'service-trouble' : 'request-refused'
}

/** Problem details of Mien's service carry a Mien error code. */
function ownProblem(json: JsonObject, contentType: string): MienError | null {
  if (!contentType.startsWith('application/problem+json')) return null
  const body = errorBodySchema.safeParse({ code: json['code'], details: json['details'] ?? {} })
  return body.success ? new MienError(body.data.code, body.data.details) : null
}

/** Maps any unsuccessful answer to an error. The details have `status` and, if present, the service's message. */
export function errorOfAnswer(answer: Answer): MienError {
  const { status, json, text, contentType } = answer
  const own = answer.isOwn && isJsonObject(json) ? ownProblem(json, contentType) : null
  const details: ErrorDetails = { status }
  const retryAfterMs = readRetryAfter(answer.retryAfter, clockOf(answer))
  if (retryAfterMs !== null) details['retryAfterMs'] = retryAfterMs
  if (own) return new MienError(own.code, { ...own.details, ...details })
  const code = codeOfStatus(status)
  const message = findMessage(json)
  if (message !== null) details['message'] = message
  // A web page with 404 is not from a service; a proxy's page with 502 still means that the service is failing.
  if (code === 'request-refused' && json === undefined && text.trim() !== '') return notAService(text, status)
  return new MienError(code, details)
}

/** Error for a 200 that contains an error (answers.ts). */
export function errorInEnvelope(
  code: string | null,
  message: string | null,
  { retryAfter, date }: Pick<Answer, 'retryAfter' | 'date'> = { retryAfter: null },
): MienError {
  const status = statusOfCode(code, message)
  const details: ErrorDetails = { status: status || 200 }
  if (message !== null) details['message'] = message
  if (code !== null) details['serviceCode'] = code
  const retryAfterMs = readRetryAfter(retryAfter, clockOf({ date: date ?? null }))
  if (retryAfterMs !== null) details['retryAfterMs'] = retryAfterMs
  return new MienError(codeOfStatus(status), details)
}

/** `reason` of a `not-a-service` for an answer that is too long. */
export const tooLong = 'too-long'

export const notAService = (text: string, status = 200): MienError =>
  new MienError('not-a-service', { status, firstBytes: glimpse(text) })

type Unwrapped =
  | { kind: 'body'; body: Json }
  /** An error inside a 200. `code` is verbatim. */
  | { kind: 'error'; code: string | null; message: string | null }
  /** Neither: not an answer of this interface. */
  | { kind: 'foreign' }

const successCodes = new Set([
  '0',
  '200',
  '201',
  '1',
  '00000',
  '000000',
  'ok',
  'success',
  'succeeded',
  'true',
  'a00000',
])

const has = (value: Json | undefined, name: string): value is JsonObject =>
  isJsonObject(value) && field(value, name) !== undefined

/** Success flag of the envelope; null when it has none. */
function verdict(envelope: JsonObject): boolean | null {
  const success = field(envelope, 'success')
  if (typeof success === 'boolean') return success
  const code = ['code', 'errcode', 'errno', 'statusCode']
    .map((name) => textField(envelope, name))
    .find((text) => text !== null)
  if (code !== undefined) return successCodes.has(code.toLowerCase())
  // `status` may also be a task's status word; only these values belong to an envelope.
  const status = textField(envelope, 'status') ?? ''
  if (/^(?:\d+|error|fail|failed|failure)$/i.test(status)) return successCodes.has(status)
  const error = field(envelope, 'error')
  return error !== undefined && error !== null && error !== '' ? false : null
}

/**
 * Unwraps the envelope. `wanted` is the documented field: `objectID` of create, `list` of listbyids, `url` of an
 * upload.
 */
export function unwrap(answer: Json, wanted: 'objectID' | 'list' | 'url'): Unwrapped {
  if (has(answer, wanted)) return { kind: 'body', body: answer }
  if (Array.isArray(answer) && wanted === 'list') return { kind: 'body', body: { list: answer } }
  if (!isJsonObject(answer)) return { kind: 'foreign' }
  const inner = [field(answer, 'data'), field(answer, 'result')]
  for (const candidate of inner) {
    if (has(candidate, wanted)) return { kind: 'body', body: candidate }
    if (wanted === 'list' && Array.isArray(candidate)) return { kind: 'body', body: { list: candidate } }
  }
  const said = verdict(answer)
  if (said === false) {
    const code = textField(answer, 'code') ?? textField(answer, 'errcode') ?? textField(answer, 'errno')
    return { kind: 'error', code, message: findMessage(answer) }
  }
  if (said === true) {
    // Go writes an empty list as null; some services return the bare id.
    if (wanted === 'list' && inner.includes(null)) return { kind: 'body', body: { list: [] } }
    const id = inner.find((value) => typeof value === 'string' && value !== '')
    if (wanted === 'objectID' && id !== undefined) return { kind: 'body', body: { objectID: id } }
  }
  return { kind: 'foreign' }
}

/** The error inside a 200, for answers without a needed body; null when there is none. */
export function errorInside(answer: Json): { code: string | null; message: string | null } | null {
  return isJsonObject(answer) && verdict(answer) === false
    ? { code: textField(answer, 'code'), message: findMessage(answer) }
    : null
}
