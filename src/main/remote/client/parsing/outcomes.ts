/**
 * @file What became of a request. Of a failed one: whether it can have reached the service, and its error code. Of a create:
 * from its answer or its failure. A create is never repeated automatically: if it may have reached the service and there is
 * no clear answer, it is `unclear`. Pure.
 */
import { MienError, type ErrorBody, type ErrorCode } from '@shared/errors.ts'
import { isJsonObject } from '@shared/service/exact-json.ts'
import { unwrap, errorInEnvelope, errorOfAnswer, findMessage, notAService, type Answer, textField } from './answers.ts'

export interface NetworkFailure {
  /** `not-sent`: no byte can have reached a service. `refused`: the service answered with a redirect. */
  reach: 'not-sent' | 'refused' | 'unclear'
  error: MienError
}

/** Failures before a connection exists: Node's codes, then Chromium's (as net.fetch reports them). */
const beforeConnection =
  /\w*(?:ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_SSL|ERR_TLS|ERR_CONNECTION_REFUSED|ERR_NAME_|ERR_INTERNET_DISCONNECTED|ERR_ADDRESS_|ERR_CONNECTION_TIMED_OUT|ERR_PROXY_|ERR_TUNNEL_|ERR_INVALID_URL|ERR_UNKNOWN_URL_SCHEME|ERR_DISALLOWED_URL_SCHEME|ERR_UNSAFE_PORT)\w*/
/** Certificate errors: codes of Node, OpenSSL and Chromium. Doesn't include failed handshakes. */
const untrusted = /\w*(?:ERR_CERT_|CERT_|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|ERR_TLS_CERT_)\w*/
/** The code with which a session refuses a certificate other than the pinned one (remote/network.ts). */
const notPinned = /ERR_SSL_PINNED_KEY_NOT_IN_CERT_CHAIN/
const tooLate = /TIMEOUT|TIMED_?OUT|TimeoutError/

/** Names, codes and messages of an error and its causes, as one text. */
function trail(thrown: unknown, depth = 0): string {
  if (!(thrown instanceof Error) || depth > 5) return ''
  const code: unknown = 'code' in thrown ? thrown.code : undefined
  const below = thrown instanceof AggregateError ? thrown.errors.map((one) => trail(one, depth + 1)).join(' ') : ''
  return `${thrown.name} ${typeof code === 'string' ? code : ''} ${thrown.message} ${below} ${trail(thrown.cause, depth + 1)}`
}

/** `timedOut`: our own deadline ended the request. A MienError passes through unchanged. */
export function networkFailure(thrown: unknown, host: string, timedOut: boolean): NetworkFailure {
  if (thrown instanceof MienError) return { reach: 'unclear', error: thrown }
  const text = trail(thrown)
  const fail = (reach: NetworkFailure['reach'], code: ErrorCode, reason: string): NetworkFailure => ({
    reach,
    error: new MienError(code, { host, reason }, { cause: thrown }),
  })
  if (timedOut) return fail('unclear', 'service-timeout', 'timeout')
  if (/[Rr]edirect/.test(text)) return fail('refused', 'request-refused', 'redirect')
  if (text.includes('ERR_PROXY_AUTH_')) return fail('not-sent', 'proxy-password', 'ERR_PROXY_AUTH_REQUESTED')
  const other = notPinned.exec(text)
  if (other) return fail('not-sent', 'certificate-changed', other[0])
  const certificate = untrusted.exec(text)
  if (certificate) return fail('not-sent', 'service-certificate', certificate[0])
  const before = beforeConnection.exec(text)
  if (before) return fail('not-sent', 'service-unreachable', before[0])
  if (tooLate.test(text)) return fail('unclear', 'service-timeout', 'timeout')
  const reason = /\b(?:net::)?(E[A-Z_]{4,}|UND_ERR_\w+)/.exec(text)?.[0] ?? 'connection lost'
  const error = new MienError('service-unreachable', { host, reason, isLost: true }, { cause: thrown })
  return { reach: 'unclear', error }
}

/** Whether the connection failed because of the certificate or the TLS handshake. */
export const isTlsFailure = (error: ErrorBody): boolean =>
  /CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO_VERIFY|EPROTO/.test(String(error.details['reason'] ?? ''))

/**
 * Outcome of a create. `refused`: the service rejected it. `not-sent`: nothing can have been created, retry is safe.
 * `unclear`: it may have been created (and charged); only the user decides.
 */
export type CreateOutcome =
  | { kind: 'created'; objectId: string }
  | { kind: 'refused'; error: ErrorBody }
  | { kind: 'not-sent'; error: ErrorBody; retryAfterMs: number | null }
  | { kind: 'unclear'; error: ErrorBody }

function waitOf(error: MienError): number | null {
  const wait = error.details['retryAfterMs']
  return typeof wait === 'number' ? wait : null
}

/**
 * The swap may have been created; the error text says so and quotes the service. `failure`: error code of the answer.
 */
const unclear = ({ code, details }: MienError): CreateOutcome => ({
  kind: 'unclear',
  error: { code: 'create-unclear', details: { ...details, failure: code } },
})

/** Outcome of a refusal, by HTTP status or by the status derived from an error code inside a 200. */
function outcomeOfError(error: MienError, status: number): CreateOutcome {
  if (status === 429 || status === 425) return { kind: 'not-sent', error: error.body, retryAfterMs: waitOf(error) }
  // 408: a gateway may send it after forwarding the request.
  if (status >= 500 || status === 408) return unclear(error)
  return { kind: 'refused', error: error.body }
}

export function outcomeOfAnswer(answer: Answer): CreateOutcome {
  const { status, json } = answer
  if (status < 200 || status >= 300) {
    // 501, like the other wrong-path statuses, means that nothing was done.
    if (status === 501) return { kind: 'refused', error: errorOfAnswer(answer).body }
    return outcomeOfError(errorOfAnswer(answer), status)
  }
  if (json === undefined) return unclear(notAService(answer.text, status))
  const found = unwrap(json, 'objectID')
  if (found.kind === 'error') {
    const error = errorInEnvelope(found.code, found.message, answer)
    return outcomeOfError(error, Number(error.details['status']))
  }
  const objectId = found.kind === 'body' && isJsonObject(found.body) ? textField(found.body, 'objectID') : null
  if (objectId !== null && objectId.length <= 500) return { kind: 'created', objectId }
  return unclear(withMessage(notAService(answer.text, status), findMessage(json)))
}

const withMessage = ({ code, details }: MienError, message: string | null): MienError =>
  new MienError(code, message === null ? details : { ...details, message })

export function outcomeOfFailure({ reach, error }: NetworkFailure): CreateOutcome {
  if (reach === 'not-sent') return { kind: 'not-sent', error: error.body, retryAfterMs: null }
  return reach === 'unclear' ? unclear(error) : { kind: 'refused', error: error.body }
}
