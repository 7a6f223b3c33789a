/** @file The other half of a face at each place: it shows what one half doesn't, such as a brow below hair. */
import { mirrorOf } from '../face/mirror.ts'
import { meshPoints } from '../face/topology.ts'
import { laidOver } from './overlay.ts'
import type { SourceCut } from './source-cut.ts'

/** The face's mirror image on its own mesh. RGBA, as large as the cut; alpha is 0 outside the mesh. */
export function otherHalf(cut: SourceCut): Uint8Array {
  const points = cut.points.slice()
  for (let point = 0; point < meshPoints; point += 1) {
    const other = (mirrorOf[point] ?? point) * 3
    points.set(cut.points.subarray(other, other + 3), point * 3)
  }
  return laidOver({ ...cut, points }, cut)
}
