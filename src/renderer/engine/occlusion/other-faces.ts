/**
 * @file The segmenter knows faces but no persons: the face of somebody who passes in front is a face to it. It is another
 * patch, though, as long as hair or a shadow lies between, and most of it lies beside the mesh of this face.
 */
import type { Affine } from '../face/affine.ts'
import { segmentSide } from '../face/analyst.ts'
import { faceOver } from './restore-skin.ts'

/** What is covered by less than this is face for certain: patches of it end where it ends. */
const surely = 64

/** Cells of a map that hang together. */
interface Patch {
  cells: number[]
  /** Those beside them. */
  rim: number[]
  /** How many of them the mesh covers. */
  within: number
}

/**
 * The map's pixels that show somebody else's face, and those beside them.
 * @param share of a `OcclusionMap`
 * @param points x, y of the mesh's points in coded pixels
 */
export function otherFaces(share: Uint8Array, toMap: Affine, points: Float32Array): number[] {
  const own = faceOver(toMap, points)
  const patches: Patch[] = []
  const seen = new Uint8Array(share.length)
  for (let start = 0; start < share.length; start += 1) {
    if (seen[start] === 0 && (share[start] ?? 0) < surely) patches.push(patchFrom(start, share, own, seen))
  }
  const max = Math.max(...patches.map(({ within }) => within))
  return patches
    .filter(({ cells, within }) => within < max && within * 2 < cells.length)
    .flatMap(({ cells, rim }) => [...cells, ...rim])
}

/** Marks what it finds as seen. */
function patchFrom(start: number, share: Uint8Array, own: Uint8Array, seen: Uint8Array): Patch {
  const patch: Patch = { cells: [start], rim: [], within: 0 }
  seen[start] = 1
  // It grows while it is gone through.
  for (const cell of patch.cells) {
    if (own[cell] !== 0) patch.within += 1
    for (const next of neighboursOf(cell)) {
      if ((share[next] ?? 0) >= surely) patch.rim.push(next)
      else if (seen[next] === 0) {
        seen[next] = 1
        patch.cells.push(next)
      }
    }
  }
  return patch
}

function neighboursOf(cell: number): number[] {
  const column = cell % segmentSide
  const beside = [...(column > 0 ? [cell - 1] : []), ...(column < segmentSide - 1 ? [cell + 1] : [])]
  return [...beside, cell - segmentSide, cell + segmentSide].filter((at) => at >= 0 && at < segmentSide ** 2)
}
