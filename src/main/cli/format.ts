/** @file What the command line says: one JSON object a line, or a line for people. Pure. */
import { errorSentence } from '@shared/i18n/error-text.ts'
import type { ErrorBody } from '@shared/errors.ts'
import type { ProfileView } from '@shared/profile.ts'
import type { Task } from '@shared/task.ts'

export interface Places {
  /** A profile's name; its id when it is gone. */
  profile: (profileId: string) => string
  /** A medium's file; null when it is not listed. */
  path: (mediaId: string) => string | null
}

const time = (ms: number): string => new Date(ms).toISOString()

export const errorJson = (error: ErrorBody) => ({
  code: error.code,
  message: errorSentence(error),
  details: error.details,
})

/** Integers that a service may write with 64 bits (objectId) are text; times are RFC 3339. */
export function taskJson(task: Task, { profile, path }: Places) {
  return {
    id: task.id,
    profile: profile(task.profileId),
    objectId: task.objectId,
    title: task.title,
    state: task.state,
    paused: task.pause,
    face: {
      origin: task.face.origin,
      confirmedAt: task.face.confirmedAt === null ? null : time(task.face.confirmedAt),
    },
    serviceStatus: task.serviceStatus,
    progress: task.state === 'kept' ? 1 : (task.progress?.share ?? null),
    error: task.error === null ? null : errorJson(task.error),
    result: task.result === null ? null : path(task.result.mediaId),
    cover: task.coverId === null ? null : path(task.coverId),
    createdAt: time(task.createdAt),
    updatedAt: time(task.updatedAt),
  }
}

/** A title is somebody's text: nothing in it moves a terminal's cursor or turns its letters round. */
export const plain = (text: string): string => text.replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ')

export function taskLine(task: Task, places: Places): string {
  const share = task.progress?.share ?? null
  const state = task.pause === null ? task.state : `${task.state}, paused (${task.pause})`
  const parts = [
    task.id,
    `${state}${share === null ? '' : ` ${String(Math.floor(share * 100))}%`}`,
    plain(task.title).slice(0, 60),
    plain(places.profile(task.profileId)),
  ]
  if (task.error !== null) parts.push(plain(errorSentence(task.error)))
  return parts.join('  ')
}

/** `isKeyKnown`: false when the keychain did not answer. */
export function profileJson(profile: ProfileView, isKeyKnown = true) {
  const { id, name, baseUrl, keyHeader, durationUnit, allowHttp, embedded, key, paused } = profile
  return { id, name, baseUrl, keyHeader, durationUnit, allowHttp, embedded, paused, key: isKeyKnown ? key : null }
}

export function profileLine({ name, baseUrl, key }: ProfileView, isKeyKnown = true): string {
  const kept = key.kept === 'none' ? 'no key' : `key …${key.lastFour ?? ''}${key.refused ? ' (refused)' : ''}`
  const said = isKeyKnown ? kept : 'key unknown'
  return [plain(name), baseUrl ?? 'on this computer', said].join('  ')
}

/** One line. Integers of 64 bits are text, since most readers of JSON would round them. */
export const jsonLine = (value: unknown): string =>
  `${JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))}\n`
