import { expect, it, vi } from 'vitest'
import { tryEncoder, type TrialPort } from '../../../src/renderer/engine/media/encode/encoder-trial.ts'
import { createPlanes, type Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'

const picture = (seed: number): Planes => {
  const planes = createPlanes(64, 48)
  for (const plane of [planes.y, planes.u, planes.v])
    plane.forEach((_value, at) => (plane[at] = (at * (seed + 3)) % 256))
  return planes
}
const pictures = [0, 1, 2, 3].map(picture)

/** An encoder that gives back what it was given, but for what a test says. */
const encoder = (made: readonly Planes[], other: Partial<TrialPort> = {}): TrialPort => ({
  isThere: () => Promise.resolve(true),
  encode: () => Promise.resolve(80),
  decoded: async function* () {
    for (const one of made) yield Promise.resolve(structuredClone(one))
  },
  ...other,
})

const slightlyOff = pictures.map((one) => {
  const off = structuredClone(one)
  off.y.forEach((value, at) => (off.y[at] = Math.max(0, value - 5)))
  return off
})
const swappedChroma = pictures.map(({ u, v, ...one }) => ({ ...one, u: v.map((value) => 255 - value), v: u }))

it.each<[string, TrialPort, string | null]>([
  ['that gives back what it was given is right', encoder(pictures), null],
  ['that loses a little is right', encoder(slightlyOff), null],
  ['that is not there', encoder(pictures, { isThere: () => Promise.resolve(false) }), 'absent'],
  ['that drops a frame', encoder(pictures.slice(0, 3)), 'wrong'],
  ['that gives a frame too much', encoder([...pictures, picture(9)]), 'wrong'],
  ['that mixes up frames', encoder(pictures.toReversed()), 'wrong'],
  ['that mixes up colours', encoder(swappedChroma), 'wrong'],
  ['that changes the size', encoder(pictures.map(() => createPlanes(32, 48))), 'wrong'],
  ['that fails', encoder(pictures, { encode: () => Promise.reject(new Error('device lost')) }), 'failed'],
])('an encoder %s', async (_what, port, problem) => {
  const trial = await tryEncoder(port, pictures)
  expect(trial).toEqual({ problem, fps: problem === null ? 50 : null })
})

it('an encoder that hangs is given up', async () => {
  vi.useFakeTimers()
  const trial = tryEncoder(encoder(pictures, { encode: () => new Promise(() => undefined) }), pictures)
  await vi.runAllTimersAsync()
  expect(await trial).toEqual({ fps: null, problem: 'silent' })
})
