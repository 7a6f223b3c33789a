/** @file A part of a finished swap is swapped again by the real engine, and all packets outside stay the same. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReRenderResult } from '../../src/shared/engine/engine.ts'
import type { Range, VideoPart } from '../../src/shared/people/people.ts'
import { clips, sample, unevenClip } from '../fixtures/clip.ts'
import { mediaFacts, type MediaFacts } from '../fixtures/media-facts.ts'
import { RealEngine } from './real-engine.ts'

const engine = new RealEngine()
const { at } = engine

interface Swap {
  video: string
  range?: Range
  file: string
  facts: MediaFacts
}

async function swap(video: string, range?: Range): Promise<Swap> {
  const { file } = await engine.swap({ video, ...(range && { range }) })
  return { video, file, facts: await mediaFacts(file), ...(range && { range }) }
}

/** What swaps a part of it again. */
const again = ({ video, file, range }: Swap, part: VideoPart, more: object = {}, dir = engine.newDir()) => ({
  ...{ kind: 're-render', face: sample.face, video, result: file, part, dir, ...(range && { range }), ...more },
})

async function joined(one: Swap, part: VideoPart, more: object = {}, dir = engine.newDir()) {
  const result = await engine.ask<ReRenderResult>(again(one, part, more, dir))
  if (!result) throw new Error('it was not killed')
  const file = join(dir, 'joined.mp4')
  return { ...result, file, facts: await mediaFacts(file) }
}

/** Checks everything outside of the part and returns the number of packets replaced behind it. */
function expectSameOutside(before: MediaFacts, after: MediaFacts, { fromMs, toMs }: VideoPart): number {
  expect(after.frameTimes).toEqual(before.frameTimes)
  expect({ ...after, frames: [], frameTimes: [] }).toEqual({ ...before, frames: [], frameTimes: [] })
  const [first = 0] = before.frameTimes
  const changed = before.frames.flatMap((frame, index) => {
    const ms = Math.round(((before.frameTimes[index] ?? 0) - first) / 1000)
    return frame === after.frames[index] ? [] : [ms]
  })
  expect(changed.length).toBeGreaterThan(0)
  expect(changed[0]).toBeGreaterThanOrEqual(fromMs)
  // The longest time between two key frames.
  expect(changed.at(-1)).toBeLessThan(toMs + 2200)
  return changed.filter((ms) => ms >= toMs).length
}

/** Of one video, whose frames begin at each half second, with five lengths between. */
let whole: Swap
let pieces: Swap

beforeAll(async () => {
  whole = await swap(await unevenClip(at('uneven.mp4')))
  pieces = await swap(whole.video, {
    parts: [
      { fromMs: 1000, toMs: 3000 },
      { fromMs: 6000, toMs: 9000 },
    ],
    rest: 'drop',
  })
})
afterAll(() => engine.end())

describe('a part is swapped again', () => {
  const parts: [what: string, part: VideoPart][] = [
    ['over the end of a segment', { fromMs: 3500, toMs: 5200 }],
    ['in the middle of a segment', { fromMs: 2300, toMs: 3100 }],
    ['of one frame', { fromMs: 6700, toMs: 6701 }],
    ['at the beginning', { fromMs: 0, toMs: 700 }],
    ['at the end', { fromMs: 11_300, toMs: 60_000 }],
  ]
  const changesOnly = async (_what: string, part: VideoPart): Promise<void> => {
    const { facts, quality, firstFrame } = await joined(whole, part, { options: options(20) })
    expectSameOutside(whole.facts, facts, part)
    const inside = whole.facts.frameTimes.filter((time) => isInside(time, part)).length
    expect(quality).toEqual([{ kind: 'swapped', frames: inside }])
    expect(firstFrame).toBe(whole.facts.frameTimes.findIndex((time) => isInside(time, part)))
  }
  it.each(parts.slice(0, 1))('%s', changesOnly)
  it.each(parts.slice(1))('%s', { tags: ['long'] }, changesOnly)
})

