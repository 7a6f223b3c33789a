/** @file Media that were never opened here: an address that only an online service can reach. Without zod. */
import type { FaceMedia, VideoMedia } from './task.ts'

/** Whether there is no file of it on this computer, but an address to send as it is. */
export const isUnseen = ({ sizeBytes }: Pick<FaceMedia | VideoMedia, 'sizeBytes'>): boolean => sizeBytes === null
