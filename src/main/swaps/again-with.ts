/** @file Drafts that repeat swaps with another face: same video, part, options and service. Pure. */
import { z } from 'zod'
import { batchTitle } from '@shared/files/name-template.ts'
import { taskCastSchema, taskSchema, videoMediaSchema, type Draft, type FaceMedia } from '@shared/tasks/task.ts'

/** The part of a stored swap that is repeated. */
export const repeatedSchema = taskSchema.pick({ profileId: true, options: true, range: true }).extend({
  video: videoMediaSchema.pick({ id: true, name: true }),
  cast: z.array(taskCastSchema.pick({ personId: true })).default([]),
})
export type Repeated = z.infer<typeof repeatedSchema>

/**
 * Swaps that would be the same are made once. All people of a cast get the face.
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