const isInside = (time: number, { fromMs, toMs }: VideoPart): boolean =>
  Math.round(time / 1000) >= fromMs && Math.round(time / 1000) < toMs
const options = (likeness: number) => ({ likeness, keep: ['glasses', 'hair'], method: null })

it('is the same again with the same options, in packets that begin with a part', async () => {
  const { facts } = await joined(pieces, { fromMs: 0, toMs: 60_000 })
  // Nothing is left of the old packets, and the swap of everything is the swap that there was.
  expect(facts.frames).toEqual(pieces.facts.frames)
})

/** Digests of the packets of a part. */
const packetsIn = ({ frames, frameTimes }: MediaFacts, part: VideoPart): string[] =>
  frames.flatMap((frame, index) => (isInside(frameTimes[index] ?? 0, part) ? (frame.split(' ')[1] ?? '') : []))

it('is the original again, whatever it was before', async () => {
  const part = { fromMs: 2300, toMs: 3100 }
  const other = await joined(whole, part, { options: options(20) })
  const [left, once] = [
    await joined(whole, part, { cast: [] }),
    await joined({ ...whole, ...other }, part, { cast: [] }),
  ]
  expectSameOutside(whole.facts, left.facts, part)
  expect(left.quality).toEqual([{ kind: 'outside', frames: 8 }])
  expect(packetsIn(once.facts, part)).toEqual(packetsIn(left.facts, part))
  expect(packetsIn(other.facts, part)).not.toEqual(packetsIn(left.facts, part))
})

it('is found in a result without the rest of the video', async () => {
  // From 0:01.5 to 0:02.5 of the result: 0:02.5 to 0:03 and 0:06 to 0:06.5 of the video.
  const part = { fromMs: 1500, toMs: 2500 }
  const swapped = await joined(pieces, part, { options: options(0) })
  expectSameOutside(pieces.facts, swapped.facts, part)
  expect(swapped.quality).toEqual([{ kind: 'swapped', frames: 10 }])
  // Behind the cut.
  const [piece, same] = [{ fromMs: 2000, toMs: 2500 }, { fromMs: 6000, toMs: 6500 }] // prettier-ignore
  const left = await joined(pieces, piece, { cast: [] })
  expectSameOutside(pieces.facts, left.facts, piece)
  const original = await joined(whole, same, { cast: [] })
  expect(packetsIn(left.facts, piece)).toEqual(packetsIn(original.facts, same))
})

it.each<[string, () => Partial<Swap>, VideoPart, object]>([
  ['that is empty', () => ({}), { fromMs: 2310, toMs: 2320 }, { code: 'range-invalid', details: { reason: 'empty' } }],
  [
    'of a file from elsewhere',
    () => ({ file: whole.video }),
    { fromMs: 2000, toMs: 3000 },
    { code: 'part-unsupported', details: { reason: 'encoder' } },
  ],
  [
    'whose frames are not the video’s',
    () => ({ video: clips.twelveSeconds }),
    { fromMs: 2000, toMs: 3000 },
    { code: 'part-unsupported', details: { reason: 'frames' } },
  ],
])('a part %s is refused', async (_what, changed, part, error) => {
  expect(await engine.run(again({ ...whole, ...changed() }, part))).toMatchObject({ error })
})

it('leaves the old file whole after a kill, and ends as if nothing had been', { tags: ['long'] }, async () => {
  const part = { fromMs: 1000, toMs: 9000 }
  const dir = at('killed')
  for (const stage of ['swapping', 'finishing']) {
    engine.onProgress = (progress) => {
      if (progress.stage === stage && (stage === 'finishing' || progress.savedMs > 0)) engine.kill()
    }
    expect(await engine.run(again(whole, part, { told: true, options: options(20) }, dir))).toBeNull()
    expect(await mediaFacts(whole.file)).toEqual(whole.facts)
  }
  engine.onProgress = () => undefined
  const resumed = await joined(whole, part, { options: options(20) }, dir)
  const { facts } = await joined(whole, part, { options: options(20) })
  expect(resumed.facts).toEqual(facts)
})
