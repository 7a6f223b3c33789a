import { describe, expect, it } from 'vitest'
import { backoffMs, paceMs } from '../../../../../src/main/swaps/rules/backoff.ts'

describe('backoff', () => {
  it.each([
    [0, 1, 1000],
    [1, 1, 2000],
    [5, 0.5, 16_000],
    [30, 1, 300_000],
    [3, 0, 250],
  ])('attempt %i with luck %f waits %i ms', (attempt, random, ms) => expect(backoffMs(attempt, random)).toBe(ms))

  it('waits first as long as the service asked for, and never shorter', () => {
    expect(backoffMs(1, 0.1, 7000)).toBe(7000)
    expect(backoffMs(3, 0, 7000)).toBe(7000)
  })

  it.each([0, 0.5, 0.999])('grows when a service asks for a second each time, with luck %f', (random) => {
    const waits = [1, 2, 3, 4, 5, 6].map((attempt) => backoffMs(attempt, random, 1000))
    expect(waits.reduce((sum, wait) => sum + wait)).toBeGreaterThan(30_000)
    expect(waits).toEqual([...waits].sort((a, b) => a - b))
  })
})

const pace = { looking: false, windowVisible: true, local: false, youngestMs: 1000 }
it.each([
  [{}, 2000],
  [{ youngestMs: 120_000 }, 5000],
  [{ youngestMs: 3_600_000 }, 15_000],
  [{ youngestMs: 3_600_000, looking: true }, 2000],
  [{ youngestMs: 120_000, windowVisible: false }, 10_000],
  [{ local: true }, 100],
  [{ local: true, youngestMs: 5000 }, 500],
  [{ local: true, youngestMs: 5000, looking: true }, 250],
])('the pace of watching with %j is %i ms', (patch, ms) => expect(paceMs({ ...pace, ...patch })).toBe(ms))
