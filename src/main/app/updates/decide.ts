/** @file Decisions about updates: when to check, when to hide an error, how to classify it. Pure. */
import { MienError } from '@shared/errors.ts'
import type { UpdateState } from '@shared/ipc/app-state.ts'
import { isDiskFull } from '../../machine/disk/disk-errors.ts'

const hourMs = 3_600_000

/**
 * Ms until the first check, so that it doesn't slow down startup and the computers of an office don't all check at
 * once.
 */
export const firstCheckMs = (random: number): number => 10_000 + random * 50_000

/** Ms until the next check: six hours ± 30 minutes. */
export const nextCheckMs = (random: number): number => 6 * hourMs + (random - 0.5) * hourMs

export interface Standing {
  packaged: boolean
  /** Value set by policy, or null. */
  policy: boolean | null
  /** The user's setting. */
  wanted: boolean
  /** How this copy was installed; null: in a way that doesn't support updates. */
  copy: 'appimage' | 'package' | 'nsis' | 'mac' | null
}

/** Why updates are off; null: they are on. */
export function whyOff({
  packaged,
  policy,
  wanted,
  copy,
}: Standing): Extract<UpdateState, { kind: 'off' }>['reason'] | null {
  if (!packaged) return 'development'
  if (policy === false) return 'policy'
  if (copy === null) return 'not-updatable'
  return policy === true || wanted ? null : 'settings'
}

/** Hides network errors unless the user asked for the check. */
export const isQuiet = (error: MienError, asked: boolean): boolean => error.code === 'update-unreachable' && !asked

/** Reads a code that electron-updater or Node set on an error. */
function tag(thrown: unknown, name: 'code' | 'statusCode'): unknown {
  return typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, name) : undefined
}

/** Maps any error to a typed one. */
export function updateError(thrown: unknown): MienError {
  if (thrown instanceof MienError) return thrown
  const code = tag(thrown, 'code')
  const status = tag(thrown, 'statusCode')
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const options = { cause: thrown }
  if (isDiskFull(thrown) || message.includes('ENOSPC')) return new MienError('disk-full', {}, options)
  if (code === 'ERR_CHECKSUM_MISMATCH' || /checksum mismatch/i.test(message))
    return new MienError('update-damaged', {}, options)
  if (status === 407 || /ERR_(?:PROXY_AUTH|TUNNEL_CONNECTION_FAILED|UNEXPECTED_PROXY_AUTH)/.test(message))
    return new MienError('proxy-password', {}, options)
  // Cancelled by the host filter (updater-port.ts).
  if (message.includes('ERR_BLOCKED_BY_CLIENT')) return new MienError('update-foreign', {}, options)
  const network = /net::ERR_\w+|\bE(?:CONNRE|TIMEDOUT|NOTFOUND|PIPE|AI_)\w*|socket hang up|aborted/.exec(message)?.[0]
  if (network !== undefined || typeof status === 'number' || code === 'ERR_UPDATER_CHANNEL_FILE_NOT_FOUND')
    return new MienError(
      'update-unreachable',
      { reason: network ?? (typeof status === 'number' ? status : 404) },
      options,
    )
  return new MienError('update-failed', { reason: message.split('\n')[0]?.slice(0, 200) ?? '' }, options)
}
