/** @file Media that were never opened here, because only an online service can reach their address. Without zod. */
import type { FaceMedia, VideoMedia } from './task.ts'

/** True if there is no local file, only an address that is sent unchanged. */
export const isUnseen = ({ sizeBytes }: Pick<FaceMedia | VideoMedia, 'sizeBytes'>): boolean => sizeBytes === null
