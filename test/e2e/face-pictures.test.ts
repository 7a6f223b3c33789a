/** @file Face pictures that aren't ideal, by the real engine: two faces, a small one, somebody else. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { outDir } from '../../scripts/build.mjs'
import type { SwapResult } from '../../src/shared/engine.ts'
import { buildEngineMain, EngineProcess } from '../bench/engine-process.mjs'
import { clips } from '../fixtures/clip.ts'
import { electronPath } from './app.ts'

const folder = mkdtempSync(join(tmpdir(), 'mien-face-pictures-'))
const at = (...names: string[]): string => join(folder, ...names)
const portrait = (name: string): string =>
  fileURLToPath(new URL(`../bench/quality/people/${name}.jpg`, import.meta.url))
const [ride, rideEarlier, jemison] = [portrait('sally-ride'), portrait('sally-ride-1984'), portrait('mae-jemison')]

let engine: EngineProcess

/** Draws a picture with ffmpeg. */
function picture(name: string, inputs: readonly string[], filter: string): string {
  const given = inputs.flatMap((input) => ['-i', input])
  execFileSync('ffmpeg', ['-v', 'error', ...given, '-filter_complex', filter, '-frames:v', '1', at(name)])
  return at(name)
}

/** A large face on the left, a small one on the right. */
const sideBySide = (name: string, large: string, small: string): string =>
  picture(name, [large, small], '[0]scale=-2:900[a];[1]scale=-2:360,pad=iw:900[b];[a][b]hstack')

/** Swaps the first person's first half second. */
async function swap(dir: string, ...pictures: string[]): Promise<SwapResult> {
  const range = { parts: [{ fromMs: 0, toMs: 500 }], rest: 'drop' }
  const cast = [{ pictures, clips: null }]
  const step = { kind: 'swap', told: true, cast, video: clips.threePeople, dir: at(dir), range }
  const { result, error } = (await engine.run(step)) as { result?: SwapResult; error?: object }
  if (!result) throw new Error(JSON.stringify(error))
  return result
}

beforeAll(async () => {
  process.env['MIEN_ELECTRON'] = electronPath()
  engine = new EngineProcess(await buildEngineMain(at('main')), outDir)
  await engine.next()
}, 600_000)
afterAll(async () => {
  await engine.end()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
})

it('takes the larger of two faces in a picture', async () => {
  const rideAndOther = await swap('two', ride, sideBySide('ride.png', rideEarlier, jemison))
  expect(rideAndOther.oddPictures).toEqual([])
  const otherAndRide = await swap('other', ride, sideBySide('jemison.png', jemison, rideEarlier))
  expect(otherAndRide.oddPictures).toEqual([{ face: 0, picture: 1 }])
})

it('swaps a face that is hardly larger than the smallest allowed', async () => {
  const small = await swap('small', picture('small.png', [ride], 'scale=-2:260'))
  expect(small.quality).toEqual([{ kind: 'swapped', frames: small.frames }])
})
