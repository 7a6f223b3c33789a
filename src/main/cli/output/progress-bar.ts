/** @file Progress bar for stderr. Only builds text; the caller writes it. */
import { m } from '@shared/i18n/paraglide/messages.js'
import type { PartProgress } from '@shared/people/part-progress.ts'
import type { Task, TaskResult } from '@shared/tasks/task.ts'
import { ownStateWord } from './state-text.ts'

const width = 30

/** Such as 1:02. */
export const clock = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1000))
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, '0')}`
}

function bar(share: number): string {
  const filled = Math.round(share * width)
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${String(Math.floor(share * 100)).padStart(3)}%`
}

/** As `progressLine`, for a part that is swapped again. */
export const partLine = ({ share, etaMs }: Omit<PartProgress, 'taskId'>): string =>
  [bar(share ?? 0), ...(etaMs === null ? [] : [m.time_left({ span: clock(etaMs) })])].join('  ')

/** One line about a swap on this computer, such as `[####......] 42%  63/150 frames  88 fps  0:01 left`. */
export function progressLine(
  task: Pick<Task, 'state' | 'progress'> & { result: Pick<TaskResult, 'frames' | 'workFps'> | null },
): string {
  const { progress, result } = task
  const share = task.state === 'kept' ? 1 : task.state === 'processing' ? (progress?.share ?? 0) : 0
  const parts = [bar(share)]
  // Nothing else is before it.
  const isNext = task.state === 'queued' || task.state === 'waiting'
  if (task.state !== 'processing') parts.push(isNext ? m.cli_preparing() : ownStateWord(task.state))
  const done = result?.frames ?? progress?.framesDone ?? null
  const total = result?.frames ?? progress?.framesTotal ?? null
  if (done !== null && total !== null) parts.push(m.cli_frames({ done, total }))
  const fps = result?.workFps ?? progress?.workFps ?? null
  if (fps !== null) parts.push(m.fps({ fps: fps.toFixed(0) }))
  if (progress?.etaMs != null) parts.push(m.time_left({ span: clock(progress.etaMs) }))
  return parts.join('  ')
}
