/**
 * @file Finds the documented body in an answer of status 200. Services written in Go, Java or PHP
 * often put it into `data` or `result` of `{code, message, …}`, or say there that it went wrong.
 */
import { isJsonObject, type Json, type JsonObject } from '@shared/exact-json.ts'
import { field, textField } from './fields.ts'
import { findMessage } from './errors.ts'

export type Unwrapped =
  | { kind: 'body'; body: Json }
  /** The service answered 200 and an error inside. `code` as it wrote it. */
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

/** What the envelope itself says; null when it says nothing. */
function verdict(envelope: JsonObject): boolean | null {
  const success = field(envelope, 'success')
  if (typeof success === 'boolean') return success
  const code = ['code', 'errcode', 'errno', 'statusCode']
    .map((name) => textField(envelope, name))
    .find((text) => text !== null)
  if (code !== undefined) return successCodes.has(code.toLowerCase())
  // A word in `status` may be a task's; only these are an envelope's.
  const status = textField(envelope, 'status') ?? ''
  if (/^(?:\d+|error|fail|failed|failure)$/i.test(status)) return successCodes.has(status)
  const error = field(envelope, 'error')
  return error !== undefined && error !== null && error !== '' ? false : null
}

/** `wanted` is the documented field: `objectID` of create's answer, `list` of listbyids', `url` of an upload's. */
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
    // Go writes an empty list as null; some services give the id alone.
    if (wanted === 'list' && inner.includes(null)) return { kind: 'body', body: { list: [] } }
    const id = inner.find((value) => typeof value === 'string' && value !== '')
    if (wanted === 'objectID' && id !== undefined) return { kind: 'body', body: { objectID: id } }
  }
  return { kind: 'foreign' }
}

/** The error inside a 200, for answers of which nothing else is wanted. */
export function errorInside(answer: Json): { code: string | null; message: string | null } | null {
  return isJsonObject(answer) && verdict(answer) === false
    ? { code: textField(answer, 'code'), message: findMessage(answer) }
    : null
}
