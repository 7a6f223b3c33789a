import { describe, expect, it } from 'vitest'
import type { EngineProgress } from '../../../src/shared/engine.ts'
import { Preview, type Still } from '../../../src/renderer/engine/jobs/preview.ts'
import { Progress } from '../../../src/renderer/engine/jobs/progress.ts'

describe('the first look', () => {
  it('is waited for: no other still is due before it', async () => {
    const preview = new Preview('media://job/none')
    expect(preview.due).toBe(true)
    const { promise, resolve } = Promise.withResolvers<Still | null>()
    preview.show(promise)
    expect(preview.due).toBe(false)
    resolve(null)
    await preview.settle()
    expect(preview.due).toBe(true)
    expect(preview.frame).toBeNull()
  })

  it('is told as soon as it is there, however short ago something else was told', () => {
    const told: EngineProgress[] = []
    const progress = new Progress((state) => told.push(state))
    progress.update({ stage: 'swapping' })
    progress.update({ framesDone: 1 })
    expect(told).toHaveLength(1)
    progress.update({ previewFrame: 40 })
    progress.update({ previewFrame: 40, framesDone: 2 })
    expect(told.map(({ previewFrame }) => previewFrame)).toEqual([null, 40])
  })
})
