/** @file Resolves names in commands: services and swaps. */
import { MienError, usage } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { plain } from '@shared/plain.ts'
import { embeddedProfileId, type Task } from '@shared/tasks/task.ts'
import type { MediaStore } from '../../media/media-store.ts'
import type { Profiles } from '../../remote/profiles/profiles.ts'
import type { Places } from '../output/output-lines.ts'

/** A service by name (ignoring case) or id. Doesn't access the keychain. @throws MienError `usage` */
export function named(
  profiles: Pick<Profiles, 'names'>,
  name: string,
): { id: string; name: string; embedded: boolean } {
  const names = [...profiles.names()]
  const found =
    names.find(([id]) => id === name) ?? names.find(([, each]) => each.toLowerCase() === name.trim().toLowerCase())
  if (!found) throw usage(m.cli_no_service({ name: plain(name) }))
  return { id: found[0], name: found[1], embedded: found[0] === embeddedProfileId }
}

/** Id of a service for commands about keys. @throws MienError `usage` also for the embedded service */
export function keyOwner(profiles: Pick<Profiles, 'names'>, given: string): string {
  const { id, name, embedded } = named(profiles, given)
  if (embedded) throw usage(m.cli_no_key_needed({ name: plain(name) }))
  return id
}

/**
 * By full id, ours or the service's, or by a unique prefix of at least four characters.
 * @throws MienError `not-found`
 */
export function taskOf(library: { named: (id: string) => Task[] }, id: string): Task {
  const tasks = library.named(id)
  const exact = tasks.find((task) => task.id === id || task.objectId === id)
  const found = exact ?? (tasks.length === 1 && id.length >= 4 ? tasks[0] : undefined)
  if (!found) throw new MienError('not-found', { name: id })
  return found
}

/** Lookup of media paths and service names for output. */
export function placesOf(media: Pick<MediaStore, 'path'>, names: ReadonlyMap<string, string>): Places {
  return {
    profile: (id) => names.get(id) ?? id,
    path: (id) => media.path(id),
  }
}
