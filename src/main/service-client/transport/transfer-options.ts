import type { TransferProgress } from '../../transfer/save-stream.ts'

export interface TransferOptions {
  onProgress?: ((progress: TransferProgress) => void) | undefined
  signal?: AbortSignal | undefined
  /** Downloads only: required file type, checked by content. */
  wanted?: 'video' | 'picture' | undefined
  /** For short-lived downloads: skips the fsync. */
  temporary?: boolean
}
