/** @file Profiles as they are stored, and the rules for a base address. Pure. */
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import type { Profile, profileInputSchema } from '@shared/profile.ts'
import { embeddedProfileId } from '@shared/task.ts'

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
})
export type StoredProfile = z.infer<typeof storedProfileSchema>

/** What is stored for what was typed; what was left out stays as it was in `old`. */
export function storedProfile(
  input: Omit<z.output<typeof profileInputSchema>, 'id'>,
  id: string,
  old?: StoredProfile,
): StoredProfile {
  const { name, keyHeader, durationUnit, allowHttp } = input
  return {
    ...{ id, name, keyHeader, durationUnit, allowHttp },
    baseUrl: parseBaseUrl(input.baseUrl, allowHttp),
    idsPerCall: input.idsPerCall === undefined ? (old?.idsPerCall ?? null) : input.idsPerCall,
    inFlight: input.inFlight === undefined ? (old?.inFlight ?? null) : input.inFlight,
    adminHeader: input.adminHeader === undefined ? (old?.adminHeader ?? null) : input.adminHeader,
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
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * A base address as it is kept: https (http only to this computer, or where the user allows it), a
 * path prefix at most, no slash at the end. `studio.example/api` is read as https.
 * @throws MienError `address-invalid` with `reason`: syntax, scheme, http, credentials, query
 */
export function parseBaseUrl(text: string, allowHttp: boolean): string {
  const trimmed = text.trim()
  const spelled =
    /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) || /^(?:javascript|data|file|blob):/i.test(trimmed)
      ? trimmed
      : `https://${trimmed}`
  const url = URL.parse(spelled)
  if (url === null) throw new MienError('address-invalid', { reason: 'syntax', url: trimmed })
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new MienError('address-invalid', { reason: 'scheme', url: trimmed })
  }
  // Nothing of it is put in the details: they may end in a log.
  if (url.username !== '' || url.password !== '') throw new MienError('address-invalid', { reason: 'credentials' })
  if (url.search !== '' || url.hash !== '') throw new MienError('address-invalid', { reason: 'query' })
  if (url.protocol === 'http:' && !allowHttp && !loopback.test(url.hostname)) {
    throw new MienError('address-invalid', { reason: 'http', host: url.host })
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}
