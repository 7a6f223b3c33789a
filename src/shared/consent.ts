/** @file Decides which faces may be used. Without zod, for the studio's first bundle. */
import type { FaceMedia } from './task.ts'

/** True if the user confirmed it or the face comes with Mien. */
export const mayUseFace = ({ confirmedAt, origin }: Pick<FaceMedia, 'confirmedAt' | 'origin'>): boolean =>
  confirmedAt !== null || origin === 'sample'
