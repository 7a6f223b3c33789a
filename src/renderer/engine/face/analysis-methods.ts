import type { Detection } from './detection.ts'
import type { FoundFace, Look } from './analyst.ts'
import type { Region } from './region.ts'

export interface PictureSize {
  width: number
  height: number
}

/** RPC methods of an analysis worker. A type, because an interface isn't assignable to a record of methods. */
export type AnalysisMethods = {
  detect: (look: Look, size: PictureSize, levels: 1 | 2 | 3) => Promise<Detection[]>
  landmarks: (look: Look, region: Region, detected?: boolean) => Promise<FoundFace | null>
  faces: (look: Look, size: PictureSize, levels: 1 | 2 | 3, max: number) => Promise<FoundFace[]>
  segment: (look: Look, region: Region) => Promise<Uint8Array>
}
