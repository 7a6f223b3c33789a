import { expect, it } from 'vitest'
import { Caller } from '../../../src/renderer/engine/common/rpc.ts'
import type { AnalysisMethods } from '../../../src/renderer/engine/face/analyst.ts'
import { glassesOn } from '../../../src/renderer/engine/face/glasses.ts'
import { segmentSide, type Region } from '../../../src/renderer/engine/face/region.ts'
import { wearsGlasses, type AnalysedFrame } from '../../../src/renderer/engine/jobs/swap/first-frames.ts'
import type { JobContext } from '../../../src/renderer/engine/jobs/job-context.ts'
import { createPlanes, type Patch } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { identity } from '../../../src/renderer/engine/common/affine.ts'
import { frameOf, segmentMap } from './face-crop.ts'
import { points, size } from './flat-face.ts'
import { portTo } from './port-to.ts'

const region = { x: size / 2, y: size / 2, size, angle: 0 }
const patch = { ...createPlanes(size, size), left: 0, top: 0, color: { matrix: 'bt709', full: false } as const }
const eyeRow = Math.round((((points[159 * 3 + 1] ?? 0) + (points[145 * 3 + 1] ?? 0)) / 2 / size) * segmentSide)

/** Glasses by a segmenter that sees things in these pixels. */
async function found(isThing: (column: number, row: number) => boolean, isHair = isThing) {
  let runs = 0
  const port = portTo({
    segment: async () => {
      runs += 1
      return segmentMap((column, row) => isThing(column, row) || !isHair(column, row))
    },
  })
  const analyst = new Caller<AnalysisMethods>(port)
  const face = segmentMap((column, row) => !isThing(column, row) && !isHair(column, row))
  const glasses = await glassesOn(analyst, { patch, view: identity }, region, points, face)
  return { glasses, runs }
}

it('finds things around the eyes', async () => {
  const { glasses } = await found((_, row) => Math.abs(row - eyeRow) < 3)
  expect(glasses?.[eyeRow * segmentSide + segmentSide / 2]).toBe(255)
  expect(glasses?.[(eyeRow + 30) * segmentSide + segmentSide / 2]).toBe(0)
})

it('takes neither a hat nor hair over the eyes for glasses', async () => {
  expect((await found((_, row) => row < eyeRow - 45)).glasses).toBeNull()
  const hair = await found(
    () => false,
    (column) => column < segmentSide / 2,
  )
  expect(hair.glasses).toBeNull()
})

it('needs no run of the segmenter for a bare face', async () => {
  expect(await found(() => false)).toEqual({ glasses: null, runs: 0 })
})

it('finds the glasses of a person who puts them on during the video', async () => {
  const isRim = (row: number): boolean => Math.abs(row - eyeRow) < 3
  const worn: number[] = []
  const port = portTo({
    // The luma of the patch says whether its face wears glasses; with things counted as face, they are face, too.
    segment: async ({ patch: seen }: { patch: Patch }, _region: Region, as: readonly string[] = []) => {
      const glasses = (seen.y[0] ?? 0) > 100
      if (as.length === 0) worn.push(seen.y[0] ?? 0)
      return segmentMap((_, row) => !glasses || !isRim(row) || as.includes('other'))
    },
  })
  const context = { analyst: new Caller<AnalysisMethods>(port) } as unknown as JobContext
  const [bare, glasses] = [50, 150].map((luma): AnalysedFrame => {
    return { planes: frameOf(size, size, luma), color: patch.color, points, index: 0, timestamp: 0 }
  }) as [AnalysedFrame, AnalysedFrame]
  expect(await wearsGlasses([bare, glasses, bare], null, context)).toBe(false)
  expect(await wearsGlasses([bare, bare, glasses], null, context)).toBe(true)
  expect(await wearsGlasses([], null, context)).toBe(false)
  // A run takes long, so only the first and the last frame are looked at, which are the same one in the first call.
  expect(worn).toEqual([50, 50, 150])
})
