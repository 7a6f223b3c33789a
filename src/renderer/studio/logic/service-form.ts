/** @file The service form: validation, address hints and the results of the connection test. */
import type { ErrorBody } from '@shared/mien-error.ts'
import { errorText } from '@shared/i18n/error-text.ts'
import { formatRoughSpan } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { ConnectionReport, ProfileInput, ProfileView } from '@shared/profile.ts'

export interface ServiceDraft {
  name: string
  address: string
  keyHeader: string
  seconds: boolean
  allowHttp: boolean
  /** Digits, or empty for the default. */
  idsPerCall: string
  inFlight: string
  adminHeader: string
}

const digits = (value: number | null | undefined): string => (value == null ? '' : String(value))
/** Null if empty. Main rejects text that is not a number. */
const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text.trim()))

export const draftOf = (profile: ProfileView | null): ServiceDraft => ({
  name: profile?.name ?? '',
  address: profile?.baseUrl ?? '',
  keyHeader: profile?.keyHeader ?? 'X-Service-Apikey',
  seconds: profile?.durationUnit === 's',
  allowHttp: profile?.allowHttp ?? false,
  idsPerCall: digits(profile?.idsPerCall),
  inFlight: digits(profile?.inFlight),
  adminHeader: profile?.adminHeader ?? '',
})

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

/** One line of error text beside a button. */
export function lineOf(error: ErrorBody, service: string): string {
  const text = errorText({ ...error, details: { service, ...error.details } })
  return `${text.title}. ${text.body}`
}

/** One result line of "Test connection". */
export interface Finding {
  good: boolean | null
  text: string
}

/** Warn above this clock skew: signatures and retry times then go wrong. */
const skewMs = 60_000

/** Lines in order: reachability, TLS, path, key, clock. */
export function findingsOf(report: ConnectionReport, service: string): Finding[] {
  const { reached, tls, path, keyAccepted, clockSkewMs, error } = report
  const findings: Finding[] = []
  if (reached) findings.push({ good: true, text: m.found_reached({ ms: Math.round(report.ms) }) })
  else findings.push({ good: false, text: error === null ? m.found_not_reached() : lineOf(error, service) })
  if (tls === 'good') findings.push({ good: true, text: m.found_tls() })
  if (tls === 'bad') findings.push({ good: false, text: m.found_tls_bad() })
  if (tls === 'none' && reached) findings.push({ good: null, text: m.found_tls_none() })
  if (path !== null) findings.push({ good: true, text: m.found_path({ path }) })
  if (keyAccepted === true) findings.push({ good: true, text: m.found_key() })
  // A refused key, or any other error from a service that was reached.
  if (reached && error !== null) findings.push({ good: false, text: lineOf(error, service) })
  if (clockSkewMs !== null && Math.abs(clockSkewMs) > skewMs) {
    const span = formatRoughSpan(Math.abs(clockSkewMs))
    findings.push({
      good: false,
      text: clockSkewMs > 0 ? m.found_clock_ahead({ span }) : m.found_clock_behind({ span }),
    })
  } else if (clockSkewMs !== null) findings.push({ good: true, text: m.found_clock() })
  return findings
}
