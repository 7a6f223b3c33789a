/** @file What an earlier run left is damaged, or was made from something else: the real engine notices and makes it again. */
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { clips, sample } from '../fixtures/clip.ts'
import { mediaFacts, type MediaFacts } from '../fixtures/media-facts.ts'
import { RealEngine } from './real-engine.ts'

const engine = new RealEngine()
const { at } = engine
const [face, video] = [at('face.jpg'), at('clip.mp4')]
/** The video's times, in seconds. */
const asMade = [2_000_000, 2_000_000] as const
let whole: MediaFacts

interface Outcome {
  result?: { stages: { keptFrames: number } }
}
const swap = async (dir: string): Promise<Outcome> =>
  (await engine.run({ kind: 'swap', told: true, face, video, dir })) as Outcome

beforeAll(async () => {
  copyFileSync(sample.face, face)
  copyFileSync(clips.twelveSeconds, video)
  utimesSync(video, ...asMade)
  await swap(at('undisturbed'))
  whole = await mediaFacts(at('undisturbed', 'output.mp4'))
  // Cancelled when two of its three segments are saved, and the first lies in the output alone: what a kill leaves.
  engine.onProgress = ({ savedMs }) => {
    if (savedMs >= 8000 && placesOf(at('interrupted'))) engine.cancel()
  }
  expect(await swap(at('interrupted'))).toMatchObject({ error: { code: 'cancelled' } })
})
afterAll(() => engine.end())

const flip = (path: string, place: number): void => {
  const bytes = readFileSync(path)
  bytes[place] = (bytes[place] ?? 0) ^ 16
  writeFileSync(path, bytes)
}
/** Where the first segment's packets lie in the output; null as long as they lie beside it. */
function placesOf(dir: string): [number, number][] | null {
  const own = readFileSync(join(dir, 'segment-0000.bin'))
  // Packets begin with their length, a JSON text does not.
  if (own[0] !== 0x7b) return null
  return (JSON.parse(own.toString()) as { 'output.mp4': [number, number][] })['output.mp4']
}

/** Frames up to the end of each saved segment. */
const framesSaved = (dir: string): number[] =>
  readdirSync(dir)
    .filter((name) => /^segment-\d+\.json$/.test(name))
    .sort()
    .map((name) => {
      const [, checkpoint = ''] = readFileSync(join(dir, name), 'utf8').split('\n')
      return (JSON.parse(checkpoint) as { frames: number }).frames
    })

describe('an interrupted swap', () => {
  // A video that was written again would hide what the next damage does.
  afterEach(() => utimesSync(video, ...asMade))

  const damages: [what: string, kept: 'all' | 'one' | 'none', damage: (dir: string) => void][] = [
    ['with a flipped bit in its second checkpoint', 'one', (dir) => flip(join(dir, 'segment-0001.json'), 3000)],
    ['as it was left', 'all', () => undefined],
    ['whose video was written again', 'none', () => utimesSync(video, 1_000_000, 1_000_000)],
    ['whose face is another file', 'none', () => appendFileSync(face, 'x')],
  ]
  const goesOn = async (_what: string, kept: 'all' | 'one' | 'none', damage: (dir: string) => void): Promise<void> => {
    const dir = mkdtempSync(at('damaged-'))
    cpSync(at('interrupted'), dir, { recursive: true })
    // Until it was cancelled, a segment more may have been saved; with fewer than two, one and all would be the same.
    const saved = framesSaved(dir)
    expect(saved.length).toBeGreaterThanOrEqual(2)
    const keptFrames = { all: saved.at(-1), one: saved[0], none: 0 }[kept]
    damage(dir)
    expect((await swap(dir)).result?.stages.keptFrames).toBe(keptFrames)
    expect(await mediaFacts(join(dir, 'output.mp4'))).toEqual(whole)
  }
  const name = '%s goes on after %s of its segments and ends as if nothing had been'
  it.each(damages.slice(0, 1))(name, goesOn)
  it.each(damages.slice(1))(name, { tags: ['long'] }, goesOn)
})
