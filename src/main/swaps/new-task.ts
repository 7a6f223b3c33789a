/** @file Creates a new swap. Pure except for random ids. */
import { randomUUID } from 'node:crypto'
import { swapOptionsSchema } from '@shared/options/swap-options.ts'
import type { Draft, Task } from '@shared/tasks/task.ts'
import type { DraftContent } from './drafts.ts'

/** `paused`: the service's queue is paused. */
export function newTask(
  { profileId, title, options = {} }: Draft,
  { face, pictures, video, cast, consents, range }: Omit<DraftContent, 'clips'>,
  { paused, now, batch = null }: { paused: boolean; now: number; batch?: Task['batch'] },
): Task {
  return {
    id: randomUUID(),
    profileId,
    title,
    face,
    pictures,
    options: swapOptionsSchema.parse(options),
    video,
    cast,
    consents,
    range,
    batch,
    state: 'queued',
    pause: paused ? 'service' : null,
    objectId: null,
    serviceStatus: null,
    serviceTaskId: null,
    progress: null,
    expected: null,
    position: null,
    preview: null,
    error: null,
    result: null,
    versions: null,
    coverId: null,
    peopleIds: [],
    createdAt: now,
    updatedAt: now,
    startedAt: null,
    endedAt: null,
    events: [{ at: now, what: 'added', details: {} }],
  }
}
