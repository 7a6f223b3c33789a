import { expect, it } from 'vitest'
import { Caller } from '../../../src/renderer/engine/common/rpc.ts'
import type { AnalysisMethods } from '../../../src/renderer/engine/face/analyst.ts'
import { glassesOn } from '../../../src/renderer/engine/face/glasses.ts'
import { segmentSide } from '../../../src/renderer/engine/face/region.ts'
import { wearsGlasses, type AnalysedFrame } from '../../../src/renderer/engine/jobs/swap/first-frames.ts'
import type { JobContext } from '../../../src/renderer/engine/jobs/job-context.ts'
import type { Patch } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { shareOfGlasses } from '../../../src/renderer/engine/occlusion/glasses-cover.ts'
import { frameOf, plane, segmentMap } from './face-crop.ts'
import { points, size } from './flat-face.ts'
import { portTo } from './port-to.ts'

const region = { x: size / 2, y: size / 2, size, angle: 0 }
const color = { matrix: 'bt709', full: false } as const
const rowOf = (point: number): number => Math.round(((points[point * 3 + 1] ?? 0) / size) * segmentSide)
const columnOf = (point: number): number => Math.round(((points[point * 3] ?? 0) / size) * segmentSide)
const eyeRow = Math.round((rowOf(159) + rowOf(145)) / 2)

/** Glasses by a segmenter that sees things in these pixels. */
const found = (isThing: (column: number, row: number) => boolean): Uint8Array | null =>
  glassesOn(points, region, segmentMap(isThing))

it('finds things around the eyes', () => {
  const glasses = found((_, row) => Math.abs(row - eyeRow) < 3)
  expect(glasses?.[eyeRow * segmentSide + segmentSide / 2]).toBe(255)
  expect(glasses?.[(eyeRow + 30) * segmentSide + segmentSide / 2]).toBe(0)
})

it('finds glasses that the segmenter only suspects', () => {
  const suspected = plane(segmentSide, segmentSide, (_, row) => (Math.abs(row - eyeRow) < 3 ? 50 : 4))
  expect(glassesOn(points, region, suspected)?.[eyeRow * segmentSide + segmentSide / 2]).toBe(50)
})

it('takes neither a hat nor a bare face for glasses', () => {
  expect(found((_, row) => row < eyeRow - 45)).toBeNull()
  expect(glassesOn(points, region, plane(segmentSide, segmentSide, 4))).toBeNull()
})

it.each([
  { what: 'keeps the skin below both eyes if the lower rims are not seen', isRim: () => false, kept: [true, true] },
  { what: 'keeps only the rims that are seen', isRim: () => true, kept: [false, false] },
  { what: 'judges each eye', isRim: (column: number) => column < segmentSide / 2, kept: [false, true] },
])('$what', ({ isRim, kept }) => {
  /** A cheek's middle, and a rim that ends above it. */
  const cheek = rowOf(101)
  const glasses = found(
    (column, row) => Math.abs(row - eyeRow) < 3 || (row < cheek - 2 && row > eyeRow && isRim(column)),
  )
  const share = shareOfGlasses(points, region, glasses ?? new Uint8Array())
  const cheeks = [101, 330].map((point) => share[cheek * segmentSide + columnOf(point)] ?? NaN)
  expect(cheeks.map((value) => value > 200)).toEqual(kept)
  expect(cheeks.map((value) => value === 0)).toEqual(kept.map((isKept) => !isKept))
  expect(share[eyeRow * segmentSide + columnOf(101)]).toBe(255)
})

it('finds the glasses of a person who puts them on during the video', async () => {
  const isRim = (row: number): boolean => Math.abs(row - eyeRow) < 3
  const seen: number[] = []
  const port = portTo({
    // The luma of the patch says whether its face wears glasses.
    segment: async ({ patch }: { patch: Patch }) => {
      const luma = patch.y[0] ?? 0
      seen.push(luma)
      return { face: segmentMap(() => true), things: segmentMap((_, row) => luma > 100 && isRim(row)) }
    },
  })
  const context = { analyst: new Caller<AnalysisMethods>(port) } as unknown as JobContext
  const [bare, glasses] = [50, 150].map((luma): AnalysedFrame => {
    return { planes: frameOf(size, size, luma), color, points, index: 0, timestamp: 0, browDepth: null }
  }) as [AnalysedFrame, AnalysedFrame]
  expect(await wearsGlasses([bare, glasses, bare], null, context)).toBe(false)
  expect(await wearsGlasses([bare, bare, glasses], null, context)).toBe(true)
  expect(await wearsGlasses([], null, context)).toBe(false)
  // A run takes long, so only the first and the last frame are looked at, which are the same one in the first call.
  expect(seen).toEqual([50, 50, 150])
})
