/**
 * @file Outcome of a create, from its answer or its failure. Pure. A create is never repeated automatically: if it may
 * have reached the service and there is no clear answer, it is `unclear`.
 */
import { isJsonObject } from '@shared/service/exact-json.ts'
import { MienError, type ErrorBody } from '@shared/errors.ts'
import { unwrap } from './envelope.ts'
import { errorInEnvelope, errorOfAnswer, findMessage, notAService, type Answer } from './answer-errors.ts'
import { textField } from './fields.ts'
import type { NetworkFailure } from './network-failure.ts'

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
