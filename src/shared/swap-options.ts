/** @file Options of a swap besides its face and video. Services that know them say so in their capabilities. */
import { z } from 'zod'

/** Parts of the person in the video that can stay. */
export const keepable = ['mouth', 'glasses', 'hair'] as const
export type Keepable = (typeof keepable)[number]

export const swapOptionsSchema = z.object({
  /** How far brows, eyes, nose and mouth take the face's proportions, in percent: 0 is the video's. */
  likeness: z.int().min(0).max(100).default(65),
  /** What stays of the person in the video. `mouth` is lips and teeth, `hair` the hair over the forehead. */
  keep: z.array(z.enum(keepable)).max(keepable.length).default(['glasses', 'hair']),
})
export type SwapOptions = z.infer<typeof swapOptionsSchema>

export const defaultOptions: SwapOptions = swapOptionsSchema.parse({})

/** Number of pictures of one person in a swap, at most. */
export const maxPictures = 10

/** Names of the options that differ from the default. */
export function changedOptions({ likeness, keep }: SwapOptions): (keyof SwapOptions)[] {
  const sameKeep = keepable.every((part) => keep.includes(part) === defaultOptions.keep.includes(part))
  return [
    ...(likeness === defaultOptions.likeness ? [] : (['likeness'] as const)),
    ...(sameKeep ? [] : (['keep'] as const)),
  ]
}
