/** @file Softens shadows of the source that would look stretched or frozen on another face. */
import { blurField } from '../raster/blur.ts'
import { smoothstep } from '../common/smoothstep.ts'
import { fillPolygon, nose } from './clean-source.ts'
import { enlarge } from './enlarge.ts'
import { coarseSigma, localMean, lumaOf, side, skinLight } from './even-light.ts'
import type { SourceCut } from './source-face.ts'

/** A shadow inside `outline`. Depth above `knee` (log luma below the skin around) is reduced to the share `kept`. */
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
/** Mouth width, in distances between the outer corners of the eyes, over which a smile is more and more likely. */
const smile = { from: 0.56, to: 0.68 }

/** A smile deepens the folds, so the more a face smiles, the more they are softened. */
function shadowsOf({ points }: SourceCut): Shadow[] {
  const width = (a: number, b: number): number =>
    Math.hypot((points[a * 3] ?? 0) - (points[b * 3] ?? 0), (points[a * 3 + 1] ?? 0) - (points[b * 3 + 1] ?? 0))
  const smiles = smoothstep(smile.from, smile.to, width(61, 291) / width(33, 263))
  const [knee, kept] = [0.08 - 0.05 * smiles, 0.3 - 0.2 * smiles]
  return [underNose, ...folds.map((outline) => ({ outline, margin: 0, knee, kept }))]
}

/** Depth in log luma at which a shadow fully takes the hue of the skin around; its own hue is too warm. */
const hueFrom = 0.15

/** Softens shadows under the nose and in the folds beside nose and mouth, in place. @param faceWidth in pixels */
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
