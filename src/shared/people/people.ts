/**
 * @file The people in a video: what a scan finds, and what the user makes of it. Times are milliseconds in the video.
 * Lengths are pixels of the upright video.
 */
import { z } from 'zod'
import type { ErrorBody } from '../mien-error.ts'
import { maxParts, maxPeople } from './people-limits.ts'

export * from './people-limits.ts'

const ms = z.int().nonnegative()

/** Where a face is at a time: `[ms, x, y, size]`. x and y are the centre of its region (face/region.ts), size its side. */
export const placeSchema = z.tuple([ms, z.int(), z.int(), z.int().positive()])
export type Place = z.infer<typeof placeSchema>

/** One person between two cuts. */
export const clipSchema = z.object({
  /** Unique in the video. */
  id: z.int().nonnegative(),
  fromMs: ms,
  /** Exclusive. */
  toMs: ms,
  /** Ascending; at least one. Between two, the face moves in a straight line. */
  places: z.array(placeSchema).min(1).max(100_000),
})
export type Clip = z.infer<typeof clipSchema>

/** Why a moment is hard to swap. `talking`: the mouth is open; `light`: unusually dark or bright. */
export const momentKinds = ['turned', 'covered', 'talking', 'fast', 'light', 'small'] as const

/** A moment in which a person is hard to swap. */
export const momentSchema = z.object({
  atMs: ms,
  clipId: z.int().nonnegative(),
  kind: z.enum(momentKinds),
  /** 1: hardest. */
  score: z.number().min(0).max(1),
})
export type Moment = z.infer<typeof momentSchema>

/** Increment when scans find other people or clips, so that stored scans are made again. */
export const scanVersion = 2

/** What a scan has found so far. */
export const peopleScanSchema = z.object({
  /** Clips of each person, and the hardest moments in them if it is no picture; the most prominent person first. */
  people: z
    .array(z.object({ clips: z.array(clipSchema).min(1), moments: z.array(momentSchema).max(20_000).exactOptional() }))
    .max(maxPeople),
  /** The scan has reached this time. */
  scannedMs: ms,
  /** Each clip's face is in `clip-<id>.jpg` (128²). */
})
export type PeopleScan = z.infer<typeof peopleScanSchema>

/** A person of a video, as the studio sees it. */
export const personSchema = z.object({
  /** Stays the same while clips are moved. */
  id: z.string().max(64),
  /** Given by the user; null: "Person 1". */
  name: z.string().trim().min(1).max(80).nullable(),
  clipIds: z.array(z.int()).max(10_000),
})
export type Person = z.infer<typeof personSchema>

/** Where the user split a clip of the scan: from there on, it's another clip (see split.ts). */
export const splitSchema = z.object({ clipId: z.int().nonnegative(), atMs: ms })
export type Split = z.infer<typeof splitSchema>

export const maxSplits = 1000

/** The people of a video. Clips that nobody has are not a person, such as a poster. */
export interface VideoPeople {
  videoId: string
  /** Ordered by prominence. */
  people: Person[]
  /** Media id of the face of each clip. */
  clips: { id: number; fromMs: number; toMs: number; faceId: string }[]
  splits: Split[]
  moments: Moment[]
  /** 0–1; 1: the scan is complete. */
  scanned: number
  /** Clips were moved or split, or people named. */
  isCorrected: boolean
  /** The video changed since people were corrected; the corrections of the earlier video are kept with that video. */
  wasChanged: boolean
  /** Why the scan failed; asking for the people again repeats it. */
  error?: ErrorBody
}

/** A part of a video. A frame is in it if its time, rounded to milliseconds, is at least `fromMs` and below `toMs`. */
export const partSchema = z.object({ fromMs: ms, toMs: ms })
export type VideoPart = z.infer<typeof partSchema>

/** Parts of a video that are swapped. */
export const rangeSchema = z.object({
  /** Ascending and apart. */
  parts: z.array(partSchema).min(1).max(maxParts),
  /** The frames outside: left out of the result, or in it as they are. */
  rest: z.enum(['drop', 'keep']),
})
export type Range = z.infer<typeof rangeSchema>
