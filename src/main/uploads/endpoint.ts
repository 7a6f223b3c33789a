/** @file Validation of an upload target's addresses. Pure. */
import type { UploadTarget } from '@shared/upload-target.ts'
import { parseBaseUrl } from '../settings/profile.ts'

/** Accepts https, or http to this computer. @throws MienError `address-invalid` */
export const parseEndpoint = (text: string): URL => new URL(parseBaseUrl(text, false))

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
