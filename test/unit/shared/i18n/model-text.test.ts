import { describe, expect, it } from 'vitest'
import type { ModelTrial } from '@shared/engine/engine.ts'
import { modelSpeedText, modelTimeText, modelTrialText } from '@shared/i18n/model-text.ts'

describe('the speed of a model', () => {
  it.each([
    [{ chip: null, processor: 2_400_000 }, 'About 40 min on the processor'],
    [{ chip: 240_000, processor: 2_400_000 }, 'About 4 min on the graphics chip, 40 min on the processor'],
    [{ chip: 240_000, processor: null }, 'About 4 min on the graphics chip'],
    [{ chip: null, processor: null }, null],
  ])('as the time of a swap of %j', (model, text) => expect(modelTimeText(model)).toBe(text))

  it.each([
    [{ backend: 'wasm', runMs: 138.4 }, 'About 138 ms for each frame on the processor'],
    [{ backend: 'webnn', runMs: 1870 }, 'About 1.9 s for each frame on the processor'],
    [{ backend: 'webgpu', runMs: 4870 }, 'About 4.9 s for each frame on the graphics chip'],
    [{ backend: null, runMs: null }, null],
    [null, null],
  ] as const)('as the time of a frame, of %j', (check, text) => expect(modelSpeedText(check)).toBe(text))

  it.each<[ModelTrial['problem'], string]>([
    [null, 'Graphics chip: works, 20 ms for each picture'],
    ['software', 'Graphics chip: none that can run models'],
    ['failed', 'Graphics chip: the model can’t be run'],
    ['different', 'Graphics chip: the output is wrong'],
  ])('as the outcome of a check, with %s', (problem, text) => {
    expect(modelTrialText('webgpu', { problem, reason: null, loadMs: 1, runMs: 20 })).toBe(text)
  })

  it('as the outcome of a check on the processor, in both ways', () => {
    const trial = { problem: null, reason: null, loadMs: 1, runMs: 20 }
    expect(modelTrialText('wasm', trial)).toBe('Processor: works, 20 ms for each picture')
    expect(modelTrialText('webnn', trial)).toBe('Processor, natively: works, 20 ms for each picture')
  })
})
