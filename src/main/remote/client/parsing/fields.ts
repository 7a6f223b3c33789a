/** @file Reads fields of JSON objects whose names may differ in case and separators. */
import { isJsonObject, type Json, type JsonObject } from '@shared/service/exact-json.ts'

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
