/** @file Results of a connection test, and errors of a service as one line. */
import type { ErrorBody } from '../mien-error.ts'
import type { ConnectionReport } from '../service/profile.ts'
import { errorSentence } from './error-text.ts'
import { formatCount, formatRoughSpan } from './format.ts'
import { m } from './paraglide/messages.js'

/** An error of a service as one line. */
export const lineOf = (error: ErrorBody, service: string): string =>
  errorSentence({ ...error, details: { service, ...error.details } })

/** One result line of "Test connection". */
export interface Finding {
  good: boolean | null
  text: string
}

/** Warn above this clock skew: signatures and retry times then go wrong. */
const skewMs = 60_000

/** Lines in order: reachability, TLS, key, clock. */
export function findingsOf(report: ConnectionReport, service: string): Finding[] {
  const { reached, tls, keyAccepted, clockSkewMs, error } = report
  const findings: Finding[] = []
  if (reached) findings.push({ good: true, text: m.found_reached({ ms: formatCount(report.ms) }) })
  else findings.push({ good: false, text: error === null ? m.found_not_reached() : lineOf(error, service) })
  if (tls === 'good') findings.push({ good: true, text: m.found_tls() })
  if (tls === 'bad' && error?.code !== 'certificate-changed') findings.push({ good: false, text: m.found_tls_bad() })
  if (tls === 'none' && reached) findings.push({ good: null, text: m.found_tls_none() })
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
