/** @file Tolerant reader: converts any service's listbyids answer to tasks. Pure. */
import { isJsonObject, writeExactJson, type Json, type JsonObject } from '@shared/service/exact-json.ts'
import { errorBodySchema, type ErrorBody } from '@shared/errors.ts'
import { readStatus, type ServiceStatus, type WordMapping } from '@shared/service/status-words.ts'
import { workSchema, type Work } from '@shared/service/wire.ts'
import { field, objectField, positiveField, textField, findMessage } from './answers.ts'

/** A task item of any service, read tolerantly. Null means not reported. */
export interface ServiceTask {
  objectId: string
  status: ServiceStatus
  /** Verbatim. */
  statusWord: string | null
  taskId: string | null
  /** Code and details of the embedded service; for other services `task-failed` with `message`. */
  error: ErrorBody | null
  resultUrl: string | null
  coverUrl: string | null
  avatarUrls: string[]
  progress: { share: number | null; etaMs: number | null } | null
  /** Embedded service only. */
  work: Work | null
  width: number | null
  height: number | null
  durationMs: number | null
  /** This item as JSON text, with all digits of its integers. */
  raw: string
}

/** Status word as verbatim text; null when absent. */
function statusWord(value: Json | undefined): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return null
}

/** Values of `error` that mean "no error". */
const noError = /^(?:|null|none|nil|ok|success|0|\{\}|\[\]|undefined)$/i

function readMessage(item: JsonObject): string | null {
  const value = field(item, 'error')
  const message = typeof value === 'string' ? value.trim() : isJsonObject(value) ? findMessage(value) : null
  return message === null || noError.test(message) ? null : message.slice(0, 2000)
}

/** Only Mien's own service may choose Mien's error texts; errors of other services are quoted. */
function readError(item: JsonObject, message: string | null, isOwn: boolean): ErrorBody | null {
  const own = errorBodySchema.safeParse({ code: item['errorCode'], details: item['errorDetails'] ?? {} })
  if (isOwn && own.success) return own.data
  return message === null ? null : { code: 'task-failed', details: { message } }
}

/** Reads avatar URLs: JSON array text (embedded service), comma-separated text, or an array. */
export function readAvatars(value: Json | undefined): string[] {
  if (Array.isArray(value))
    // Safe: filtered to strings.
    return value.filter((part) => typeof part === 'string' && part !== '').slice(0, 100) as string[]
  if (typeof value !== 'string' || value.trim() === '') return []
  if (value.trim().startsWith('[')) {
    try {
      const list: unknown = JSON.parse(value)
      if (Array.isArray(list)) return readAvatars(list.filter((part) => typeof part === 'string'))
    } catch {
      return []
    }
  }
  // URLs may contain commas; split only where a new URL starts.
  return value
    .split(/,(?=\s*(?:https?:|\/))/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .slice(0, 100)
}

/**
 * Result URL: Video.videoUrl, else Video.originUrl, but never the input URL. A service may set originUrl to the input
 * video long before it is done.
 */
function readResult(item: JsonObject, video: JsonObject): string | null {
  const input = textField(item, 'videoUrl')
  return (
    [textField(video, 'videoUrl'), textField(video, 'originUrl')].find((url) => url !== null && url !== input) ?? null
  )
}

/**
 * An error without a result is a failure, whatever the status word. With a result it is a warning, unless the word
 * means failed or cancelled. A numeric status guessed as "succeeded" needs a result.
 */
function settle(word: string | null, hasResult: boolean, hasError: boolean, mapping: WordMapping): ServiceStatus {
  const { status, guessed } = readStatus(word, mapping)
  if (status === 'failed' || status === 'cancelled') return status
  if (hasError) return hasResult ? 'succeeded' : 'failed'
  return status === 'succeeded' && guessed && !hasResult ? 'unknown' : status
}

/** One year; larger values are implausible. */
const maxEtaMs = 365 * 86_400_000

function readProgress(item: JsonObject): ServiceTask['progress'] {
  const share = field(item, 'progress')
  const eta = field(item, 'etaMs')
  const read = {
    share: typeof share === 'number' && share >= 0 && share <= 1 ? share : null,
    etaMs: typeof eta === 'number' && eta >= 0 && eta <= maxEtaMs ? eta : null,
  }
  return read.share === null && read.etaMs === null ? null : read
}

function readWork(item: JsonObject): Work | null {
  const work = workSchema.safeParse(item['work'])
  return work.success ? work.data : null
}

/** Makes relative URLs absolute. Absolute ones stay unchanged, because signatures may depend on the exact text. */
export const resolver =
  (base: string) =>
  (url: string): string =>
    URL.canParse(url) ? url : (URL.parse(url, base)?.href ?? url)

interface Reading {
  /** Makes a URL absolute. */
  resolve: (url: string) => string
  /** Mapping of the service's status words. */
  words?: WordMapping | undefined
  /** True for the embedded service. */
  isOwn?: boolean | undefined
}

/** Reads one item; null when it has no object id. */
export function readTask(item: JsonObject, reading: Reading): ServiceTask | null {
  const { resolve, words = {}, isOwn = false } = reading
  const objectId = textField(item, 'objectId')
  if (objectId === null) return null
  const video = objectField(item, 'Video')
  const footage = objectField(item, 'Footage')
  const word = statusWord(field(item, 'status'))
  const resultUrl = readResult(item, video)
  const coverUrl = textField(video, 'coverUrl') ?? textField(footage, 'cover')
  const message = readMessage(item)
  const work = readWork(item)
  return {
    objectId,
    status: settle(word, resultUrl !== null, message !== null, words),
    statusWord: word,
    taskId: textField(item, 'taskId'),
    error: readError(item, message, isOwn),
    resultUrl: resultUrl === null ? null : resolve(resultUrl),
    coverUrl: coverUrl === null ? null : resolve(coverUrl),
    avatarUrls: readAvatars(field(video, 'avatars')).map(resolve),
    progress: readProgress(item),
    work: work?.preview
      ? {
          ...work,
          preview: {
            ...work.preview,
            beforeUrl: resolve(work.preview.beforeUrl),
            afterUrl: resolve(work.preview.afterUrl),
          },
        }
      : work,
    width: positiveField(video, 'width'),
    height: positiveField(video, 'height'),
    durationMs: positiveField(video, 'duration') ?? positiveField(item, 'duration'),
    raw: writeExactJson(item),
  }
}

/**
 * Reads the tasks of a documented body, by object id. Keeps the first of duplicates; drops ids that were not asked for
 * and unreadable items.
 */
export function readTasks(body: Json, asked: ReadonlySet<string>, reading: Reading): Map<string, ServiceTask> {
  const found = new Map<string, ServiceTask>()
  const list = isJsonObject(body) ? field(body, 'list') : undefined
  for (const item of Array.isArray(list) ? list : []) {
    if (!isJsonObject(item)) continue
    const task = readTask(item, reading)
    if (task && asked.has(task.objectId) && !found.has(task.objectId)) found.set(task.objectId, task)
  }
  return found
}
