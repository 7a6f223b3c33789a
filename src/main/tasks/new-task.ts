/** @file Creates a new swap. Pure except for random ids. */
import { randomUUID } from 'node:crypto'
import type { Draft, FaceMedia, Task, VideoMedia } from '@shared/task.ts'

/** `paused`: the service's queue is paused. */
export function newTask(
  { profileId, title }: Draft,
  { face, video, paused, now }: { face: FaceMedia; video: VideoMedia; paused: boolean; now: number },
): Task {
  return {
    id: randomUUID(),
    profileId,
    title,
    face,
    video,
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
    coverId: null,
    peopleIds: [],
    createdAt: now,
    updatedAt: now,
    startedAt: null,
    endedAt: null,
    events: [{ at: now, what: 'added', details: {} }],
  }
}
