import { expect, it } from 'vitest'
import { gridFor } from '../../../src/renderer/engine/raster/boxes.ts'
import { cheeks, sharesNear } from '../../../src/renderer/engine/render/face-areas.ts'
import { faceCrop, frameOf } from './face-crop.ts'
import { faceWidth, flat, points, size } from './flat-face.ts'

it('cheeks reach from the nose’s side to the corner of the mouth, and not to eyes, lips, forehead or chin', () => {
  const crop = faceCrop(frameOf(size, size, 128), { left: 0, top: 0, width: size, height: size }, faceWidth)
  const grid = gridFor(size / 2, size / 2, 1)
  const places = flat(points)
  const shares = sharesNear(cheeks, grid, crop, places)
  const at = (point: number): number => {
    const [x = 0, y = 0] = [places[point * 2], places[point * 2 + 1]]
    return shares[Math.floor(y / 2) * grid.columns + Math.floor(x / 2)] ?? 0
  }
  // On the right and on the left: side of the nose, cheek, fold beside the mouth.
  for (const point of [131, 50, 206, 360, 280, 426]) expect(at(point)).toBeGreaterThan(0.9)
  // Eyelids, lips, tip of the nose, forehead, chin.
  for (const point of [159, 386, 13, 14, 4, 151, 152]) expect(at(point)).toBeLessThan(0.1)
})
