/** @file Only a part of a video is swapped, by the real engine: frames, times and sound are those asked for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EngineProgress } from '../../src/shared/engine/engine.ts'
import type { Range } from '../../src/shared/people/people.ts'
import { clips, unevenClip } from '../fixtures/clip.ts'
import { mediaFacts, type MediaFacts } from '../fixtures/media-facts.ts'
import { RealEngine } from './real-engine.ts'

const engine = new RealEngine()
const { at } = engine

async function swap(video: string, range: Range, dir = engine.newDir()) {
  const progress: EngineProgress[] = []
  engine.onProgress = (state) => void progress.push(state)
  const { result, file } = await engine.swap({ video, range, dir, told: true })
  if (!result) throw new Error('it was not killed')
  return { result, made: await mediaFacts(file), progress }
}

const rangeOf = (rest: Range['rest'], ...parts: [fromMs: number, toMs: number][]): Range => ({
  rest,
  parts: parts.map(([fromMs, toMs]) => ({ fromMs, toMs })),
})

/** Times in the result, in microseconds: the parts' frames, as long as they are in the video. */
function joined(times: readonly number[], end: number, parts: readonly { fromMs: number; toMs: number }[]): number[] {
  let length = 0
  return parts.flatMap(({ fromMs, toMs }) => {
    const inside = times.filter((time) => Math.round(time / 1000) >= fromMs && Math.round(time / 1000) < toMs)
    const [first = 0] = inside
    const begins = length
    length += (times.find((time) => Math.round(time / 1000) >= toMs) ?? end) - first
    return inside.map((time) => time - first + begins)
  })
}

/** With frames of five lengths, which is harder than with one. */
const video = at('uneven.mp4')
let facts: MediaFacts

beforeAll(async () => {
  facts = await mediaFacts(await unevenClip(video))
})
afterAll(() => engine.end())

describe('only the part is saved', () => {
  const cases: [what: string, parts: [number, number][]][] = [
    ['in three pieces', [[700, 1300], [1800, 2000], [9400, 10_500]]], // prettier-ignore
    ['from any frame to any other', [[2300, 4100]]],
    ['of one frame', [[3700, 3701]]],
    ['from the beginning', [[0, 900]]],
    ['up to the end', [[11_000, 60_000]]],
  ]
  const savesOnly = async (_what: string, parts: [number, number][]): Promise<void> => {
    const range = rangeOf('drop', ...parts)
    const { result, made, progress } = await swap(video, range)
    const times = joined(facts.frameTimes, 12_000_000, range.parts)
    expect(made.frameTimes).toEqual(times)
    expect(result).toMatchObject({ frames: times.length, swappedFrames: times.length })
    expect(progress.at(-1)).toMatchObject({ framesDone: times.length, framesTotal: times.length })
    expect(result.durationMs).toBeGreaterThan((times.at(-1) ?? 0) / 1000)
    expect(progress.at(-1)?.savedMs).toBeGreaterThan(Math.min(11_500, (parts.at(-1)?.[1] ?? 0) - 200))
    expectSound(made, facts, range)
  }
  it.each(cases.slice(0, 1))('%s', savesOnly)
  it.each(cases.slice(1))('%s', { tags: ['long'] }, savesOnly)
})

/** Whole packets, one after the other; each part begins with the packet nearest to where it is in the result. */
function expectSound({ audio }: MediaFacts, facts: MediaFacts, { parts }: Range): void {
  const { times = [], hashes = [] } = facts.audio ?? {}
  const step = 1_024_000_000 / 22_050
  let length = 0
  const expected = parts.flatMap(({ fromMs, toMs }, number) => {
    const first = facts.frameTimes.find((time) => Math.round(time / 1000) >= fromMs) ?? 0
    const end = facts.frameTimes.find((time) => Math.round(time / 1000) >= toMs) ?? 12_000_000
    const done = number === 0 ? 0 : Math.round(length / step)
    const off = done * step - length
    length += end - first
    const nearest = times.findIndex((time) => Math.abs(time - first - off) <= step / 2)
    return hashes.slice(nearest, nearest + Math.round(length / step) - done)
  })
  expect(audio?.hashes).toEqual(expected)
  audio?.times.forEach((time, index) => expect(Math.abs(time - index * step)).toBeLessThan(100))
}

it('all is saved, and swapped only in the parts', async () => {
  const range = rangeOf('keep', [2000, 3000], [8000, 8500])
  const { result, made } = await swap(video, range)
  expect(made.frameTimes).toEqual(facts.frameTimes)
  expect(made.audio).toEqual(facts.audio)
  const inside = (from: number, to: number): number =>
    facts.frameTimes.filter((time) => time >= from * 1000 && time < to * 1000).length
  expect(result.quality).toEqual([
    { kind: 'outside', frames: inside(0, 2000) },
    { kind: 'swapped', frames: inside(2000, 3000) },
    { kind: 'outside', frames: inside(3000, 8000) },
    { kind: 'swapped', frames: inside(8000, 8500) },
    { kind: 'outside', frames: inside(8500, 12_001) },
  ])
  // Nothing outside is analysed.
  expect(result.stages['analysedFrames']).toBeLessThanOrEqual(2 * result.swappedFrames)
})

it.each<[string, Range]>([
  ['saved alone', rangeOf('drop', [1500, 7600], [7900, 11_800])],
  ['swapped alone', rangeOf('keep', [3000, 5500], [7900, 11_000])],
])(
  'after a kill, a part that is %s ends as if nothing had been',
  { tags: ['long'], timeout: 400_000 },
  async (_what, range) => {
    const undisturbed = await swap(clips.twelveSeconds, range)
    const killed = await engine.swapUntilSaved({ video: clips.twelveSeconds, range }, 5000)
    expect(killed.result).toBeUndefined()
    const { result, made } = await swap(clips.twelveSeconds, range, killed.dir)
    expect(result.stages['keptFrames']).toBeGreaterThan(20)
    expect(made).toEqual(undisturbed.made)
    expect(result).toMatchObject({
      frames: undisturbed.result.frames,
      quality: undisturbed.result.quality,
      durationMs: undisturbed.result.durationMs,
    })
  },
)
