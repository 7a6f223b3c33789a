/** @file Options of a swap besides its face and video, and their defaults. Without zod, for the studio's first bundle. */

/** Parts of the person in the video that can stay: lips and teeth, glasses, hair over the forehead. */
export const keepable = ['mouth', 'glasses', 'hair'] as const
export type Keepable = (typeof keepable)[number]

export interface SwapOptions {
  /** How far brows, eyes, nose and mouth take the face's proportions, in percent: 0 is the video's. */
  likeness: number
  /** What stays of the person in the video. */
  keep: Keepable[]
  /** Id of a model of the user's; null for the built-in method. */
  method: string | null
}

export const defaultOptions: Readonly<SwapOptions> = { likeness: 65, keep: ['glasses', 'hair'], method: null }

/** Number of pictures of one person in a swap, at most. */
export const maxPictures = 10

/** Names of the options that differ from the default. */
export function changedOptions({ likeness, keep, method }: SwapOptions): (keyof SwapOptions)[] {
  const keepsSame = keepable.every((part) => keep.includes(part) === defaultOptions.keep.includes(part))
  const changed = { likeness: likeness !== defaultOptions.likeness, keep: !keepsSame, method: method !== null }
  return (['likeness', 'keep', 'method'] as const).filter((name) => changed[name])
}
