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

/** Returns the trimmed text if it is an http(s) address, else null. */
export function addressIn(text: string): string | null {
  const trimmed = text.trim()
  return /^https?:\/\/\S+$/i.test(trimmed) ? trimmed : null
}
