/**
 * @file Finds other people's faces that occlude the target. The segmenter doesn't distinguish people, but another face
 * is a separate patch if hair or a shadow lies between, and most of it is outside the target's mesh.
 */
import type { Affine } from '../common/affine.ts'
import { segmentSide } from '../face/region.ts'
import { faceOver } from './restore-skin.ts'

/** Cells with less occlusion than this, 0…255, are face. Patches consist of such cells. */
const surely = 64

/** A connected patch of face cells. */
interface Patch {
  cells: number[]
  /** Covered cells next to the patch. */
  rim: number[]
  /** Number of cells inside the target's mesh. */
  within: number
}

/**
 * Indices of the map's pixels that show another person's face, and of their neighbours.
 * @param share of an `OcclusionMap`
 * @param toMap of the same map
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

/** Flood fill from `start`; marks the cells in `seen`. */
function patchFrom(start: number, share: Uint8Array, own: Uint8Array, seen: Uint8Array): Patch {
  const patch: Patch = { cells: [start], rim: [], within: 0 }
  seen[start] = 1
  // The loop also visits the cells that it appends.
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
