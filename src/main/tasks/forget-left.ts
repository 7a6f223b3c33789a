/**
 * @file A removed swap leaves files at the embedded service, segments of it even when it failed on a full disk. Its entry
 * in the library stays until the service has let go of them.
 */
import { MienError } from '@shared/errors.ts'
import { embeddedProfileId } from '@shared/task.ts'
import type { ServiceClient } from '../service-client/service-client.ts'
import type { Log } from './ports.ts'
import type { TaskStore } from './task-store.ts'

/** A removed swap, and its name at the service. */
interface Left {
  id: string
  objectId: string
}

/** Swaps that were removed before this start and that the embedded service knows. */
export function leftAtService(store: TaskStore): Left[] {
  return store
    .removed()
    .flatMap(({ id, profileId, objectId }) =>
      profileId === embeddedProfileId && objectId !== null ? [{ id, objectId }] : [],
    )
}

/** Never rejects: what cannot be deleted now is tried again at the next start. */
export async function forgetLeft(
  left: readonly Left[],
  store: TaskStore,
  client: Pick<ServiceClient, 'delete'>,
  log: Log,
): Promise<void> {
  for (const { id, objectId } of left) {
    try {
      await client.delete(objectId)
      store.purge(id)
    } catch (error) {
      if (error instanceof MienError && error.code === 'not-found') store.purge(id)
      else log('A removed swap could not be deleted at the embedded service', error)
    }
  }
}
