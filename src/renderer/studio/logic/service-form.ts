/** @file What is typed for a service: whether it can be saved, and what is wrong with its address. */
import type { ErrorBody } from '@shared/mien-error.ts'
import { errorText } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { ProfileInput, ProfileView } from '@shared/profile.ts'

export interface ServiceDraft {
  name: string
  address: string
  keyHeader: string
  seconds: boolean
  allowHttp: boolean
}

export const draftOf = (profile: ProfileView | null): ServiceDraft => ({
  name: profile?.name ?? '',
  address: profile?.baseUrl ?? '',
  keyHeader: profile?.keyHeader ?? 'X-Service-Apikey',
  seconds: profile?.durationUnit === 's',
  allowHttp: profile?.allowHttp ?? false,
})

export const sameDraft = (a: ServiceDraft, b: ServiceDraft): boolean => JSON.stringify(a) === JSON.stringify(b)

const thisComputer = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/]|$)/i

/** Whether the key would travel unprotected, so that the user has to allow it. */
export const isPlainHttp = (address: string): boolean =>
  /^http:\/\//i.test(address.trim()) && !thisComputer.test(address.trim())

/** Without a name the service is called by its host. */
export function inputOf(draft: ServiceDraft, id: string | undefined): ProfileInput {
  return {
    ...(id === undefined ? {} : { id }),
    name: draft.name.trim() || hostOf(draft.address),
    baseUrl: draft.address.trim(),
    keyHeader: draft.keyHeader.trim() || 'X-Service-Apikey',
    durationUnit: draft.seconds ? 's' : 'ms',
    allowHttp: draft.allowHttp && isPlainHttp(draft.address),
  }
}

/** "https://api.example/swap" → "api.example"; what is no address as it is. */
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

/** The hint under the address field, when the error is about it. */
export function addressProblem(error: ErrorBody): string | null {
  if (error.code !== 'address-invalid') return null
  return (reasons[String(error.details['reason'])] ?? m.address_syntax)()
}

/** One line for an error beside a button. */
export function lineOf(error: ErrorBody, service: string): string {
  const text = errorText({ ...error, details: { service, ...error.details } })
  return `${text.title}. ${text.body}`
}
