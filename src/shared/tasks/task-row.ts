/**
 * @file A swap as lists show it, a few hundred bytes of the whole Task, and the filters. No schemas, as task-states.ts.
 */
import { isActive, waitsForUser } from './task-states.ts'
import type { FaceMedia, Task, TaskEvent, TaskResult, VideoMedia } from './task.ts'

/** What a row has of a Task as it is. */
const ownFields = [
  ...(['id', 'profileId', 'title', 'batch', 'state', 'pause', 'objectId', 'serviceStatus', 'progress'] as const),
  ...(['expected', 'position', 'preview', 'error', 'coverId'] as const),
  ...(['createdAt', 'updatedAt', 'startedAt', 'endedAt'] as const),
] as const
type OwnFields = Pick<Task, (typeof ownFields)[number]>

/** The fields that cards, rows and menus need. Every Task is one. */
export type TaskSummary = OwnFields & {
  face: Pick<FaceMedia, 'name' | 'thumbnailId'>
  video: Pick<VideoMedia, 'name' | 'durationMs' | 'width' | 'height' | 'coverId'>
  result: Pick<TaskResult, 'folderName' | 'sizeBytes'> | null
  /** In a row only events about sending. */
  events: Pick<TaskEvent, 'at' | 'what' | 'details'>[]
}

/** What the user added to a swap, as rows show it. */
export interface Labels {
  favourite: boolean
  tags: string[]
}

/** `number`: row number in the library's table, the key in lists. `focusX`: centre of the cover's faces, 0–1. */
export type TaskRow = TaskSummary & Labels & { number: number; focusX?: number }

/** A whole swap with its number. */
export type NumberedTask = Task & Labels & { number: number }

export const noLabels: Readonly<Labels> = { favourite: false, tags: [] }

const aboutSending: readonly TaskEvent['what'][] = ['sent', 'sent-again', 'unconfirmed']

/** The fields that a row is built from. */
type Rowable = Omit<TaskSummary, 'video'> & {
  video: TaskSummary['video'] & { faces: readonly { box: { x: number; width: number } }[] }
}

export function rowOf(task: Rowable, number: number, { favourite, tags }: Labels = noLabels): TaskRow {
  const { face, video } = task
  // `fromEntries` loses the names.
  const own = Object.fromEntries(ownFields.map((name) => [name, task[name]])) as unknown as OwnFields
  return {
    ...{ ...own, number, favourite, tags, focusX: focusOf(video) },
    face: { name: face.name, thumbnailId: face.thumbnailId },
    video: {
      ...{ name: video.name, durationMs: video.durationMs, coverId: video.coverId },
      ...{ width: video.width, height: video.height },
    },
    result: task.result === null ? null : { folderName: task.result.folderName, sizeBytes: task.result.sizeBytes },
    // Only needed until the swap has ended.
    events: task.endedAt === null ? task.events.filter(({ what }) => aboutSending.includes(what)).slice(-2) : [],
  }
}

function focusOf({ faces, width }: Rowable['video']): number {
  if (width === null) return 0.5
  const middles = faces.map(({ box }) => (box.x + box.width / 2) / width)
  const middle = middles.reduce((sum, each) => sum + each, 0) / middles.length
  return middles.length === 0 ? 0.5 : Math.min(1, Math.max(0, Number(middle.toFixed(2))))
}

export const filters = ['all', 'working', 'needs-you', 'finished'] as const
export type Filter = (typeof filters)[number]

type Standing = Pick<Task, 'state' | 'pause'>

export const isWorking = ({ state, pause }: Standing): boolean => isActive(state) && !waitsForUser(pause)

/** True if a swap needs the user to continue or to succeed. */
export const needsUser = ({ state, pause }: Standing): boolean =>
  state === 'unconfirmed' || state === 'failed' || state === 'missing' || (isActive(state) && waitsForUser(pause))

/** The filter other than `all` that includes a swap; null: none (cancelled). */
export function sectionOf(task: Standing): Exclude<Filter, 'all'> | null {
  if (needsUser(task)) return 'needs-you'
  if (isWorking(task)) return 'working'
  return task.state === 'kept' ? 'finished' : null
}

/** Changes of the library, in one message. */
export interface TaskChanges {
  rows: TaskRow[]
  removed: string[]
  /** The swap of the open task page, if it changed. */
  open: NumberedTask | null
  /** True if the order, filters or counts may have changed. */
  relisted: boolean
}

/** Swaps as JSON text. The context bridge copies objects value by value, which is slow, but text at once. */
export interface TasksText {
  seq: number
  json: string
}
