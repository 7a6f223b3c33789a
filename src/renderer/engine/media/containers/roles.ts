/**
 * @file What tracks are for, such as a commentary: as boxes of MP4 (`kind`: ISO/IEC 14496-12, 8.10.4) with the roles of
 * DASH (ISO/IEC 23009-1, 5.8.5.5), which ffmpeg writes and reads, and as Matroska's flags (RFC 9559, 5.1.4.1.7 to 5.1.4.1.11).
 */
import { box, boxesIn, boxIn, joined, u32, type Box } from './boxes.ts'
import { elementIds, fieldOf } from './elements.ts'

/** Whole `kind` boxes, one after the other. */
export type Roles = Uint8Array<ArrayBuffer>

export const noRoles: Roles = new Uint8Array()

/** Of a track of MP4. @param index where its box is */
export function rolesOfTrack(index: Uint8Array, track: Pick<Box, 'from' | 'to'>): Roles {
  const told = boxIn(index, track, 'udta')
  const kinds = told ? [...boxesIn(index, told)].filter(({ name }) => name === 'kind') : []
  return joined(...kinds.map(({ at, to }) => index.subarray(at, to)))
}

const roleOf = (value: string): Roles =>
  box('kind', u32(0), new TextEncoder().encode(`urn:mpeg:dash:role:2011\0${value}\0`))

/** Of a track of Matroska. @param entry its contents */
export function rolesOfEntry(entry: Uint8Array): Roles {
  const isSet = (id: number): boolean => fieldOf(entry, id) === 1
  const found = {
    commentary: isSet(elementIds.isCommentary),
    caption: isSet(elementIds.isForHearing),
    description: isSet(elementIds.isForSeeing) || isSet(elementIds.isDescription),
    // In another language than the original.
    dub: fieldOf(entry, elementIds.isOriginal) === 0,
  }
  return joined(...Object.entries(found).flatMap(([role, has]) => (has ? [roleOf(role)] : [])))
}
