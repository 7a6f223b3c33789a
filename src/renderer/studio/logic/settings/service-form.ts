/** @file The service form: validation and hints about the address. */
import type { ErrorBody } from '@shared/mien-error.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { ProfileInput, ProfileView } from '@shared/service/profile.ts'

/** Empty for the default. */
const digits = (value: number | null | undefined): string => (value == null ? '' : String(value))
/** Null if empty. Main rejects text that is not a number. */
const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text.trim()))

export const draftOf = (profile: ProfileView | null) => ({
  name: profile?.name ?? '',
  address: profile?.baseUrl ?? '',
  keyHeader: profile?.keyHeader ?? 'X-Service-Apikey',
  seconds: profile?.durationUnit === 's',
  allowHttp: profile?.allowHttp ?? false,
  idsPerCall: digits(profile?.idsPerCall),
  inFlight: digits(profile?.inFlight),
  adminHeader: profile?.adminHeader ?? '',
})

/** What the fields hold. */
export type ServiceDraft = ReturnType<typeof draftOf>

export const sameDraft = (a: ServiceDraft, b: ServiceDraft): boolean => JSON.stringify(a) === JSON.stringify(b)

const thisComputer = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/]|$)/i

/** Whether the key would be sent unencrypted, which the user has to allow. */
export const isPlainHttp = (address: string): boolean =>
  /^http:\/\//i.test(address.trim()) && !thisComputer.test(address.trim())

/** The host is the default name of a service. */
export function inputOf(draft: ServiceDraft, id: string | undefined): ProfileInput {
  return {
    ...(id === undefined ? {} : { id }),
    name: draft.name.trim() || hostOf(draft.address),
    baseUrl: draft.address.trim(),
    keyHeader: draft.keyHeader.trim() || 'X-Service-Apikey',
    durationUnit: draft.seconds ? 's' : 'ms',
    allowHttp: draft.allowHttp && isPlainHttp(draft.address),
    idsPerCall: numberOf(draft.idsPerCall),
    inFlight: numberOf(draft.inFlight),
    adminHeader: draft.adminHeader.trim() || null,
  }
}

/** Whether a text is meant as a pairing code, so that it isn't taken for an address. Main reads it. */
export const isPairingCode = (text: string): boolean => /^mien-\d+-[\w-]{20,}$/.test(text.replaceAll(/\s/g, ''))

/** "sha256/jcLw3…h4Q=" of a whole fingerprint. */
export const shortFingerprint = (fingerprint: string): string =>
  fingerprint.replace(/^(sha256\/.{12}).*(.{6})$/, '$1…$2')

/** "https://api.example/swap" → "api.example". Returns other text unchanged. */
export function hostOf(address: string | null): string {
  const text = address?.trim() ?? ''
  return (URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`)?.host ?? '') || text
}

const reasons: Record<string, () => string> = {
  syntax: m.address_syntax,
  scheme: m.address_scheme,
  http: m.address_http,
  credentials: m.address_credentials,
  query: m.address_query,
}

/** The hint under the address field, or null if the error is not about the address. */
export function addressProblem(error: ErrorBody): string | null {
  if (error.code !== 'address-invalid') return null
  return (reasons[String(error.details['reason'])] ?? m.address_syntax)()
}
