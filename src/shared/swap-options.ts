/** @file Schema of a swap's options. Services that know them say so in their capabilities. */
import { z } from 'zod'
import { defaultOptions, keepable } from './default-options.ts'

export * from './default-options.ts'

export const swapOptionsSchema = z.object({
  likeness: z.int().min(0).max(100).default(defaultOptions.likeness),
  keep: z
    .array(z.enum(keepable))
    .max(keepable.length)
    .default(() => [...defaultOptions.keep]),
  method: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .default(null),
})
