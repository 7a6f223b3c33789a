/**
 * @file Closes the source's mouth. The inside of a mouth always comes from the video, so the source's teeth would only
 * show between the lips.
 */
import { boundsOf } from '../face/landmarks.ts'
import { innerMouth, outerLips } from '../face/topology.ts'
import { smoothstep } from '../common/smoothstep.ts'
import { distanceTo } from '../common/polygon.ts'
import { pullPush } from './pull-push.ts'
import type { SourceCut } from './source-face.ts'

/** Distance between the lips, in face widths, above which the mouth is open. */
const parted = 0.015
/** Width of the lips' inner rim that shows the inside of the mouth, in face widths. */
const rim = 0.01
/** Brightness factor where the lips meet. */
const line = 0.6

/** Fills an open mouth with the colours of its lips, in place, darker where they meet. @param faceWidth in pixels */
export function closeMouth(cut: SourceCut, faceWidth: number): void {
  const { rgba, points } = cut
  const at = (point: number): readonly [number, number] => [points[point * 3] ?? 0, points[point * 3 + 1] ?? 0]
  const [above, below] = [at(13), at(14)]
  if (Math.hypot(above[0] - below[0], above[1] - below[1]) < parted * faceWidth) return
  const [opening, outline] = [innerMouth.map(at), outerLips.map(at)]
  const box = boundsOf(points, outerLips)
  const [left, top, width, height] = [box.x, box.y, box.width, box.height].map(Math.ceil) as Four
  const rgb = new Float32Array(width * height * 3)
  const lips = new Float32Array(width * height)
  /** Distance from the opening, in rim widths. */
  const away = new Float32Array(width * height)
  const pixelAt = (spot: number): number => (top + Math.floor(spot / width)) * cut.width + left + (spot % width)
  for (let spot = 0; spot < lips.length; spot += 1) {
    const [x, y] = [left + (spot % width) + 0.5, top + Math.floor(spot / width) + 0.5]
    away[spot] = distanceTo(opening, x, y) / (rim * faceWidth)
    lips[spot] = (away[spot] ?? 0) > 1 && distanceTo(outline, x, y) === 0 ? 1 : 0
    for (let c = 0; c < 3; c += 1) rgb[spot * 3 + c] = rgba[pixelAt(spot) * 4 + c] ?? 0
  }
  pullPush(rgb, lips, width, height)
  for (let spot = 0; spot < lips.length; spot += 1) {
    const from = Math.min(1, away[spot] ?? 1)
    const filled = 1 - smoothstep(0.7, 1, from)
    for (let c = 0; c < 3; c += 1) {
      const i = pixelAt(spot) * 4 + c
      const was = rgba[i] ?? 0
      rgba[i] = was + ((rgb[spot * 3 + c] ?? 0) * (line + (1 - line) * from) - was) * filled
    }
  }
}

type Four = [number, number, number, number]
