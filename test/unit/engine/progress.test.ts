import { beforeEach, expect, it, vi } from 'vitest'
import type { EngineProgress } from '@shared/engine/engine.ts'
import { Progress } from '../../../src/renderer/engine/jobs/job-context.ts'

let now = 0
beforeEach(() => {
  now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})

/** Frames at these moments, in ms. @returns what was told last */
function told(progress: Progress, report: { last: EngineProgress | null }, frames: (readonly [number, number])[]) {
  for (const [at, framesDone] of frames) {
    now = at
    progress.update({ framesDone })
  }
  return report.last
}

function begun(framesDone: number, framesTotal: number) {
  const report: { last: EngineProgress | null } = { last: null }
  const progress = new Progress((state) => (report.last = { ...state }))
  progress.update({ framesTotal })
  progress.begin(framesDone, framesDone * 40)
  return { progress, report }
}

it('tells no time left by the first frames, which wait until everything is warm', () => {
  const { progress, report } = begun(0, 1000)
  expect(told(progress, report, [[4000, 1], [4300, 6], [4600, 10], [5000, 20]])).toMatchObject({ workFps: null, etaMs: null }) // prettier-ignore
  expect(told(progress, report, [[5600, 40]])).toMatchObject({ workFps: 30, etaMs: 32_000 })
})

it('counts speed from where an earlier run ended', () => {
  const { progress, report } = begun(500, 1000)
  expect(report.last).toMatchObject({ stage: 'swapping', framesDone: 500, savedMs: 20_000, etaMs: null })
  expect(told(progress, report, [[1000, 508], [3000, 528]])).toMatchObject({ workFps: 10, etaMs: 47_200 }) // prettier-ignore
})

it('does not let one slow moment change what is left', () => {
  const { progress, report } = begun(0, 1000)
  const steady = Array.from({ length: 20 }, (_, index) => [index * 500, index * 10] as const)
  const before = told(progress, report, steady)?.etaMs ?? 0
  const after = told(progress, report, [[18_000, 191]])
  expect(after?.workFps).toBeLessThan(0.2)
  expect((after?.etaMs ?? 0) / before).toBeLessThan(2)
})
