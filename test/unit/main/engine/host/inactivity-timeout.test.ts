import { beforeEach, expect, it, vi } from 'vitest'
import { InactivityTimeout } from '../../../../../src/main/engine/host/inactivity-timeout.ts'

let isWarm: boolean
let ended: boolean
let inactivity: InactivityTimeout

beforeEach(() => {
  vi.useFakeTimers()
  ;[isWarm, ended] = [true, false]
  inactivity = new InactivityTimeout(
    20_000,
    () => isWarm,
    () => (ended = true),
  )
})

it('ends when nothing was heard for so long', () => {
  inactivity.begin()
  vi.advanceTimersByTime(19_999)
  inactivity.begin()
  vi.advanceTimersByTime(19_999)
  expect(ended).toBe(false)
  vi.advanceTimersByTime(1)
  expect(ended).toBe(true)
})

it('does not count a cold start', () => {
  isWarm = false
  inactivity.begin()
  vi.advanceTimersByTime(40_000)
  isWarm = true
  inactivity.begin()
  vi.advanceTimersByTime(19_999)
  expect(ended).toBe(false)
  vi.advanceTimersByTime(1)
  expect(ended).toBe(true)
})

it('ends for an engine that never gets warm, too', () => {
  isWarm = false
  inactivity.begin()
  vi.advanceTimersByTime(50_000)
  expect(ended).toBe(true)
})

it('is over once an answer is here', () => {
  inactivity.begin()
  inactivity.stop()
  vi.advanceTimersByTime(100_000)
  expect(ended).toBe(false)
})

it('counts anew when the computer woke up, but only while it counts', () => {
  inactivity.restart()
  vi.advanceTimersByTime(100_000)
  expect(ended).toBe(false)
  inactivity.begin()
  vi.advanceTimersByTime(19_000)
  inactivity.restart()
  vi.advanceTimersByTime(19_000)
  expect(ended).toBe(false)
  vi.advanceTimersByTime(1000)
  expect(ended).toBe(true)
})
