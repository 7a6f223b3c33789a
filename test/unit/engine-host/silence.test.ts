import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Silence } from '../../../src/main/engine/silence.ts'

let isWarm: boolean
let ended: boolean
let silence: Silence

beforeEach(() => {
  vi.useFakeTimers()
  ;[isWarm, ended] = [true, false]
  silence = new Silence(
    20_000,
    () => isWarm,
    () => (ended = true),
  )
})
afterEach(() => {
  vi.useRealTimers()
})

it('ends when nothing was heard for so long', () => {
  silence.begin()
  vi.advanceTimersByTime(19_999)
  silence.begin()
  vi.advanceTimersByTime(19_999)
  expect(ended).toBe(false)
  vi.advanceTimersByTime(1)
  expect(ended).toBe(true)
})

it('does not count a cold start', () => {
  isWarm = false
  silence.begin()
  vi.advanceTimersByTime(40_000)
  isWarm = true
  silence.begin()
  vi.advanceTimersByTime(19_999)
  expect(ended).toBe(false)
  vi.advanceTimersByTime(1)
  expect(ended).toBe(true)
})

it('ends for an engine that never gets warm, too', () => {
  isWarm = false
  silence.begin()
  vi.advanceTimersByTime(50_000)
  expect(ended).toBe(true)
})

it('is over once an answer is here', () => {
  silence.begin()
  silence.stop()
  vi.advanceTimersByTime(100_000)
  expect(ended).toBe(false)
})

it('does not end for the time in which the computer slept', () => {
  silence.begin()
  vi.advanceTimersByTime(19_000)
  vi.setSystemTime(Date.now() + 3_600_000)
  vi.advanceTimersByTime(19_000)
  expect(ended).toBe(false)
})

it('counts anew when the computer woke up, but only while it counts', () => {
  silence.restart()
  vi.advanceTimersByTime(100_000)
  expect(ended).toBe(false)
  silence.begin()
  vi.advanceTimersByTime(19_000)
  silence.restart()
  vi.advanceTimersByTime(19_000)
  expect(ended).toBe(false)
  vi.advanceTimersByTime(1000)
  expect(ended).toBe(true)
})
