/** @file How long finished swaps took, by service. */
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'

const timingRow = z.object({
  frames: z.number().nullable(),
  video_ms: z.number(),
  pixels: z.number(),
  took_ms: z.number(),
})

/** Duration of a swap from start to finish. */
export interface Timing {
  frames: number | null
  videoMs: number
  pixels: number
  tookMs: number
}

export class Timings {
  constructor(private readonly db: DatabaseSync) {}

  /** `at`: epoch ms. */
  add(profileId: string, { frames, videoMs, pixels, tookMs }: Timing, at: number): void {
    this.db
      .prepare('INSERT INTO timings (profile_id, frames, video_ms, pixels, took_ms, at) VALUES (?, ?, ?, ?, ?, ?)')
      .run(profileId, frames, videoMs, pixels, tookMs, at)
  }

  /** Newest first, at most `count`. */
  newest(profileId: string, count: number): Timing[] {
    const rows = this.db
      .prepare('SELECT frames, video_ms, pixels, took_ms FROM timings WHERE profile_id = ? ORDER BY at DESC LIMIT ?')
      .all(profileId, count)
    return rows.map((row) => {
      const { frames, video_ms: videoMs, pixels, took_ms: tookMs } = timingRow.parse(row)
      return { frames, videoMs, pixels, tookMs }
    })
  }
}
