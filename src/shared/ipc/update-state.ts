/** @file The state of updates of Mien, as the studio shows it. */
import type { ErrorBody } from '../errors.ts'

/** A newer version, as described by its signed feed. */
export interface UpdateOffer {
  version: string
  /** ISO 8601. */
  date: string
  /** Markdown. */
  notes: string
  sizeBytes: number
}

export type UpdateState =
  | { kind: 'off'; reason: 'development' | 'policy' | 'settings' | 'not-updatable' }
  /** `checkedAt`: epoch ms of the last successful check. */
  | { kind: 'idle'; checkedAt: number | null }
  | { kind: 'checking' }
  | { kind: 'available'; offer: UpdateOffer }
  | { kind: 'downloading'; offer: UpdateOffer; share: number }
  /** `onQuit`: installed when Mien quits. `waiting`: Mien restarts after the running swap. */
  | { kind: 'ready'; offer: UpdateOffer; onQuit: boolean; waiting: boolean }
  | { kind: 'failed'; error: ErrorBody }
