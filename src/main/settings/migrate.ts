/** @file Brings the form of an older `settings.json` to the present one. Pure. */
import { isObject } from './is-kept.ts'

export const settingsVersion = 2

/**
 * Version 1 remembered the spelling of a service's paths in its profile; version 2 keeps all that it learns about a
 * service in notes. The one key that a service had stays where it is in the keychain: under the service's id.
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

/** What a file says of itself; 0: nothing, so it is new or somebody took it away. */
export const versionOf = (raw: Record<string, unknown>): number =>
  typeof raw['version'] === 'number' && Number.isInteger(raw['version']) ? raw['version'] : 0

/** What cannot be read is left to the schema. A file that says no version is read as one of the first. */
export function migrateSettings(raw: Record<string, unknown>): Record<string, unknown> {
  return { ...(versionOf(raw) < 2 ? toVersion2(raw) : raw), version: settingsVersion }
}
