/** @file Performance measurements of this computer. */
import { z } from 'zod'
import { encoderSchema, encoderTrialSchema } from './encoder.ts'
import type { ErrorBody } from '../errors.ts'

/**
 * Number of analysis workers, and of render workers. On two cores one of each keeps the cores and the codec busy. With
 * four or more, one analysis worker can segment while another finds landmarks.
 */
export const workersOfEach = (cores: number): number => (cores >= 4 ? 2 : 1)

export const measurementSchema = z.object({
  /** Identifies the computer and the version of Mien; see main/engine/benchmark/measurement.ts. */
  key: z.string(),
  /** Epoch ms. */
  at: z.int(),
  cores: z.int().positive(),
  encoder: encoderSchema,
  hardware: encoderTrialSchema,
  software: encoderTrialSchema,
  /** Frames per second of a whole swap at 720p. */
  fps: z.number().positive(),
})
export type Measurement = z.infer<typeof measurementSchema>

/** A height in pixels (of 16:9) and its expected frames per second. */
export interface Speed {
  height: number
  fps: number
}

export interface BenchmarkView {
  /** `waiting`: measures once this computer has nothing else to do. `busy`: a swap runs here. */
  state: 'idle' | 'waiting' | 'measuring' | 'busy'
  measured: Measurement | null
  speeds: Speed[]
  /** Error of the last measurement, if it failed. */
  error: ErrorBody | null
}
