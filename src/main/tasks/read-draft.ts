/** @file Looks up what a draft names: its media and people. Checks consent and range. */
import { mayUseFace } from '@shared/consent.ts'
import { MienError } from '@shared/errors.ts'
import { rangeProblem } from '@shared/range.ts'
import type { Draft, FaceMedia, Task } from '@shared/task.ts'
import type { MediaStore } from '../media/media-store.ts'
import type { People } from './rules/ports.ts'
import type { StoredClips } from './store/cast-clips.ts'

/** What a draft says about a new swap. */
export interface DraftContent extends Pick<Task, 'face' | 'pictures' | 'video' | 'cast' | 'range'> {
  /** Null: no cast. */
  clips: StoredClips | null
}

/** @throws MienError `not-found`, `forbidden` (a face is not confirmed), `range-invalid`, `bad-argument`, codes of `People.cast` */
export function readDraft(draft: Draft, media: MediaStore, people: People): DraftContent {
  const { cast = [], range = null } = draft
  const faces = (cast.length > 0 ? cast : [draft]).map(({ faceId, pictureIds = [] }) => {
    const [face, ...pictures] = [...new Set([faceId, ...pictureIds])].map((id) => media.face(id))
    // Never: the list has at least `faceId`.
    if (!face) throw new MienError('not-found', { id: faceId })
    return { face, pictures }
  })
  const video = media.video(draft.videoId)
  const unconfirmed = faces.flatMap(picturesOf).find((picture) => !mayUseFace(picture))
  if (unconfirmed) throw new MienError('forbidden', { name: unconfirmed.name })
  const problem = range && rangeProblem(range, video.durationMs)
  if (problem !== null) throw new MienError('range-invalid', { reason: problem })
  const personIds = cast.map(({ personId }) => personId)
  if (new Set(personIds).size < personIds.length)
    throw new MienError('bad-argument', { field: 'cast', reason: 'A person can become only one face.' })
  const found = personIds.length > 0 ? people.cast(draft.videoId, personIds) : null
  const [{ face, pictures }] = faces as [(typeof faces)[0]] // safe: the draft itself if there is no cast
  return {
    ...{ face, pictures, video, range },
    cast: (found?.people ?? []).flatMap(({ id, name, faceId }, index) => {
      const become = faces[index]
      return become ? { personId: id, personName: name, personFaceId: faceId, ...become } : []
    }),
    clips: found && { cast: Object.fromEntries(found.people.map(({ id, clips }) => [id, clips])), stay: found.stay },
  }
}

const picturesOf = ({ face, pictures }: { face: FaceMedia; pictures: FaceMedia[] }): FaceMedia[] => [face, ...pictures]
