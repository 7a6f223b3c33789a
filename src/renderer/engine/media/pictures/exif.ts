/** @file Adapts EXIF data (Exif 2.32, a TIFF 6.0 structure) to a swapped picture. */
import type { Size } from '@shared/tasks/output.ts'

const tags = { orientation: 0x0112, exif: 0x8769, width: 0xa002, height: 0xa003, thumbnail: 0x0201, length: 0x0202 }
const entryBytes = 12

/**
 * A copy with orientation 1 and without the thumbnail, which shows the face before the swap. The rest stays where it
 * is, because camera makers' data refer to places in the block.
 * @param tiff from its byte order mark
 * @param size of the swapped picture
 * @returns null if it can't be read
 */
export function uprightExif(tiff: Uint8Array, { width, height }: Size): Uint8Array<ArrayBuffer> | null {
  const copy = tiff.slice()
  const view = new DataView(copy.buffer)
  try {
    const order = view.getUint16(0)
    if (order !== 0x4949 && order !== 0x4d4d) return null
    const little = order === 0x4949
    if (view.getUint16(2, little) !== 42) return null
    const first = entriesOf(view, view.getUint32(4, little), little)
    const orientation = first.tags.get(tags.orientation)
    if (orientation !== undefined) view.setUint16(orientation + 8, 1, little)
    const details = first.tags.get(tags.exif)
    if (details !== undefined) {
      const size = entriesOf(view, view.getUint32(details + 8, little), little).tags
      setNumber(view, size.get(tags.width), width, little)
      setNumber(view, size.get(tags.height), height, little)
    }
    removeThumbnail(view, first.next, little)
    return copy
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** @returns the place of each tag's entry, and of the address of the next directory */
function entriesOf(view: DataView, at: number, little: boolean): { tags: Map<number, number>; next: number } {
  const count = view.getUint16(at, little)
  const found = new Map<number, number>()
  for (let entry = at + 2; entry < at + 2 + count * entryBytes; entry += entryBytes)
    found.set(view.getUint16(entry, little), entry)
  return { tags: found, next: at + 2 + count * entryBytes }
}

/** Types of numbers with 16 and 32 bits (TIFF 6.0, section 2). */
const [short, long] = [3, 4]

/** @param at of the tag's entry */
function setNumber(view: DataView, at: number | undefined, value: number, little: boolean): void {
  if (at === undefined) return
  const type = view.getUint16(at + 2, little)
  if (type === short) view.setUint16(at + 8, value, little)
  if (type === long) view.setUint32(at + 8, value, little)
}

/** Some programs leave the last address out. */
function removeThumbnail(view: DataView, next: number, little: boolean): void {
  if (next + 4 > view.byteLength) return
  const at = view.getUint32(next, little)
  view.setUint32(next, 0, little)
  if (at === 0 || at + 2 > view.byteLength) return
  const directory = entriesOf(view, at, little).tags
  const [start, length] = [directory.get(tags.thumbnail), directory.get(tags.length)]
  if (start === undefined || length === undefined) return
  const from = view.getUint32(start + 8, little)
  new Uint8Array(view.buffer).fill(0, from, from + view.getUint32(length + 8, little))
}

/** Orientation, 1…8; 1 without one. */
export function orientationOf(tiff: Uint8Array | null): number {
  if (!tiff) return 1
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength)
  try {
    const little = view.getUint16(0) === 0x4949
    const entry = entriesOf(view, view.getUint32(4, little), little).tags.get(tags.orientation)
    return entry === undefined ? 1 : view.getUint16(entry + 8, little)
  } catch (error) {
    if (error instanceof RangeError) return 1
    throw error
  }
}
