/**
 * @file A few of the odd videos that `npm run bench -- oddfiles` generates, judged as there. On Linux, set-up installs
 * ffmpeg; elsewhere, without it, none.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { defaultOptions } from '../../src/shared/options/default-options.ts'
import { makePlain } from '../bench/odd/clips.mjs'
import { wrongOf } from '../bench/odd/judge.mjs'
import { makeFile } from '../bench/odd/make.mjs'
import { oddMatrix } from '../bench/odd/matrix.mjs'
import { sample } from '../fixtures/clip.ts'
import { RealEngine } from './real-engine.ts'

const hasFfmpeg = process.platform === 'linux' || spawnSync('ffmpeg', ['-version']).status === 0
const engine = new RealEngine()
beforeAll(() => {
  mkdirSync(engine.at('made'))
  if (hasFfmpeg) makePlain(engine.at('plain.mp4'))
})
afterAll(() => engine.end())

const goesThrough = async (wanted: string): Promise<void> => {
  const one = oddMatrix.find(({ name }) => name === wanted)
  const video = one && makeFile(one, engine.at('made'), engine.at('plain.mp4'))
  if (!video) throw new Error('it could not be made')
  const dir = engine.newDir()
  const options = { ...defaultOptions, ...one.options }
  const answer = await engine.run({ kind: 'swap', face: sample.face, video, dir, options })
  expect(await wrongOf(one, video, answer, `${dir}/output.mp4`)).toBe('')
}
const few = [
  'H.264 in TS: a clock that jumps',
  'VP9 in MKV: two tracks of sound, of which the second is the usual one',
  'AV1 in MP4: a turn of 90°',
  'H.264 in MKV: subtitles',
]
const others = [
  'H.264 in fragmented MP4: no end',
  'H.264 in MP4: no tags, made smaller',
  'VP8 in WebM: picture first',
  'H.264 in MP4: chapters',
  'VP9 in WebM: 240M at 320:240',
]
const name = '%s goes through Mien unchanged but for the face'
it.runIf(hasFfmpeg).each(few)(name, goesThrough)
it.runIf(hasFfmpeg).each(others)(name, { tags: ['long'] }, goesThrough)
