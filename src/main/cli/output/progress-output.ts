/** @file Progress on stderr: a bar that is redrawn in a terminal, else lines. */
import { m } from '@shared/i18n/paraglide/messages.js'
import { isStderrTerminal } from './filtered-run.ts'
import type { PartProgress } from '@shared/people/part-progress.ts'
import type { Task, TaskResult } from '@shared/tasks/task.ts'
import { ownStateWord } from './output-lines.ts'

const width = 30

/** Such as 1:02. */
const clock = (ms: number): string => {
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

/** Max time without a line where stderr is no terminal, so that a log shows that the command is alive. */
const maxSilenceMs = 5000

/** Call `stop` at the end. */
export class ProgressOutput {
  readonly #isLive = isStderrTerminal()
  readonly #beganMs = performance.now()
  #line = ''
  #tenth = -1
  #isOver = false
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param share 0 to 1; a line for each tenth */
  show(share: number, line: string): void {
    // Work that was interrupted may go on for a moment.
    if (this.#isOver) return
    this.#line = line
    const tenth = Math.floor(share * 10)
    if (this.#isLive) process.stderr.write(`\r\u001b[K${line}`)
    else if (tenth > this.#tenth) this.#write(line)
    this.#tenth = Math.max(this.#tenth, tenth)
  }

  stop(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    if (this.#isLive) process.stderr.write('\n')
  }

  #write(line: string): void {
    process.stderr.write(`${line}\n`)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#write(`${this.#line}  ${m.detail_so_far({ span: clock(performance.now() - this.#beganMs) })}`)
    }, maxSilenceMs)
  }
}
