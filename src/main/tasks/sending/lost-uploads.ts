/** @file Uploads that a service deleted before the swap was sent, e.g. after a pause of more than a day. */
import type { ErrorBody } from '@shared/errors.ts'
import type { Addresses } from '../rules/outbox-entry.ts'

export class LostUploads {
  /** Files uploaded again in this run, by swap. A service that loses every upload fails the swap. */
  private readonly known = new Set<string>()

  /** The missing file of a refused create, if it may be uploaded again (once per file); null: the refusal is final. */
  mayUploadAgain(taskId: string, { code, details }: ErrorBody): keyof Addresses | null {
    const { field } = details
    const key = `${taskId} ${String(field)}`
    const isUpload = field === 'imageUrl' || field === 'videoUrl' || field === 'pictureUrls'
    if (code !== 'file-missing' || !isUpload || this.known.has(key)) return null
    this.known.add(key)
    return field
  }
}
