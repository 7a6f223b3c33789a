import { expect, it } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { segmentSide } from '../../../src/renderer/engine/face/region.ts'
import { flawsOf } from '../../../src/renderer/engine/face/flaws.ts'
import {
  faceOval,
  leftBrow,
  leftEye,
  outerLips,
  rightBrow,
  rightEye,
} from '../../../src/renderer/engine/face/topology.ts'
import { segmentMap } from './face-crop.ts'

/** The segmenter's square in the picture's pixels. */
const side = 100
const region = { x: side / 2, y: side / 2, size: side, angle: 0 }
/** Depth of the chin below the forehead in a face that looks ahead. */
const resting = 80 * Math.tan((8 * Math.PI) / 180)

/** A face of rings: outline, eyes, lips, and the edge of the eyes' region. Turned and bent by degrees. */
function faceOf(yaw = 0, pitch = 0): Float32Array {
  const points = new Float32Array(478 * 3)
  const ring = (outline: readonly number[], x: number, y: number, wide: number, high: number, from = 0): void => {
    outline.forEach((point, index) => {
      const angle = from + (index / outline.length) * 2 * Math.PI
      points.set([x + wide * Math.sin(angle), y - high * Math.cos(angle), 0], point * 3)
    })
  }
  const cheeks = [353, 265, 347, 330, 277, 343, 412, 351, 6, 122, 188, 114, 47, 101, 118, 35, 124]
  ring([...rightBrow.slice(5).toReversed(), ...leftBrow.slice(5), ...cheeks], 50, 40, 34, 14, -Math.PI / 3)
  ring(rightEye, 35, 40, 6, 4)
  ring(leftEye, 65, 40, 6, 4)
  ring(outerLips, 50, 70, 12, 6)
  ring(faceOval, 50, 50, 40, 40)
  points[454 * 3 + 2] = 80 * Math.tan((yaw * Math.PI) / 180)
  points[152 * 3 + 2] = pitch === 0 ? resting : 80 * Math.tan(((8 + pitch) * Math.PI) / 180)
  return points
}

/** A segmentation that is sure of everything but these rectangles of the picture. */
function hiding(...rects: [left: number, top: number, right: number, bottom: number][]): Uint8Array {
  return segmentMap((column, row) => {
    const [x, y] = [(column * side) / segmentSide, (row * side) / segmentSide]
    return !rects.some(([left, top, right, bottom]) => x >= left && x < right && y >= top && y < bottom)
  })
}

function verdict(points: Float32Array, sure: Uint8Array): unknown {
  try {
    return flawsOf(points, region, sure)
  } catch (error) {
    return error instanceof MienError ? error.body : error
  }
}

it.each([
  ['that looks ahead', faceOf(), hiding(), []],
  ['a little turned', faceOf(20), hiding(), []],
  ['half turned', faceOf(-38), hiding(), ['turned']],
  ['bent down', faceOf(0, 35), hiding(), ['turned']],
  ['with a fringe and a beard', faceOf(), hiding([10, 10, 90, 18]), []],
  ['with a hand at the cheek', faceOf(), hiding([55, 45, 90, 90]), ['covered']],
  ['with glasses', faceOf(), hiding([20, 32, 80, 38], [43, 32, 57, 50]), ['covered']],
  ['with a microphone', faceOf(), hiding([45, 62, 65, 90]), ['covered']],
  ['of a drawing', faceOf(), hiding([0, 0, 100, 100]), []],
])('a face picture %s is taken', (_what, points, sure, flaws) => expect(verdict(points, sure)).toEqual(flaws))

it.each([
  ['turned away', faceOf(60), hiding(), { code: 'face-turned-away', details: { degrees: 60 } }],
  ['looking at the ground', faceOf(0, 60), hiding(), { code: 'face-turned-away', details: { degrees: 60 } }],
  ['with sunglasses', faceOf(), hiding([25, 33, 75, 47]), { code: 'face-covered', details: { part: 'eyes' } }],
  ['with a mask', faceOf(), hiding([20, 58, 80, 85]), { code: 'face-covered', details: { part: 'mouth' } }],
  ['half behind a wall', faceOf(), hiding([48, 0, 100, 100]), { code: 'face-covered', details: { part: 'most' } }],
])('a face picture %s is refused', (_what, points, sure, body) => expect(verdict(points, sure)).toEqual(body))
