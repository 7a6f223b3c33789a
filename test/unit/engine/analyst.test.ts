import { expect, it } from 'vitest'
import { identity } from '../../../src/renderer/engine/common/affine.ts'
import { Analyst, type AnalysisInput } from '../../../src/renderer/engine/face/analyst.ts'
import { segmentSide } from '../../../src/renderer/engine/face/region.ts'
import { frameOf } from './face-crop.ts'

const side = 64
const faceClass = 3
const region = { x: side / 2, y: side / 2, size: side, angle: 0 }

/** A picture of one grey. */
const grey = (luma: number): AnalysisInput => ({
  patch: { ...frameOf(side, side, luma), left: 0, top: 0, color: { matrix: 'bt709', full: true } },
  view: identity,
})

/** Takes what is light for a face, and what is dark for none. */
const segmenter = {
  run: (draw: (to: Float32Array) => void) => {
    const picture = new Float32Array(segmentSide * segmentSide * 3)
    draw(picture)
    const scores = new Float32Array(segmentSide * segmentSide * 6)
    for (let pixel = 0; pixel < segmentSide * segmentSide; pixel += 1)
      scores[pixel * 6 + faceClass] = (picture[pixel * 3] ?? 0) > 0.5 ? 20 : -20
    return Promise.resolve([scores])
  },
}

const unused = { run: () => Promise.reject(new Error('not asked')) }

/** A detector that finds a face in the middle of each square from its `first`th run on. */
const detectorFrom = (first: number) => ({
  runs: 0,
  run() {
    this.runs += 1
    const boxes = new Float32Array(896 * 16)
    boxes.set([0, 0, 32, 32], 600 * 16)
    return Promise.resolve([boxes, new Float32Array(896).fill(-5).fill(this.runs >= first ? 5 : -5, 600, 601)])
  },
})
const size = { width: side * 2, height: side }
const picture = grey(100)

it.each([
  { first: 1, onlyLarge: true, runs: 1 + 3 },
  { first: 1, onlyLarge: false, runs: 1 + 3 + 18 },
  { first: 5, onlyLarge: true, runs: 1 + 3 + 18 },
  { first: 99, onlyLarge: true, runs: 1 + 3 + 18 },
])(
  'the search for the largest face takes $runs runs if the first face is in square $first ($onlyLarge)',
  async ({ first, onlyLarge, runs }) => {
    const detector = detectorFrom(first)
    const analyst = new Analyst({ detector, landmarker: unused, loadSegmenter: () => Promise.resolve(unused) })
    const found = await analyst.detect(picture, size, 3, onlyLarge)
    expect([detector.runs, found.length > 0]).toEqual([runs, first < 99])
  },
)

it('the search goes on where only the landmarks of a large face are missing', async () => {
  const detector = detectorFrom(1)
  const analyst = new Analyst({
    detector,
    // Nobody, until the quick search has ended.
    landmarker: { run: () => (detector.runs > 4 ? landmarker(1).run() : Promise.resolve([])) },
    loadSegmenter: () => Promise.resolve(unused),
  })
  expect(await analyst.faces(picture, size, 3, 1, true)).toHaveLength(1)
  expect(detector.runs).toBe(4 + 22)
})

/** Sees a face whose points span this share of the region. */
const landmarker = (share: number) => ({
  run: () => {
    const raw = Float32Array.from({ length: 478 * 3 }, (_, at) => 128 + 256 * share * ((at % 2) - 0.5))
    return Promise.resolve([raw, Float32Array.of(9)])
  },
})

it.each([
  { pixels: 11, isThere: false },
  { pixels: 13, isThere: true },
])('the landmarks of a face are found ($isThere) if it has $pixels pixels', async ({ pixels, isThere }) => {
  const analyst = new Analyst({
    ...{ detector: unused, landmarker: landmarker(pixels / side) },
    loadSegmenter: () => Promise.resolve(unused),
  })
  expect((await analyst.landmarks(grey(100), region)) !== null).toBe(isThere)
})

it('pictures that wait for a model are each looked at themselves, however many wait', async () => {
  const loaded = Promise.withResolvers<typeof segmenter>()
  const analyst = new Analyst({ detector: unused, landmarker: unused, loadSegmenter: () => loaded.promise })
  const answers = Promise.all([240, 10, 250].map((luma) => analyst.segment(grey(luma), region)))
  loaded.resolve(segmenter)
  expect((await answers).map(({ face }) => face[0])).toEqual([255, 0, 255])
})

it.each([
  { what: 'face', index: 3, as: [], seen: [255, 0] },
  { what: 'glasses and other things', index: 5, as: [], seen: [0, 255] },
  { what: 'hair', index: 1, as: [], seen: [0, 0] },
  { what: 'hair that counts as face', index: 1, as: ['hair' as const], seen: [255, 0] },
])('the segmenter tells face from things: $what', async ({ index, as, seen }) => {
  const scores = new Float32Array(segmentSide * segmentSide * 6).map((_, at) => (at % 6 === index ? 20 : -20))
  const sure = { run: () => Promise.resolve([scores]) }
  const analyst = new Analyst({ detector: unused, landmarker: unused, loadSegmenter: () => Promise.resolve(sure) })
  const { face, things } = await analyst.segment(grey(100), region, as)
  expect([face[0], things[0]]).toEqual(seen)
})

it.each([
  ['runs each model once before anybody asks', false, 3],
  ['runs none when somebody waits', true, 0],
])('warming %s', async (_what, isAsked, runs) => {
  let count = 0
  const model = {
    run: () => {
      count += 1
      return Promise.resolve([])
    },
  }
  const analyst = new Analyst({ detector: model, landmarker: model, loadSegmenter: () => Promise.resolve(model) })
  await analyst.warm(() => isAsked)
  expect(count).toBe(runs)
})
