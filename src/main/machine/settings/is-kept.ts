/** @file Checks whether a schema with defaults kept its input. Pure. */

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Whether every value of `raw` that has a field in `parsed` is there unchanged. Added defaults, trimmed white space and
 * dropped unknown fields don't count as loss.
 */
export function isKept(raw: unknown, parsed: unknown): boolean {
  if (Array.isArray(raw))
    return Array.isArray(parsed) && raw.length === parsed.length && raw.every((each, at) => isKept(each, parsed[at]))
  if (isObject(raw)) return isObject(parsed) && areFieldsKept(raw, parsed)
  return typeof raw === 'string' && typeof parsed === 'string' ? raw.trim() === parsed.trim() : Object.is(raw, parsed)
}

function areFieldsKept(raw: Record<string, unknown>, parsed: Record<string, unknown>): boolean {
  const fields = Object.entries(raw)
  // A record falls back to its empty default as a whole: one invalid entry drops all.
  if (fields.length > 0 && Object.keys(parsed).length === 0) return false
  return fields.every(([name, value]) => !Object.hasOwn(parsed, name) || isKept(value, parsed[name]))
}
