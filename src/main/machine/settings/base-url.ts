import { MienError } from '@shared/errors.ts'
import type { UploadTarget } from '@shared/service/upload-target.ts'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * Normalises a base address: https (http only to this computer, or if the user allows it), an optional path prefix, no
 * trailing slash. `studio.example/api` becomes https.
 * @throws MienError `address-invalid` with `reason`: syntax, scheme, http, credentials, query
 */
export function parseBaseUrl(text: string, allowHttp: boolean): string {
  const trimmed = text.trim()
  const spelled =
    /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) || /^(?:javascript|data|file|blob):/i.test(trimmed)
      ? trimmed
      : `https://${trimmed}`
  const url = URL.parse(spelled)
  if (url === null) throw new MienError('address-invalid', { reason: 'syntax', url: trimmed })
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new MienError('address-invalid', { reason: 'scheme', url: trimmed })
  }
  // Don't put the URL in the details, because they may be logged.
  if (url.username !== '' || url.password !== '') throw new MienError('address-invalid', { reason: 'credentials' })
  if (url.search !== '' || url.hash !== '') throw new MienError('address-invalid', { reason: 'query' })
  if (url.protocol === 'http:' && !allowHttp && !loopback.test(url.hostname)) {
    throw new MienError('address-invalid', { reason: 'http', host: url.host })
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

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

/** What `read` returns; null if it throws. */
export function orNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}
