/** @file Profiles as the settings and the policy store them, and the notes beside them. Pure. */
import { z } from 'zod'
import {
  connectionTestedSchema,
  type Profile,
  type profileInputSchema,
  type StoredProfile,
} from '@shared/service/profile.ts'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import { parseBaseUrl } from './base-url.ts'
import { statusMeanings } from '@shared/service/status-words.ts'

/** Id prefix of services set by policy. */
export const setUpPrefix = 'set-up-'

/** Converts user input to a stored profile; omitted fields keep their values from `old`. */
export function storedProfile(
  input: Omit<z.output<typeof profileInputSchema>, 'id'>,
  id: string,
  old?: StoredProfile,
): StoredProfile {
  const { name, keyHeader, durationUnit, allowHttp } = input
  const { idsPerCall = old?.idsPerCall ?? null, inFlight = old?.inFlight ?? null } = input
  const { adminHeader = old?.adminHeader ?? null, fingerprint = old?.fingerprint ?? null } = input
  const baseUrl = parseBaseUrl(input.baseUrl, allowHttp)
  return {
    ...{ id, name, baseUrl, keyHeader, durationUnit, allowHttp, idsPerCall, inFlight, adminHeader },
    fingerprint: baseUrl.startsWith('https:') ? fingerprint : null,
  }
}

export const embeddedProfile: Omit<Profile, 'words'> = {
  id: embeddedProfileId,
  name: '',
  baseUrl: null,
  keyHeader: 'X-Service-Apikey',
  durationUnit: 'ms',
  allowHttp: true,
  idsPerCall: null,
  inFlight: null,
  adminHeader: null,
  fingerprint: null,
}

/** Learned facts and settings of a service. Stored for services set by policy too. */
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
