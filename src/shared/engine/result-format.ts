/** @file The format of a result, by the target of the swap. */
import type { ResultFormat, TargetKind } from './engine.ts'

/** A picture stays what it is; formats that can't be written become PNG. All else becomes MP4. */
export function resultFormatOf({ kind, codec }: { kind: TargetKind; codec: string | null }): ResultFormat {
  if (kind !== 'picture') return 'mp4'
  if (codec === 'jpeg') return 'jpg'
  return codec === 'webp' ? 'webp' : 'png'
}

/** Extensions that a file of this format may have. */
export const extensionsOf = (format: ResultFormat): readonly string[] => (format === 'jpg' ? ['jpg', 'jpeg'] : [format])
