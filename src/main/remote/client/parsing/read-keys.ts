/** @file Parses answers of key operations, whose shape the interface doesn't document. Pure. */
import { isJsonObject, type Json, type JsonObject } from '@shared/service/exact-json.ts'
import { field, textField } from './answers.ts'

export interface ServiceKey {
  /** The service's id of the key; null if it has none. */
  id: string | null
  /** The key as the service shows it, usually masked. */
  shown: string
}

const names = ['sk', 'key', 'apikey', 'openapiKey', 'token', 'secret', 'mask']

const keyOf = (object: JsonObject): string | null =>
  names.map((name) => textField(object, name)).find((text) => text !== null) ?? null

function readOne(value: Json): ServiceKey | null {
  if (typeof value === 'string') return value.trim() === '' ? null : { id: null, shown: value.trim() }
  if (!isJsonObject(value)) return null
  const shown = keyOf(value)
  return shown === null
    ? null
    : { id: textField(value, 'id') ?? textField(value, 'objectId') ?? textField(value, 'keyId'), shown }
}

/** Parses one key or a list of keys: text, an object, or either inside `data`, `result`, `list`, `keys` or `items`. */
export function readKeys(answer: Json, depth = 0): ServiceKey[] {
  if (Array.isArray(answer)) return answer.map(readOne).filter((key) => key !== null)
  const one = readOne(answer)
  if (one) return [one]
  if (!isJsonObject(answer) || depth > 3) return []
  for (const name of ['data', 'result', 'list', 'keys', 'items']) {
    const inner = field(answer, name)
    const keys = inner === undefined || inner === null ? [] : readKeys(inner, depth + 1)
    if (keys.length > 0) return keys
  }
  return []
}
