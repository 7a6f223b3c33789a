/** @file Looks up what a draft names: its media and people. Checks consent and range. */
import { checkFace } from '@shared/tasks/consent.ts'
import { MienError } from '@shared/errors.ts'
import { rangeProblem } from '@shared/people/range.ts'
import type { Draft, Task, TaskCast } from '@shared/tasks/task.ts'
import type { MediaStore } from '../media/media-store.ts'
import type { People } from '../media/people/people-service.ts'
import type { StoredClips } from './store/tables.ts'

/** What a draft says about a new swap. */
export interface DraftContent extends Pick<Task, 'face' | 'pictures' | 'video' | 'cast' | 'consents' | 'range'> {
  /** Null: no cast. */
  clips: StoredClips | null
}

/** @throws MienError `not-found`, codes of `checkFace`, `range-invalid`, `bad-argument`, codes of `People.cast` */
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
