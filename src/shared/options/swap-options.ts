/** @file Schema of a swap's options. Services that know them say so in their capabilities. */
import { z } from 'zod'
import { labels } from './label.ts'
import { languages } from '../language.ts'
import {
  defaultOptions,
  encoderChoices,
  keepable,
  longestSides,
  outputQualities,
  outputSizes,
} from './default-options.ts'

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
  size: z
    .literal([...outputSizes, ...longestSides])
    .nullable()
    .default(null),
  quality: z.enum(outputQualities).default(defaultOptions.quality),
  encoder: z.enum(encoderChoices).default(defaultOptions.encoder),
  label: z.enum(labels).nullable().default(null),
  labelLanguage: z.enum(languages).nullable().default(null),
})
