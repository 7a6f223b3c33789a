/**
 * @file Notes about a service: learned facts and settings beside its profile. Stored for services set by policy too.
 */
import { z } from 'zod'
import { connectionTestedSchema } from '@shared/service/profile.ts'
import { statusMeanings } from '@shared/service/status-words.ts'

export const serviceNotesSchema = z.object({
  /** Last working path spellings. */
  spelling: z.object({ create: z.string().optional(), list: z.string().optional() }).catch({}).default({}),
  /** Reduced max ids per request, learned from refusals, and when; larger requests are retried later. */
  learned: z.object({ maxIds: z.int().positive(), at: z.number() }).nullable().catch(null).default(null),
  words: z.record(z.string(), z.enum(statusMeanings)).catch({}).default({}),
  /** Names of its keys; null: only the one under the service's id, if any. The keys are stored in the keychain only. */
  keys: z.array(z.string()).nullable().catch(null).default(null),
  activeKey: z.string().nullable().catch(null).default(null),
  /** The user whose keys were listed last. */
  userId: z.string().nullable().catch(null).default(null),
  /** The last connection test with the active key. */
  tested: connectionTestedSchema.nullable().catch(null).default(null),
  paused: z.boolean().catch(false).default(false),
  /** It is paused because of this, until there is a new pairing code or the user resumes it. */
  certificateChanged: z.boolean().catch(false).default(false),
})
export type ServiceNotes = z.infer<typeof serviceNotesSchema>
