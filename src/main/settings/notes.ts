/** @file What Mien learned about a service, or was told beside its profile. Kept for those set up by others, too. */
import { z } from 'zod'
import { statusMeanings } from '@shared/status-words.ts'

export const serviceNotesSchema = z.object({
  /** Path spellings that worked last. */
  spelling: z.object({ create: z.string().optional(), list: z.string().optional() }).catch({}).default({}),
  /** Fewer ids in a request, learned from refusals, and when; tried with more after a while. */
  learned: z.object({ maxIds: z.int().positive(), at: z.number() }).nullable().catch(null).default(null),
  words: z.record(z.string(), z.enum(statusMeanings)).catch({}).default({}),
  /** Names of its keys; null: the one under its id, if there is one. The keys are in the keychain only. */
  keys: z.array(z.string()).nullable().catch(null).default(null),
  activeKey: z.string().nullable().catch(null).default(null),
  /** The user whose keys were listed last. */
  userId: z.string().nullable().catch(null).default(null),
  paused: z.boolean().catch(false).default(false),
})
export type ServiceNotes = z.infer<typeof serviceNotesSchema>
