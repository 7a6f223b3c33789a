import { describe, expect, it } from 'vitest'
import type { EncoderTrial } from '@shared/engine/encoder.ts'
import type { BenchmarkView, Measurement } from '@shared/engine/benchmark.ts'
import { benchmarkWords, minuteAt } from '../../../src/renderer/studio/logic/words/benchmark-words.ts'
import { FakeMain } from '../../fixtures/fake-bridge.ts'

const now = new Date(2026, 10, 20, 12).getTime()
const measured: Measurement = {
  ...{ key: '', at: new Date(2026, 10, 20, 9, 12).getTime(), cores: 2, encoder: 'software', fps: 61.4 },
  ...{ hardware: { fps: null, problem: 'absent' }, software: { fps: 140, problem: null } },
}
const words = (view: Partial<BenchmarkView>) => {
  const benchmark = { state: 'idle' as const, measured: null, speeds: [], error: null, ...view }
  return benchmarkWords(new FakeMain({ info: { benchmark } }).info, now)
}

it('says what encodes, why, and when that was measured', () => {
  expect(words({ measured })).toEqual({
    title: 'About 61 fps at 720p on the processor',
    body: [
      'There’s no graphics chip Mien can encode with. Mien uses 1 processor thread to find faces and 1 to draw them.',
      'Measured today at 09:12 on 2 processor cores, 16 GB of memory.',
    ],
  })
})

describe('the graphics chip', () => {
  const fast = (fps: number): EncoderTrial => ({ fps, problem: null })
  const bad = (problem: EncoderTrial['problem']): EncoderTrial => ({ fps: null, problem })
  it.each<[Partial<Measurement>, string]>([
    [
      { encoder: 'hardware', hardware: fast(410) },
      'It encodes 720p at about 410 fps, compared with about 140 fps on the processor.',
    ],
    [{ encoder: 'hardware', hardware: fast(9), software: bad('failed') }, 'The processor’s encoder doesn’t work here.'],
    [
      { hardware: fast(150) },
      'The graphics chip’s encoder isn’t clearly faster: about 150 fps, compared with about 140 fps on the processor.',
    ],
    [{ hardware: bad('failed') }, 'The graphics chip’s encoder failed, so it isn’t used.'],
    [{ hardware: bad('silent') }, 'The graphics chip’s encoder doesn’t respond, so it isn’t used.'],
    [{ hardware: bad('wrong') }, 'The graphics chip’s encoder produces faulty pictures, so it isn’t used.'],
  ])('%j: %s', (change, why) => {
    const { title, body } = words({ measured: { ...measured, ...change, cores: 8 } })
    expect(title).toBe(`About 61 fps at 720p on the ${change.encoder ? 'graphics chip' : 'processor'}`)
    expect(body[0]).toBe(`${why} Mien uses 2 processor threads to find faces and 2 to draw them.`)
  })
})

it.each<[Partial<BenchmarkView>, string]>([
  [{}, 'Not measured yet'],
  [{ state: 'waiting' }, 'Not measured yet'],
  [{ state: 'measuring', measured }, 'Measuring this computer'],
  [{ error: { code: 'engine-crashed', details: {} } }, 'Couldn’t measure this computer'],
])('%j: %s', (view, title) => expect(words(view).title).toBe(title))

it.each([
  [61.4, '25 s'],
  [14, '2 min'],
])('at %d fps a minute takes %s', (fps, span) => expect(minuteAt({ height: 720, fps })).toBe(span))
