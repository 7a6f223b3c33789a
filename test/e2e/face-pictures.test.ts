/** @file Face pictures that aren't ideal, by the real engine: two faces, a small one, a covered one, a blurred one, somebody else, none. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { writePng } from '../../src/renderer/engine/media/pictures/png.ts'
import type { FaceInspection, SwapResult } from '../../src/shared/engine/engine.ts'
import { clips, portraitOf } from '../fixtures/clip.ts'
import { RealEngine } from './real-engine.ts'

const engine = new RealEngine()
/** Pictures made from the portraits. */
const made = (name: string): string => fileURLToPath(new URL(`../fixtures/pictures/${name}`, import.meta.url))

/** Swaps the first person's first frames. */
async function swap(...pictures: string[]): Promise<SwapResult | undefined> {
  const range = { parts: [{ fromMs: 0, toMs: 100 }], rest: 'drop' }
  return (await engine.swap({ cast: [{ pictures, clips: null }], video: clips.threePeople, range })).result
}

afterAll(() => engine.end())

it('takes the larger of two faces, the left one in both, and leaves out another person and a covered face', async () => {
  const pictures = ['ride-and-jemison.jpg', 'jemison-and-ride.jpg', 'ride-behind-wall.jpg'].map(made)
  const result = await swap(portraitOf('sally-ride'), ...pictures)
  expect(result?.oddPictures).toEqual([
    { face: 0, picture: 2, error: { code: 'picture-other-person', details: {} } },
    { face: 0, picture: 3, error: { code: 'face-covered', details: { part: 'most' } } },
  ])
  expect(result?.quality).toEqual([{ kind: 'swapped', frames: result?.frames }])
})

it('swaps a face that is hardly larger than the smallest allowed', async () => {
  const small = await swap(made('ride-small.png'))
  expect(small?.quality).toEqual([{ kind: 'swapped', frames: small?.frames }])
})

it('finds no face in a grey picture, and names one that can’t be read', async () => {
  const inspect = (name: string, content: Uint8Array): Promise<unknown> => {
    const face = engine.at(name)
    writeFileSync(face, content)
    return engine.run({ kind: 'face', face, dir: engine.newDir() })
  }
  const size = { width: 640, height: 640 }
  const grey = { ...size, rgba: new Uint8ClampedArray(640 * 640 * 4).fill(136) }
  const blob = await writePng(grey, { color: [], exif: null, hasAlpha: false })
  const none = await inspect('grey.png', Buffer.from(await blob.arrayBuffer()))
  expect(none).toMatchObject({ error: { code: 'no-face-in-picture' } })
  const damaged = await inspect('damaged.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]))
  expect(damaged).toMatchObject({ error: { code: 'picture-unreadable' } })
})

it('notices that a face is blurred', async () => {
  const flawsOf = async (face: string): Promise<string[] | undefined> =>
    (await engine.ask<FaceInspection>({ kind: 'face', face, dir: engine.newDir() }))?.flaws
  expect(await flawsOf(portraitOf('ellen-ochoa'))).toEqual([])
  expect(await flawsOf(made('ochoa-blurred.jpg'))).toEqual(['blurred'])
})
