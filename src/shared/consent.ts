/** @file Which faces may be used. Without zod, for the studio's first bundle. */
import type { FaceMedia } from './task.ts'

/** The user said so, or it comes with Mien. */
export const mayUseFace = ({ confirmedAt, origin }: Pick<FaceMedia, 'confirmedAt' | 'origin'>): boolean =>
  confirmedAt !== null || origin === 'sample'
