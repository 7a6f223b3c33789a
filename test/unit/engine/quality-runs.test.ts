import { expect, it } from 'vitest'
import { QualityRuns } from '../../../src/renderer/engine/jobs/frames/frame-quality.ts'

it('runs of quality cover the video without gaps', () => {
  const quality = new QualityRuns()
  for (const kind of ['none', 'swapped', 'swapped', 'turned', 'swapped'] as const) quality.add(kind)
  expect(quality.swapped).toBe(3)
  const runs = quality.runs.map(({ kind, frames }) => [kind, frames])
  expect(runs.join(' ')).toBe('none,1 swapped,2 turned,1 swapped,1')
})
