/** @file A head cut out of its portrait, to stand beside another. */
import { inverse, ramp, read } from './picture.mjs'

/**
 * @param {import('./record.mjs').Canvas} canvas @param {import('./portraits.mjs').Portrait} portrait
 * @param {import('./pose.mjs').Pose} pose @param {boolean} [inFront] marks the mask: it covers whoever is behind
 */
export function drawCutOut({ frame, mask }, { texture, centre, head }, { where }, inFront = false) {
  const back = inverse(where)
  const index = Math.max(0, Math.min(texture.length - 1, Math.round(Math.log2(Math.hypot(back.a, back.b)))))
  const level = texture[index]
  if (!level) return
  const value = new Float64Array(3)
  for (let y = 0; y < frame.height; y += 1) {
    for (let x = 0; x < frame.width; x += 1) {
      const [tx, ty] = [back.a * x - back.b * y + back.x, back.b * x + back.a * y + back.y]
      const [u, v] = [(tx - centre[0]) / head, (ty - centre[1] + head * 0.15) / (head * 1.35)]
      const covered = ramp(1, 0.96, Math.hypot(u, v))
      if (covered === 0) continue
      read(level, 2 ** index, tx, ty, value)
      const at = y * frame.width + x
      for (let c = 0; c < 3; c += 1) {
        frame.data[at * 3 + c] = (frame.data[at * 3 + c] ?? 0) * (1 - covered) + (value[c] ?? 0) * covered + 0.5
      }
      if (inFront) mask[at] = Math.max(mask[at] ?? 0, Math.round(covered * 255))
    }
  }
}
