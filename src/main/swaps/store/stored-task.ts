/** @file Schemas of the `data` of a swap's row: the whole Task as JSON text. */
import { z } from 'zod'
import { faceOutlineSchema } from '@shared/engine/engine.ts'
import { faceMediaSchema, taskResultSchema, taskSchema, videoMediaSchema } from '@shared/tasks/task.ts'

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue('not JSON')
    return z.NEVER
  }
})
/** A swap from a row's `data`. */
export const storedTask = json.pipe(taskSchema)
/** The part of a swap that a row shows; skips the rest, mostly face outlines. */
export const storedRow = json.pipe(
  taskSchema.extend({
    face: faceMediaSchema.pick({ name: true, thumbnailId: true }),
    video: videoMediaSchema
      .pick({ name: true, durationMs: true, width: true, height: true, coverId: true })
      .extend({ faces: z.array(faceOutlineSchema.pick({ box: true })) }),
    result: taskResultSchema.pick({ folderName: true, sizeBytes: true }).nullable(),
  }),
)
