/** @file Softens shadows of the source that would be stretched or frozen on another face. */
import { blurField } from '../raster/blur.ts'
import { smoothstep } from '../common/smoothstep.ts'
import { fillPolygon, nose } from './clean-source.ts'
import { enlarge } from './enlarge.ts'
import { coarseSigma, localMean, lumaOf, side, skinLight } from './even-light.ts'
import type { SourceCut } from './source-face.ts'

/** What is darker than the skin around by more than `knee` (of the logarithm of its luma) keeps `kept` of the rest. */
interface Shadow {
  outline: readonly number[]
  margin: number
  knee: number
  kept: number
}

const underNose: Shadow = { outline: nose, margin: 0.03, knee: 0.2, kept: 0.5 }
const folds = [
  [64, 129, 142, 36, 205, 207, 214, 212, 202, 57, 61, 40, 92, 165, 98],
  [294, 358, 371, 266, 425, 427, 434, 432, 422, 287, 291, 270, 322, 391, 327],
]
/** Width of the mouth, in distances of the outer corners of the eyes, from which a face may smile, and surely does. */
const smile = { from: 0.56, to: 0.68 }

/** Folds at rest are the face's own; those of a smile are deeper, and have to go with it. */
function shadowsOf({ points }: SourceCut): Shadow[] {
  const width = (a: number, b: number): number =>
    Math.hypot((points[a * 3] ?? 0) - (points[b * 3] ?? 0), (points[a * 3 + 1] ?? 0) - (points[b * 3 + 1] ?? 0))
  const smiles = smoothstep(smile.from, smile.to, width(61, 291) / width(33, 263))
  const [knee, kept] = [0.08 - 0.05 * smiles, 0.3 - 0.2 * smiles]
  return [underNose, ...folds.map((outline) => ({ outline, margin: 0, knee, kept }))]
}

/** Depth of a shadow, of the logarithm, from which it takes the hue of the skin around: a shadow's own is too warm. */
const hueFrom = 0.15

/** In place: under the nose, and the folds and corners of a smile. */
export function softenShadows(cut: SourceCut, faceWidth: number): void {
  const scale = side / cut.width
  const width = faceWidth * scale
  const { rgb, skin } = skinLight(cut, width, true)
  const around = [0, 1, 2].map((channel) => {
    const lit = skin.map((value, pixel) => value * (rgb[pixel * 3 + channel] ?? 0))
    return enlarge(localMean(lit, skin, width * coarseSigma).mean, side, cut)
  })
  const { rgba } = cut
  for (const { outline, margin, knee, kept } of shadowsOf(cut)) {
    const share = new Float32Array(side * side)
    const polygon = outline.map(
      (point) => [(cut.points[point * 3] ?? 0) * scale, (cut.points[point * 3 + 1] ?? 0) * scale] as const,
    )
    fillPolygon(share, side, polygon, width * margin, 1)
    blurField(share, side, side, Math.max(1, width * 0.02))
    const shares = enlarge(share, side, cut)
    for (let pixel = 0; pixel < shares.length; pixel += 1) {
      const within = shares[pixel] ?? 0
      if (within < 0.01) continue
      const at = pixel * 4
      const skinThere = around.map((field) => (field[pixel] ?? 0) + 8)
      const depth =
        Math.log(lumaOf(skinThere[0] ?? 0, skinThere[1] ?? 0, skinThere[2] ?? 0)) -
        Math.log(lumaOf(rgba[at] ?? 0, rgba[at + 1] ?? 0, rgba[at + 2] ?? 0) + 8) -
        knee
      if (depth <= 0) continue
      const lift = Math.exp(depth * (1 - kept) * within)
      const hue = Math.min(1, depth / hueFrom) * (1 - kept) * within
      const whole = Math.exp(depth * (1 - kept) * within - depth - knee)
      for (let c = 0; c < 3; c += 1) {
        const lifted = ((rgba[at + c] ?? 0) + 8) * lift
        rgba[at + c] = lifted + ((skinThere[c] ?? 0) * whole - lifted) * hue - 8
      }
    }
  }
}
