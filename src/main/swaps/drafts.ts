/** @file Drafts: what they name, the new swap that one makes, and drafts that repeat swaps with another face. */
import { checkFace } from '@shared/tasks/consent.ts'
import { MienError } from '@shared/errors.ts'
import { rangeProblem } from '@shared/people/range.ts'
import {
  type Draft,
  type Task,
  type TaskCast,
  taskCastSchema,
  taskSchema,
  videoMediaSchema,
  type FaceMedia,
} from '@shared/tasks/task.ts'
import type { MediaStore } from '../media/media-store.ts'
import type { People } from '../media/people/people-service.ts'
import type { StoredClips } from './store/tables.ts'
import { randomUUID } from 'node:crypto'
import { swapOptionsSchema } from '@shared/options/swap-options.ts'
import { z } from 'zod'
import { batchTitle } from '@shared/files/name-template.ts'

/** What a draft says about a new swap. */
export interface DraftContent extends Pick<Task, 'face' | 'pictures' | 'video' | 'cast' | 'consents' | 'range'> {
  /** Null: no cast. */
  clips: StoredClips | null
}

/**
 * Looks up a draft's media and people. Checks consent and range.
 * @throws MienError `not-found`, codes of `checkFace`, `range-invalid`, `bad-argument`, codes of `People.cast`
 */
export function readDraft(draft: Draft, media: MediaStore, people: People): DraftContent {
  const { cast = [], range = null } = draft
  const faceOf = ({ faceId, pictureIds = [] }: Pick<Draft, 'faceId' | 'pictureIds'>) => ({
    face: media.face(faceId),
    pictures: [...new Set(pictureIds)].filter((id) => id !== faceId).map((id) => media.face(id)),
  })
  const faces = cast.map(faceOf)
  const first = faces[0] ?? faceOf(draft)
  const video = media.video(draft.videoId)
  const pictures = [first, ...faces].flatMap((each) => [each.face, ...each.pictures])
  for (const picture of pictures) checkFace(picture)
  const problem = range && rangeProblem(range, video.durationMs)
  if (problem !== null) throw new MienError('range-invalid', { reason: problem })
  const personIds = cast.map(({ personId }) => personId)
  if (new Set(personIds).size < personIds.length)
    throw new MienError('bad-argument', { field: 'cast', reason: 'A person can become only one face.' })
  const found = personIds.length > 0 ? people.cast(draft.videoId, personIds) : null
  const taskCast = faces.flatMap((become, index): TaskCast[] => {
    const person = found?.people[index]
    return person ? [{ personId: person.id, personName: person.name, personFaceId: person.faceId, ...become }] : []
  })
  return {
    ...{ ...first, video, range, cast: taskCast },
    consents: media.consentsOf(pictures),
    clips: found && { cast: Object.fromEntries(found.people.map(({ id, clips }) => [id, clips])), stay: found.stay },
  }
}

/** A new swap. Pure except for random ids. `paused`: the service's queue is paused. */
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

/** The part of a stored swap that is repeated. */
export const repeatedSchema = taskSchema.pick({ profileId: true, options: true, range: true }).extend({
  video: videoMediaSchema.pick({ id: true, name: true }),
  cast: z.array(taskCastSchema.pick({ personId: true })).default([]),
})
export type Repeated = z.infer<typeof repeatedSchema>

/**
 * Drafts with the same video, part, options and service. Pure. Swaps that would be the same are made once. All people of a cast get the face.
 * @param titles template for the titles
 */
export function draftsWith(face: Pick<FaceMedia, 'id' | 'name'>, swaps: readonly Repeated[], titles: string): Draft[] {
  const faceId = face.id
  const all = swaps.map(({ video, cast, ...same }) => ({
    name: video.name,
    draft: { ...same, faceId, videoId: video.id, cast: cast.map(({ personId }) => ({ personId, faceId })) },
  }))
  const unique = [...new Map(all.map((each) => [JSON.stringify(each.draft), each])).values()]
  return unique.map(({ name, draft }, index) => {
    const batch = unique.length > 1 ? { number: index + 1, count: unique.length } : null
    return { ...draft, title: batchTitle(titles, face.name, name, batch) }
  })
}
