/** @file Uploads that a service deleted before the swap was sent, e.g. after a pause of more than a day. */
import type { ErrorBody } from '@shared/errors.ts'
import type { Addresses } from '../rules/outbox-entry.ts'

export class LostUploads {
  /** Files uploaded again in this run, by swap. A service that loses every upload fails the swap. */
  private readonly known = new Set<string>()

  /** The missing files of a refused create, if they may be uploaded again (once); null: the refusal is final. */
  mayUploadAgain(taskId: string, { code, details }: ErrorBody): (keyof Addresses)[] | null {
    const { field } = details
    const key = `${taskId} ${String(field)}`
    if (code !== 'file-missing' || this.known.has(key)) return null
    this.known.add(key)
    if (field === 'cast') return ['imageUrl', 'pictureUrls']
    return field === 'imageUrl' || field === 'videoUrl' || field === 'pictureUrls' ? [field] : null
  }
}
