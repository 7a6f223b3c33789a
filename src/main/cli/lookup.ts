/** @file What the words of a command stand for: a service, a swap. */
import { MienError } from '@shared/errors.ts'
import type { ProfileView } from '@shared/profile.ts'
import type { Task } from '@shared/task.ts'
import type { MediaStore } from '../media/media-store.ts'
import { plain, type Places } from './format.ts'

/** By its name in any case, or its id. @throws MienError `usage` */
export function named(profiles: readonly ProfileView[], name: string): ProfileView {
  const found =
    profiles.find(({ id }) => id === name) ??
    profiles.find((profile) => profile.name.toLowerCase() === name.trim().toLowerCase())
  if (!found) throw new MienError('usage', { reason: `There’s no service called ${plain(name)}` })
  return found
}

/**
 * By the whole id, here or at the service, or a beginning that only one has, of at least four characters.
 * @throws MienError `not-found`
 */
export function taskOf(library: { named: (id: string) => Task[] }, id: string): Task {
  const tasks = library.named(id)
  const exact = tasks.find((task) => task.id === id || task.objectId === id)
  const found = exact ?? (tasks.length === 1 && id.length >= 4 ? tasks[0] : undefined)
  if (!found) throw new MienError('not-found', { name: id })
  return found
}

/** Where media are, and what services are called. */
export function placesOf(media: Pick<MediaStore, 'path'>, names: ReadonlyMap<string, string>): Places {
  return {
    profile: (id) => names.get(id) ?? id,
    path: (id) => media.path(id),
  }
}
