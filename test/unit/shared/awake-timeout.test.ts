import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AwakeTimeout } from '@shared/awake-timeout.ts'

let ended: boolean
let timeout: AwakeTimeout

beforeEach(() => {
  vi.useFakeTimers()
  ended = false
  timeout = new AwakeTimeout(() => (ended = true))
})
afterEach(() => {
  timeout.stop()
})

/** The computer sleeps: the clock goes on, and what a timer missed comes as one tick afterwards. */
const sleep = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms)
}

it('ends after its time, once', () => {
  timeout.start(20_000)
  vi.advanceTimersByTime(19_999)
  expect(ended).toBe(false)
  vi.advanceTimersByTime(1)
  expect(ended).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

it('ends after less than a second, too', () => {
  timeout.start(300)
  vi.advanceTimersByTime(300)
  expect(ended).toBe(true)
})

it('has all its time again after a sleep of which nothing was told', () => {
  timeout.start(20_000)
  vi.advanceTimersByTime(19_000)
  sleep(8 * 3_600_000)
  vi.advanceTimersByTime(20_000)
  expect(ended).toBe(false)
  vi.advanceTimersByTime(1000)
  expect(ended).toBe(true)
})

it('does not mind a clock that is set back', () => {
  timeout.start(20_000)
  vi.advanceTimersByTime(10_000)
  sleep(-3_600_000)
  vi.advanceTimersByTime(10_000)
  expect(ended).toBe(true)
})

it('is over once it is stopped', () => {
  timeout.start(20_000)
  timeout.stop()
  vi.advanceTimersByTime(100_000)
  expect(ended).toBe(false)
})
