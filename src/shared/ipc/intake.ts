/** @file Files that the user gives: dropped, chosen, pasted, used recently. Pages name them by tokens, never by paths. */
import type { ErrorBody } from '../errors.ts'
import type { SlotName } from '../files/media-names.ts'
import type { FaceMedia } from '../tasks/task.ts'

/** Files that the window takes at once. Each is opened before it can be swapped. */
export const maxTaken = 500

/** Pictures and videos in files and folders that the user gave. */
export interface FoundFiles {
  /** `token` names the file in later calls; `mediaSlot` is by its name. */
  files: { token: string; name: string; mediaSlot: SlotName }[]
  /** Names of the other files. */
  unusable: string[]
  /** There were more files than `max`; the rest was left out. */
  max: number | null
}

/** `token` names the file in later calls; `pictureId`: media id of a small picture, null if there is none any more. */
export interface RecentMedia {
  token: string
  name: string
  pictureId: string | null
}

/** The pictures of a face, the main one first. `people`: everybody in the video that they come from, if there are several. */
export interface FaceFile {
  pictures: FaceMedia[]
  /** `token` names the person in later calls; `pictureId`: media id of a picture. The first is the one whose face it is. */
  people: { token: string; pictureId: string }[]
}

/** Imported pictures, and those that can't be used. */
export interface PictureImport {
  added: FaceMedia[]
  /** Number of pictures beyond `max`, which were not imported. */
  left: number
  failed: { name: string; error: ErrorBody }[]
}

/** A file copied in a file manager or as a path (`mediaSlot`: by its name), or a picture; or an http(s) address. */
export type ClipboardContent =
  { kind: 'file'; token: string; mediaSlot: SlotName | null; name: string } | { kind: 'address'; url: string }
