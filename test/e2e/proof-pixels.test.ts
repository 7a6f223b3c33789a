/** @file A swap after a proof of it uses what the proof found, and its packets are the same, byte for byte. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Range } from '../../src/shared/people/people.ts'
import { clips } from '../fixtures/clip.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { RealEngine } from './real-engine.ts'

const engine = new RealEngine()
const { folder } = engine
/** The embedded service swaps a copy. */
const copy = join(folder, 'copy.mp4')

interface Asked {
  video?: string
  range: Range | null
  proofOf?: { range: Range | null }
}
const swap = ({ range, ...more }: Asked) =>
  engine.swap({ video: clips.twelveSeconds, ...(range && { range }), ...more })
/** Times and digests of the packets. The encoder of so small a clip gives the same bytes for the same pixels. */
const packets = async ({ file }: { file: string }): Promise<string[]> => (await mediaFacts(file)).frames
const part = (fromMs: number, toMs: number): Range => ({ parts: [{ fromMs, toMs }], rest: 'drop' })

beforeAll(async () => copyFileSync(clips.twelveSeconds, copy))
afterAll(() => engine.end())

const isTheSame = async (range: Range | null): Promise<void> => {
  const alone = await swap({ range })
  const first = await swap({ range: part(5000, 5900), proofOf: { range } })
  const second = await swap({ range: part(6000, 6900), proofOf: { range } })
  const after = await swap({ video: copy, range })
  const again = await swap({ video: copy, range })
  expect(await packets(after)).toEqual(await packets(alone))
  expect(await packets(again)).toEqual(await packets(alone))
  expect([alone, first, second, after, again].map(({ result }) => result?.stages['keptPeople'])).toEqual([
    0, 0, 1, 1, 0,
  ])
  expect(await packets(first)).toHaveLength(9)
}
it('of a part', () => isTheSame(part(4800, 7700)))
it('of the whole video', { tags: ['long'] }, () => isTheSame(null))

it('of another range or video is not taken for this one', async () => {
  const proof = { range: part(0, 500), proofOf: { range: part(0, 1500) } }
  const kept = async (asked: Asked): Promise<number | undefined> => (await swap(asked)).result?.stages['keptPeople']
  await swap(proof)
  expect(await kept({ range: part(0, 1000) })).toBe(0)
  await swap(proof)
  expect(await kept({ ...proof, video: clips.small })).toBe(0)
})
