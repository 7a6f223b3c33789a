import type { ErrorBody } from '@shared/errors.ts'
import type { ServiceStatus } from '@shared/service/status-words.ts'
import type { Work } from '@shared/service/wire.ts'

/** A task item of any service, read tolerantly. Times in epoch ms; null means not reported. */
export interface ServiceTask {
  objectId: string
  status: ServiceStatus
  /** Verbatim. */
  statusWord: string | null
  taskId: string | null
  /** Code and details of the embedded service; for other services `task-failed` with `message`. */
  error: ErrorBody | null
  resultUrl: string | null
  coverUrl: string | null
  audioUrl: string | null
  avatarUrls: string[]
  progress: { share: number | null; etaMs: number | null } | null
  /** Embedded service only. */
  work: Work | null
  width: number | null
  height: number | null
  durationMs: number | null
  sizeBytes: number | null
  createdAt: number | null
  updatedAt: number | null
  /** This item as JSON text, with all digits of its integers. */
  raw: string
}
