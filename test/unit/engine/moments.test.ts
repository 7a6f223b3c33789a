import { expect, it } from 'vitest'
import type { Clip, Place } from '../../../src/shared/people/people.ts'
import { Moments } from '../../../src/renderer/engine/people/moments.ts'

const calmly = { turn: 0, light: 120, changed: 0, mouth: null as number | null, x: 500, size: 300 }
type Seen = Partial<typeof calmly>

/** A clip with a sample each 400 ms. */
function scanned(samples: readonly Seen[]): { moments: Moments; clip: Clip } {
  const moments = new Moments()
  const places: Place[] = []
  for (const [at, sample] of samples.entries()) {
    const { turn, light, changed, mouth, x, size } = { ...calmly, ...sample }
    places.push([at * 400, x, 400, size])
    const tracklet = {
      id: 7,
      shot: 0,
      places: [...places],
      light: Float32Array.of(light, light, -1),
      sum: null,
      weight: 0,
    }
    moments.see({ tracklet, changed }, { turn, region: { x, y: 400, size, angle: 0 } })
    if (mouth !== null) moments.look(tracklet, facing(mouth))
  }
  return { moments, clip: { id: 7, fromMs: 0, toMs: samples.length * 400, places } }
}

/** Landmarks of a face of 100 pixels with its mouth open by a share of its height. */
function facing(mouth: number): Float32Array {
  const points = new Float32Array(478 * 3)
  points[152 * 3 + 1] = 100
  points[14 * 3 + 1] = mouth * 100
  return points
}

const calm: Seen[] = [{}, {}, {}]

it.each<[string, Seen[], string | null]>([
  ['none of a calm face', [], null],
  ['a turned head', [{ turn: 0.5 }], 'turned'],
  ['not a head that looks aside a little', [{ turn: 0.11 }], null],
  ['an open mouth', [{ mouth: 0.1 }], 'talking'],
  ['not lips that hardly part', [{ mouth: 0.03 }], null],
  ['a change of light and dark', [{ changed: 0.6 }], 'covered'],
  ['darkness', [{ light: 60 }], 'light'],
  ['a bright light', [{ light: 230 }], 'light'],
  ['a small face', [{ size: 60 }], 'small'],
])('the hard moments of a scan are %s', (_what, samples, kind) => {
  const { moments, clip } = scanned([...calm, ...samples, ...calm])
  expect(moments.of([clip]).map((moment) => [moment.kind, moment.atMs, moment.clipId])).toEqual(
    kind === null ? [] : [[kind, 1200, 7]],
  )
})

it('the hard moments of a scan are fast moves, from one sample to the next', () => {
  const { moments, clip } = scanned([...calm, { x: 620, changed: 0.6 }, { x: 620 }])
  // The light changes with the place.
  expect(moments.of([clip])).toEqual([{ atMs: 1200, clipId: 7, kind: 'fast', score: 0.33 }])
})

it('the hard moments of a scan are the hardest of ten seconds each', () => {
  const { moments, clip } = scanned(
    Array.from({ length: 60 }, (_, at) => ({ turn: at % 10 === 5 ? 0.15 + at / 400 : 0 })),
  )
  expect(moments.of([clip]).map(({ atMs }) => atMs)).toEqual([6000, 18_000, 22_000])
})

it('the hard moments of a scan forget a face that turned out to be none', () => {
  const { moments, clip } = scanned([...calm, { turn: 0.5 }])
  expect(moments.of([{ ...clip, places: clip.places.slice(0, -1) }])).toEqual([])
})
