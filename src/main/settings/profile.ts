/** @file Stored profiles, and validation of base addresses. Pure. */
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

/** Converts user input to a stored profile; omitted fields keep their values from `old`. */
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
 * Normalises a base address: https (http only to this computer, or if the user allows it), an optional path prefix, no
 * trailing slash. `studio.example/api` becomes https.
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
  // Don't put the URL in the details, because they may be logged.
  if (url.username !== '' || url.password !== '') throw new MienError('address-invalid', { reason: 'credentials' })
  if (url.search !== '' || url.hash !== '') throw new MienError('address-invalid', { reason: 'query' })
  if (url.protocol === 'http:' && !allowHttp && !loopback.test(url.hostname)) {
    throw new MienError('address-invalid', { reason: 'http', host: url.host })
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}
