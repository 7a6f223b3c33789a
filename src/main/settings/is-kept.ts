/** @file Whether a schema with defaults kept what it was given. Pure. */

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Whether every value of `raw` that has a place in `parsed` is there unchanged. Defaults that were added, white space that
 * was trimmed and unknown fields that were dropped are no loss.
 */
export function isKept(raw: unknown, parsed: unknown): boolean {
  if (Array.isArray(raw))
    return Array.isArray(parsed) && raw.length === parsed.length && raw.every((each, at) => isKept(each, parsed[at]))
  if (isObject(raw)) return isObject(parsed) && areFieldsKept(raw, parsed)
  return typeof raw === 'string' && typeof parsed === 'string' ? raw.trim() === parsed.trim() : Object.is(raw, parsed)
}

function areFieldsKept(raw: Record<string, unknown>, parsed: Record<string, unknown>): boolean {
  const fields = Object.entries(raw)
  // The default of a record: one entry that did not fit cost them all.
  if (fields.length > 0 && Object.keys(parsed).length === 0) return false
  return fields.every(([name, value]) => !Object.hasOwn(parsed, name) || isKept(value, parsed[name]))
}
