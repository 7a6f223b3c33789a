/** @file Uploads that a service deleted before the swap was sent, after a pause of more than a day say. */
import type { ErrorBody } from '@shared/errors.ts'
import type { Addresses } from '../rules/outbox-entry.ts'

export class LostUploads {
  /** Which files of which swaps were uploaded again in this run: a service that loses each upload fails the swap. */
  private readonly known = new Set<string>()

  /** Which file a refused create is missing, if it may be uploaded again, which is once; null: the refusal stands. */
  mayUploadAgain(taskId: string, { code, details }: ErrorBody): keyof Addresses | null {
    const { field } = details
    const key = `${taskId} ${String(field)}`
    if (code !== 'file-missing' || (field !== 'imageUrl' && field !== 'videoUrl') || this.known.has(key)) return null
    this.known.add(key)
    return field
  }
}
