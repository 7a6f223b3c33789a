/** @file Errors: codes, type and envelope (from mien-error.ts), and the schema of a received body. */
import { z } from 'zod'
import { errorCodes } from './mien-error.ts'

export * from './mien-error.ts'

export const errorBodySchema = z.object({
  code: z.enum(errorCodes),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
})
