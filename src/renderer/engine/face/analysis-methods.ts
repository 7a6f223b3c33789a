import type { Detection } from './detection.ts'
import type { FoundFace, AnalysisInput, SegmentClass } from './analyst.ts'
import type { Region } from './region.ts'

export interface PictureSize {
  width: number
  height: number
}

/** RPC methods of an analysis worker. A type, because an interface isn't assignable to a record of methods. */
export type AnalysisMethods = {
  detect: (
    input: AnalysisInput,
    size: PictureSize,
    levels: 1 | 2 | 3,
    onlyLarge?: boolean,
    step?: number,
  ) => Promise<Detection[]>
  landmarks: (input: AnalysisInput, region: Region, detected?: boolean) => Promise<FoundFace | null>
  faces: (
    input: AnalysisInput,
    size: PictureSize,
    levels: 1 | 2 | 3,
    max: number,
    onlyLarge?: boolean,
  ) => Promise<FoundFace[]>
  segment: (input: AnalysisInput, region: Region, as?: readonly SegmentClass[]) => Promise<Uint8Array>
}
