/** @file Several people of a video become different faces, by the real engine: the right ones, and nobody else. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Clip, PeopleScan, Place, Range } from '../../src/shared/people/people.ts'
import { clips, portraitOf, sample } from '../fixtures/clip.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { RealEngine } from './real-engine.ts'

const engine = new RealEngine()
const { at } = engine

let people: PeopleScan['people']

/** Person `index` becomes each face; the others stay. */
function stepOf(faces: Record<number, string>, dir: string) {
  const clipsOf = (person: number): Clip[] => people[person]?.clips ?? []
  const cast = Object.entries(faces).map(([person, face]) => ({ pictures: [face], clips: clipsOf(Number(person)) }))
  const stay = people.flatMap((_, person) => (person in faces ? [] : clipsOf(person)))
  return { cast, stay, video: clips.threePeople, dir }
}

beforeAll(async () => {
  const scan = await engine.ask<PeopleScan>({ kind: 'scan', video: clips.threePeople, dir: at('scan') })
  people = scan?.people ?? []
})
afterAll(() => engine.end())

it('finds one person in the first shot and two in the second', () => {
  const shots = people.map(({ clips: own }) => own.map(({ fromMs, toMs }) => [fromMs, toMs]))
  expect(shots.flat()).toHaveLength(3)
  expect(shots.filter(([shot]) => shot?.[0] === 0)).toHaveLength(1)
  // Both of the second shot are there from its first frame on.
  const second = shots.filter(([shot]) => shot?.[0] !== 0).map(([shot]) => shot?.[0] ?? 0)
  expect(new Set(second).size).toBe(1)
  expect(second[0]).toBeGreaterThan(2400)
  expect(second[0]).toBeLessThan(2600)
})

interface Picture {
  width: number
  height: number
  bgra: string
}

/** Max difference in a square of the frame, 0…255. */
function difference(one: Picture, other: Picture, [, x, y, size]: Place): number {
  const [a, b] = [Buffer.from(one.bgra, 'base64'), Buffer.from(other.bgra, 'base64')]
  const scale = one.width / 640
  const half = size * scale * 0.3
  let max = 0
  for (let row = Math.round(y * scale - half); row < y * scale + half; row += 1) {
    for (let column = Math.round(x * scale - half); column < x * scale + half; column += 1) {
      const pixel = (row * one.width + column) * 4
      for (let channel = 0; channel < 3; channel += 1)
        max = Math.max(max, Math.abs((a[pixel + channel] ?? 0) - (b[pixel + channel] ?? 0)))
    }
  }
  return max
}

it('changes the chosen people, and no pixel of who stays', async () => {
  const pair = people.flatMap(({ clips: own }, person) => ((own[0]?.fromMs ?? 0) > 0 ? [person] : []))
  const [first = -1, second = -1] = pair
  // Which frames are previewed depends on time, so only the last quarter of a second is swapped: no face moves far.
  const placeOf = (person: number): Place => people[person]?.clips[0]?.places.at(-1) ?? [0, 0, 0, 1]
  const [toMs] = placeOf(first)
  const range: Range = { parts: [{ fromMs: toMs - 250, toMs }], rest: 'drop' }
  const { result } = await engine.swap({ ...stepOf({ [first]: sample.face }, at('some')), range })
  expect(result?.quality).toEqual([{ kind: 'swapped', frames: result?.frames }])
  const [before, after] = await Promise.all(
    ['before.jpg', 'after.jpg'].map((name) =>
      engine.ask<Picture>({ kind: 'picture', face: at('some', name), dir: at('p') }),
    ),
  )
  if (!before || !after) throw new Error('the previews are there')
  expect(difference(before, after, placeOf(first))).toBeGreaterThan(30)
  // JPEG codes each block by itself, so equal pixels stay equal.
  expect(difference(before, after, placeOf(second))).toBe(0)
})

it('ends as if nothing had been after a kill, with three faces', { tags: ['long'] }, async () => {
  const faces = Object.fromEntries(
    ['guion-bluford', 'ellen-ochoa', 'sally-ride'].map((name, person) => [person, portraitOf(name)]),
  )
  const { result: undisturbed } = await engine.swap(stepOf(faces, at('calm')))
  const killed = stepOf(faces, at('killed'))
  // A fast computer may be done before the kill arrives, which would end the next swap before it saved anything.
  let ended = await engine.swapUntilSaved(killed)
  for (let tries = 1; ended.result && tries < 6; tries += 1) {
    engine.kill()
    rmSync(at('killed'), { recursive: true })
    ended = await engine.swapUntilSaved(killed)
  }
  expect(ended.result).toBeUndefined()
  const { result: resumed } = await engine.swap(killed)
  expect(resumed?.stages['keptFrames']).toBeGreaterThan(20)
  expect(await mediaFacts(at('killed', 'output.mp4'))).toEqual(await mediaFacts(at('calm', 'output.mp4')))
  expect(resumed).toMatchObject({ frames: undisturbed?.frames, quality: undisturbed?.quality })
})
