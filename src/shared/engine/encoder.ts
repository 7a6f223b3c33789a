/** @file The H.264 encoders of a computer: which one is used, and what a trial of both says. */
import { z } from 'zod'

/** H.264 encoder: `hardware` is the graphics chip, `software` the processor. */
export const encoderSchema = z.enum(['hardware', 'software'])
export type Encoder = z.infer<typeof encoderSchema>

/** Why software was used instead of the requested hardware: it doesn't support the frame size, or it failed. */
const fellBack = z.enum(['refused', 'failed']).nullable()

/** How a swap is encoded. */
export interface EncoderChoice {
  encoder: Encoder
  fellBack: z.infer<typeof fellBack>
}

/** Reported encoder; null for results of versions that didn't report it. */
export const toldEncoding = { encoder: encoderSchema.nullable().default(null), fellBack: fellBack.default(null) }

/** Result of an encoder trial: frames per second at 720p, or the problem. */
export const encoderTrialSchema = z.object({
  fps: z.number().nullable(),
  /** It doesn't exist; it failed; it timed out; its output doesn't match the input. */
  problem: z.enum(['absent', 'failed', 'silent', 'wrong']).nullable(),
})
export type EncoderTrial = z.infer<typeof encoderTrialSchema>

export const probeResultSchema = z.object({ hardware: encoderTrialSchema, software: encoderTrialSchema })
export type ProbeResult = z.infer<typeof probeResultSchema>
