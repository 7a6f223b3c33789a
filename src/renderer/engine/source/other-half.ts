/** @file Fills what one half of a face doesn't show, such as a brow below hair, with what the other half shows. */
import { mirrorOf } from '../face/mirror.ts'
import { meshPoints } from '../face/topology.ts'
import { fillFrom, laidOver } from './overlay.ts'
import type { SourceCut } from './source-cut.ts'

/** Changes the cut in place. What was filled isn't the face's own, so alpha stays as it is. */
export function fillFromOtherHalf(cut: SourceCut): void {
  const points = cut.points.slice()
  for (let point = 0; point < meshPoints; point += 1) {
    const other = (mirrorOf[point] ?? point) * 3
    points.set(cut.points.subarray(other, other + 3), point * 3)
  }
  fillFrom(cut, laidOver({ ...cut, points }, cut))
}
