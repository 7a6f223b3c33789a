import { expect, it } from 'vitest'
import { QualityRuns } from '../../../src/renderer/engine/jobs/frames/quality-runs.ts'

it('runs of quality cover the video without gaps', () => {
  const quality = new QualityRuns()
  for (const kind of ['none', 'swapped', 'swapped', 'turned', 'swapped'] as const) quality.add(kind)
  expect(quality.swapped).toBe(3)
  expect(quality.runs).toEqual([
    { kind: 'none', frames: 1 },
    { kind: 'swapped', frames: 2 },
    { kind: 'turned', frames: 1 },
    { kind: 'swapped', frames: 1 },
  ])
})
