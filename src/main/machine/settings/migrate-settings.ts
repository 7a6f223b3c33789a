/** @file Migrates older `settings.json` files, and checks whether a schema with defaults kept its input. Pure. */

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

export const settingsVersion = 2

/**
 * Version 1 stored path spellings in the profile; version 2 stores everything learned about a service in notes. The
 * service's single key stays in the keychain under the service's id.
 */
function toVersion2(file: Record<string, unknown>): Record<string, unknown> {
  const profiles = Array.isArray(file['profiles']) ? file['profiles'] : []
  const notes = profiles.flatMap((profile: unknown) =>
    isObject(profile) && typeof profile['id'] === 'string' && isObject(profile['spelling'])
      ? [[profile['id'], { spelling: profile['spelling'] }] as const]
      : [],
  )
  return { ...file, notes: Object.fromEntries(notes) }
}

/** Version of a file; 0: none, because the file is new or the version was removed. */
export const versionOf = (raw: Record<string, unknown>): number =>
  typeof raw['version'] === 'number' && Number.isInteger(raw['version']) ? raw['version'] : 0

/** Leaves invalid values to the schema. A file without a version is treated as version 1. */
export function migrateSettings(raw: Record<string, unknown>): Record<string, unknown> {
  return { ...(versionOf(raw) < 2 ? toVersion2(raw) : raw), version: settingsVersion }
}
