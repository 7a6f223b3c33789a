import type { TransferProgress } from '../../../machine/transfer/save-stream.ts'

export interface TransferOptions {
  onProgress?: ((progress: TransferProgress) => void) | undefined
  signal?: AbortSignal | undefined
  /** Downloads only: required file type, checked by content. */
  wanted?: 'video' | 'picture' | undefined
  /** Downloads only: max size. Defaults to 64 MB for pictures and to no limit for others. */
  maxBytes?: number
  /** For short-lived downloads: skips the fsync. */
  temporary?: boolean
}
