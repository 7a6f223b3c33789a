import { expect, it } from 'vitest'
import type { TaskEvent } from '@shared/tasks/task.ts'
import { pausedTimeMs } from '@shared/tasks/paused-time.ts'

const event = (what: TaskEvent['what'], at: number): TaskEvent => ({ what, at, details: {} })

it.each<[what: string, events: TaskEvent[], pausedMs: number]>([
  ['a swap that was not held', [event('started', 10), event('succeeded', 90)], 0],
  ['one that was held twice', [20, 30, 50, 55].map((at, n) => event(n % 2 === 0 ? 'paused' : 'resumed', at)), 15],
  ['one that was held more firmly meanwhile', [event('paused', 20), event('paused', 25), event('resumed', 40)], 20],
  ['one whose disk was full until it went on', [event('failed', 30), event('resumed', 70)], 40],
  ['one that was held before it began', [event('paused', 2), event('resumed', 12), event('started', 12)], 2],
  ['one that was held to its end', [event('paused', 80)], 0],
])('%s', (_what, events, pausedMs) => expect(pausedTimeMs(events, 10, 90)).toBe(pausedMs))
