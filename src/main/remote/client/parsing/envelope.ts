/**
 * @file Finds the documented body in an answer with status 200. Services written in Go, Java or PHP often wrap it in
 * `data` or `result` of `{code, message, …}`, or report an error there.
 */
import { isJsonObject, type Json, type JsonObject } from '@shared/service/exact-json.ts'
import { field, textField } from './fields.ts'
import { findMessage } from './answer-errors.ts'

export type Unwrapped =
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
