/** @file Migrates older `settings.json` files. Pure. */
import { isObject } from './is-kept.ts'

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
