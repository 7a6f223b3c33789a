/** @file Profiles as the settings and the policy store them. Pure. */
import { z } from 'zod'
import { fingerprintSchema, type Profile, type profileInputSchema } from '@shared/service/profile.ts'
import { embeddedProfileId } from '@shared/tasks/task.ts'
import { parseBaseUrl } from './base-url.ts'

export const storedProfileSchema = z.object({
  id: z.string(),
  name: z.string(),
  baseUrl: z.string(),
  keyHeader: z.string(),
  durationUnit: z.enum(['ms', 's']),
  allowHttp: z.boolean(),
  idsPerCall: z.int().positive().nullable().catch(null).default(null),
  inFlight: z.int().positive().nullable().catch(null).default(null),
  adminHeader: z.string().nullable().catch(null).default(null),
  /** Without `catch`: a damaged one must not turn into none. */
  fingerprint: fingerprintSchema.nullable().default(null),
})
export type StoredProfile = z.infer<typeof storedProfileSchema>

/** Id prefix of services set by policy. */
export const setUpPrefix = 'set-up-'

/** Converts user input to a stored profile; omitted fields keep their values from `old`. */
export function storedProfile(
  input: Omit<z.output<typeof profileInputSchema>, 'id'>,
  id: string,
  old?: StoredProfile,
): StoredProfile {
  const { name, keyHeader, durationUnit, allowHttp } = input
  const baseUrl = parseBaseUrl(input.baseUrl, allowHttp)
  const fingerprint = input.fingerprint === undefined ? (old?.fingerprint ?? null) : input.fingerprint
  return {
    ...{ id, name, baseUrl, keyHeader, durationUnit, allowHttp },
    idsPerCall: input.idsPerCall === undefined ? (old?.idsPerCall ?? null) : input.idsPerCall,
    inFlight: input.inFlight === undefined ? (old?.inFlight ?? null) : input.inFlight,
    adminHeader: input.adminHeader === undefined ? (old?.adminHeader ?? null) : input.adminHeader,
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
