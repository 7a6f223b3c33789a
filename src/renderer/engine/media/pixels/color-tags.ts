/** @file What a video says about its colours, and what players assume where it says nothing. */
import { shares } from './color-model.ts'
import type { ColorModel } from './planes.ts'

/** Code points of ITU-T H.273. */
export interface ColorTags {
  primaries: number
  transfer: number
  matrix: number
  /** Luma and chroma have the full range. */
  full: boolean
}

export const unspecified = 2
const bt709 = 1
const smpte170m = 6
/** Those of HD video. */
export const hdTags: ColorTags = { primaries: bt709, transfer: bt709, matrix: bt709, full: false }
/** Lines from which players assume BT.709 (Chromium's bound). ffmpeg assumes BT.601 always. */
const hdLines = 720

export const isTagged = ({ primaries, transfer, matrix }: ColorTags): boolean =>
  [primaries, transfer, matrix].some((value) => value !== unspecified)

/** Names that WebCodecs has for the code points. */
const names = {
  primaries: { bt709: 1, bt470bg: 5, smpte170m: 6, bt2020: 9, smpte432: 12 },
  transfer: { bt709: 1, smpte170m: 6, linear: 8, 'iec61966-2-1': 13 },
  matrix: { rgb: 0, bt709: 1, bt470bg: 5, smpte170m: 6, 'bt2020-ncl': 9 },
} as const

type Field = keyof typeof names

/** The tags of a container, as far as WebCodecs has names for them. */
export function tagsOfSpace(space: VideoColorSpaceInit): ColorTags {
  const code = (field: Field): number => {
    const known: Readonly<Record<string, number>> = names[field]
    return known[space[field] ?? ''] ?? unspecified
  }
  return {
    ...{ primaries: code('primaries'), transfer: code('transfer'), matrix: code('matrix') },
    full: space.fullRange === true,
  }
}

/** Null if WebCodecs has no name for one of the tags, or if there is nothing to say. */
export function spaceOfTags(tags: ColorTags): VideoColorSpaceInit | null {
  const fields = ['primaries', 'transfer', 'matrix'] as const
  const space = fields.map((field) => {
    const name = Object.entries(names[field]).find(([, code]) => code === tags[field])?.[0]
    return [field, name] as const
  })
  if (!isTagged(tags) && !tags.full) return null
  if (space.some(([field, name]) => name === undefined && tags[field] !== unspecified)) return null
  return { ...(Object.fromEntries(space) as VideoColorSpaceInit), fullRange: tags.full }
}

/** How the planes are read for faces; those of RGB, once `readFrame` has converted them. @param height in pixels, as coded */
export function modelOfTags({ matrix, full }: ColorTags, height: number): ColorModel {
  if (matrix === rgb) return { matrix: assumed(height, false), full: false, isOfRgb: true }
  const known = Object.entries(matrices).find(([, codes]) => codes.includes(matrix))?.[0]
  return { matrix: (known as keyof typeof shares | undefined) ?? assumed(height, full), full }
}

const matrices: Readonly<Record<keyof typeof shares, readonly number[]>> = {
  bt601: [5, smpte170m],
  bt709: [bt709],
  bt2020: [9, 10],
  smpte240m: [7],
  fcc: [4],
}

/** Full range without tags is JPEG's, at every size. */
const assumed = (height: number, full: boolean): 'bt601' | 'bt709' => (height >= hdLines && !full ? 'bt709' : 'bt601')

/**
 * The tags of a result: the source's. Without any, players guess from the height, so a result for which they would guess
 * otherwise gets what they assume for the source.
 * @param from height in pixels of the source. @param to height in pixels of the result, as coded
 */
export function tagsOfResult(tags: ColorTags, from: number, to: number): ColorTags {
  const { full } = tags
  if (tags.matrix === rgb) return { ...tags, matrix: codeOf(assumed(from, false)), full: false }
  if (isTagged(tags) || assumed(from, full) === assumed(to, full)) return tags
  const code = codeOf(assumed(from, full))
  return { primaries: code, transfer: code, matrix: code, full }
}

/** Planes of green, blue and red. */
export const rgb = 0

const codeOf = (matrix: 'bt601' | 'bt709'): number => (matrix === 'bt709' ? bt709 : smpte170m)
