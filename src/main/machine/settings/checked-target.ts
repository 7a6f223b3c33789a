import type { UploadTarget } from '@shared/service/upload-target.ts'
import { parseBaseUrl } from './base-url.ts'

/**
 * Normalises a target: valid addresses without a trailing slash, a prefix with one. @throws MienError `address-invalid`
 */
export function checkedTarget(target: UploadTarget): UploadTarget {
  const prefix = target.prefix.replace(/^\/+|\/+$/g, '')
  return {
    ...target,
    endpoint: parseBaseUrl(target.endpoint, false),
    publicUrl: target.publicUrl === null || target.publicUrl === '' ? null : parseBaseUrl(target.publicUrl, false),
    prefix: prefix === '' ? '' : `${prefix}/`,
  }
}
