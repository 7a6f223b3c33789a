/** @file Assigns dropped files to slots. */
import { mediaKindOf } from '@shared/files/media-names.ts'

export type SlotName = 'face' | 'video'

/** Types of what is dragged within the studio: a face onto a person, and a clip to another person. */
export const faceDragType = 'application/x-mien-face'
export const clipDragType = 'application/x-mien-clip'

interface Droppable {
  readonly type: string
  readonly name?: string
}

/** Decides by type, else by name. Null if neither helps: the slot under the pointer takes it and shows an error. */
export function slotFor(file: Droppable): SlotName | null {
  if (file.type.startsWith('image/')) return 'face'
  if (file.type.startsWith('video/')) return 'video'
  return mediaKindOf(file.name ?? '')
}

export interface Sorted<F> {
  readonly face: F | null
  readonly video: F | null
  /** The slot that took a file dropped on the other one. */
  readonly moved: SlotName | null
}

/**
 * Takes the first picture and the first video of the dropped files. A picture that is dropped on the slot for videos,
 * without a video, is what the face is swapped into.
 * @param under the slot under the pointer
 */
export function sortFiles<F extends Droppable>(files: readonly F[], under: SlotName | null): Sorted<F> {
  const picture = files.find((file) => slotFor(file) === 'face') ?? null
  const video = files.find((file) => slotFor(file) === 'video') ?? null
  const [first = null] = files
  if (under === 'video' && video === null && picture !== null) return { face: null, video: picture, moved: null }
  const face = picture
  if (face === null && video === null)
    return under === 'face' ? { face: first, video, moved: null } : { face, video: first, moved: null }
  const only = face !== null && video !== null ? null : face === null ? 'video' : 'face'
  return { face, video, moved: under === null || under === only ? null : only }
}

/** Whether there are several files for one slot, or a file that may be a folder. */
export function needsSearch(files: readonly Droppable[]): boolean {
  const kinds = files.map(slotFor)
  return kinds.includes(null) || kinds.length > new Set(kinds).size
}

/** Returns the trimmed text if it is an http(s) address, else null. */
export function addressIn(text: string): string | null {
  const trimmed = text.trim()
  return /^https?:\/\/\S+$/i.test(trimmed) ? trimmed : null
}
