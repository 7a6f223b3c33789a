/** @file Which slot a file belongs to. */
import { mediaKindOf } from '@shared/media-names.ts'

export type SlotName = 'face' | 'video'

interface Droppable {
  readonly type: string
  readonly name?: string
}

/** By type, else by name; null: neither, so the slot under the pointer takes it and says what is wrong. */
export function slotFor(file: Droppable): SlotName | null {
  if (file.type.startsWith('image/')) return 'face'
  if (file.type.startsWith('video/')) return 'video'
  return mediaKindOf(file.name ?? '')
}

export interface Sorted<F> {
  readonly face: F | null
  readonly video: F | null
  /** How many files go nowhere. */
  readonly unused: number
  /** The slot that a file went to although it was dropped on the other one. */
  readonly moved: SlotName | null
}

/** Which slots a set of dropped files goes to: the first picture, the first video. `under`: the slot under the pointer. */
export function sortFiles<F extends Droppable>(files: readonly F[], under: SlotName | null): Sorted<F> {
  const face = files.find((file) => slotFor(file) === 'face') ?? null
  const video = files.find((file) => slotFor(file) === 'video') ?? null
  const [first = null] = files
  if (face === null && video === null) {
    const unused = Math.max(0, files.length - 1)
    return under === 'face' ? { face: first, video, unused, moved: null } : { face, video: first, unused, moved: null }
  }
  const used = face !== null && video !== null ? 2 : 1
  const only = used === 2 ? null : face === null ? 'video' : 'face'
  return { face, video, unused: files.length - used, moved: under === null || under === only ? null : only }
}

/** The first http(s) address in a text that is one; null otherwise. */
export function addressIn(text: string): string | null {
  const trimmed = text.trim()
  return /^https?:\/\/\S+$/i.test(trimmed) ? trimmed : null
}
