/** @file Reads fields of JSON objects whose names may differ in case and separators, and times in any form. */
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

const calendar =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?\s*(?:(Z|UTC|GMT)|([+-])(\d\d):?(\d\d)(?: [A-Z]{3,4})?)?$/i

/** Epoch in s, ms, µs or ns, told apart by magnitude: each range covers dates from 1973 to 5138. */
function fromEpoch(value: number): number | null {
  if (!Number.isFinite(value) || value <= 0) return null
  if (value < 1e11) return Math.round(value * 1000)
  if (value < 1e14) return Math.round(value)
  if (value < 1e17) return Math.round(value / 1e3)
  return value < 1e20 ? Math.round(value / 1e6) : null
}

/**
 * Epoch ms; null for absent (empty, null, 0, year 1, 1970-01-01T00:00:00Z) or unreadable values. Times without a zone
 * are UTC.
 */
export function readTime(value: Json | undefined): number | null {
  if (typeof value === 'number' || typeof value === 'bigint') return fromEpoch(Number(value))
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (/^\d+(?:\.\d+)?$/.test(text)) return fromEpoch(Number(text))
  const found = calendar.exec(text)
  if (!found) return null
  const part = (index: number) => Number(found[index] ?? 0)
  const [year, month, day] = [part(1), part(2), part(3)]
  const [hour, minute, second] = [part(4), part(5), part(6)]
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 60) return null
  const ms = Math.floor(Number(`0.${found[7] ?? '0'}`) * 1000)
  const offset = (found[9] === '-' ? -1 : 1) * (part(10) * 60 + part(11)) * 60_000
  const date = new Date(0)
  // Date.UTC maps years below 100 to 19xx; setUTCFullYear doesn't.
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, ms)
  const time = date.getTime() - offset
  return time > 0 ? time : null
}
