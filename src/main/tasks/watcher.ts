/**
 * @file Asks each service how its swaps are, many at once, and tells the board what it heard.
 * One request at a time per profile; quick at first, slow later, backing off when the service is in trouble.
 */
import { MienError } from '@shared/errors.ts'
import { embeddedProfileId, type Task } from '@shared/task.ts'
import { batchIds } from '../service-client/batch.ts'
import type { ServiceTask } from '../service-client/types.ts'
import { backoffMs, paceMs } from './backoff.ts'
import type { Log, Services } from './ports.ts'
import type { TaskBoard } from './task-board.ts'
import { noProgress, type Observation } from './transitions.ts'

interface WatcherDeps {
  board: TaskBoard
  services: Services
  /** Every answer, for the record and the preview; told before the board. */
  onAnswer: (task: Task, answer: ServiceTask) => void
  log: Log
  now: () => number
  random: () => number
}

/** A swap that a service no longer lists is given up after this many answers over at least this time. */
const missingAnswers = 3
const missingMs = 60_000

interface Watch {
  timer: NodeJS.Timeout | null
  running: boolean
  failures: number
  limit: number
}

export class Watcher {
  private readonly deps: WatcherDeps
  private readonly watches = new Map<string, Watch>()
  private readonly absent = new Map<string, { since: number; answers: number }>()
  private readonly abort = new AbortController()
  private lookingAt: string | null = null
  private windowVisible = true

  constructor(deps: WatcherDeps) {
    this.deps = deps
  }

  dispose(): void {
    this.abort.abort()
    for (const watch of this.watches.values()) if (watch.timer) clearTimeout(watch.timer)
  }

  looking(taskId: string | null): void {
    this.lookingAt = taskId
    this.wake()
  }

  setWindowVisible(visible: boolean): void {
    this.windowVisible = visible
    if (visible) this.wake()
  }

  /** Makes sure that every profile with something to watch is watched; called when that may have changed. */
  wake(): void {
    if (this.abort.signal.aborted) return
    for (const profileId of new Set(this.watched().map((task) => task.profileId))) {
      const watch = this.watches.get(profileId) ?? { timer: null, running: false, failures: 0, limit: 50 }
      this.watches.set(profileId, watch)
      if (!watch.running && (watch.timer === null || watch.failures === 0)) this.schedule(profileId, watch, 50)
    }
  }

  private watched(): Task[] {
    return this.deps.board
      .inStates('waiting', 'processing')
      .filter((task) => task.objectId !== null && task.pause !== 'user' && task.pause !== 'key')
  }

  private schedule(profileId: string, watch: Watch, afterMs: number): void {
    if (watch.timer) clearTimeout(watch.timer)
    watch.timer = setTimeout(() => {
      watch.timer = null
      void this.cycle(profileId, watch)
    }, afterMs)
  }

  private async cycle(profileId: string, watch: Watch): Promise<void> {
    const tasks = this.watched().filter((task) => task.profileId === profileId)
    if (tasks.length === 0 || this.abort.signal.aborted) return
    watch.running = true
    let wait: number
    try {
      const byObject = new Map(
        tasks.flatMap((task) => (task.objectId === null ? [] : [[task.objectId, task] as const])),
      )
      for (const ids of batchIds([...byObject.keys()], { maxIds: watch.limit, maxChars: 2000 })) {
        const answer = await this.deps.services.client(profileId).fetchTasks(ids, this.abort.signal)
        for (const id of answer.asked) {
          const task = byObject.get(id)
          if (task) this.heard(task, answer.found.get(id))
        }
      }
      watch.failures = 0
      wait = paceMs(this.pace(profileId, tasks))
    } catch (error) {
      if (this.aborted()) return
      wait = this.troubled(profileId, tasks, watch, error)
    } finally {
      watch.running = false
    }
    this.schedule(profileId, watch, wait)
  }

  /** A function of its own, since it may have changed during an await. */
  private aborted(): boolean {
    return this.abort.signal.aborted
  }

  private pace(profileId: string, tasks: readonly Task[]) {
    const now = this.deps.now()
    return {
      looking: tasks.some((task) => task.id === this.lookingAt),
      windowVisible: this.windowVisible,
      local: profileId === embeddedProfileId,
      youngestMs: Math.min(...tasks.map((task) => now - task.createdAt)),
    }
  }

  private heard(task: Task, answer: ServiceTask | undefined): void {
    if (!answer) {
      const absent = this.absent.get(task.id) ?? { since: this.deps.now(), answers: 0 }
      absent.answers += 1
      this.absent.set(task.id, absent)
      if (absent.answers >= missingAnswers && this.deps.now() - absent.since >= missingMs) {
        this.deps.board.tell(task.id, { type: 'not-listed' })
      }
      return
    }
    this.absent.delete(task.id)
    this.deps.onAnswer(task, answer)
    this.deps.board.tell(task.id, { type: 'observed', observation: observe(answer) })
  }

  /** Returns how long to wait. */
  private troubled(profileId: string, tasks: readonly Task[], watch: Watch, error: unknown): number {
    watch.failures += 1
    const code = error instanceof MienError ? error.code : 'internal'
    this.deps.log(`Watching failed (${code})`, error)
    if (code === 'key-refused' || code === 'key-missing') this.deps.services.keyRefused(profileId)
    if (code === 'service-unreachable') {
      for (const task of tasks) this.deps.board.tell(task.id, { type: 'pause', reason: 'no-network' })
    }
    if (code === 'too-large' || code === 'request-refused') watch.limit = Math.max(1, Math.floor(watch.limit / 2))
    const retryAfter = error instanceof MienError ? error.details['retryAfterMs'] : null
    return backoffMs(watch.failures, this.deps.random(), typeof retryAfter === 'number' ? retryAfter : null)
  }
}

/** A service's answer as the board understands it. */
export function observe(answer: ServiceTask): Observation {
  const { work, progress } = answer
  return {
    status: answer.status,
    statusWord: answer.statusWord,
    taskId: answer.taskId,
    error: answer.error,
    progress:
      progress || work
        ? {
            ...noProgress,
            share: progress?.share ?? null,
            etaMs: progress?.etaMs ?? null,
            framesDone: work?.framesDone ?? null,
            framesTotal: work?.framesTotal ?? null,
            framesSwapped: work?.framesSwapped ?? null,
            workFps: work?.workFps ?? null,
          }
        : null,
  }
}
