/** @file What Mien measured about this computer. */
import { z } from 'zod'
import { encoderSchema, encoderTrialSchema } from './engine.ts'
import type { ErrorBody } from './errors.ts'

/**
 * How many workers find faces, and how many paint. On two cores one of each keeps both and the codec busy; with more, one
 * may segment while another finds landmarks.
 */
export const workersOfEach = (cores: number): number => (cores >= 4 ? 2 : 1)

export const measurementSchema = z.object({
  /** Of which computer and which Mien; see main/machine/measurement.ts. */
  key: z.string(),
  /** Epoch ms. */
  at: z.int(),
  cores: z.int().positive(),
  encoder: encoderSchema,
  hardware: encoderTrialSchema,
  software: encoderTrialSchema,
  /** Frames a second of a whole swap at 720p. */
  fps: z.number().positive(),
})
export type Measurement = z.infer<typeof measurementSchema>

/** A height in pixels (of 16:9), and the frames a second that are to be expected of it. */
export interface Speed {
  height: number
  fps: number
}

export interface MachineView {
  /** `waiting`: measures when nothing else is to do. `busy`: a swap runs here. */
  state: 'idle' | 'waiting' | 'measuring' | 'busy'
  measured: Measurement | null
  speeds: Speed[]
  /** Why measuring came to nothing last. */
  error: ErrorBody | null
}
