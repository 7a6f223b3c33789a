/** @file Resolves names in commands: services and swaps. */
import { MienError } from '@shared/errors.ts'
import type { ProfileView } from '@shared/profile.ts'
import type { Task } from '@shared/task.ts'
import type { MediaStore } from '../media/media-store.ts'
import { plain, type Places } from './format.ts'

/** By name (ignoring case) or id. @throws MienError `usage` */
export function named(profiles: readonly ProfileView[], name: string): ProfileView {
  const found =
    profiles.find(({ id }) => id === name) ??
    profiles.find((profile) => profile.name.toLowerCase() === name.trim().toLowerCase())
  if (!found) throw new MienError('usage', { reason: `There’s no service called ${plain(name)}` })
  return found
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
