/** @file Where a redirect leads. Pure. */
import { MienError } from '@shared/errors.ts'

export const isWeb = (url: URL): boolean => url.protocol === 'https:' || url.protocol === 'http:'

/** Null: not a redirect. Throws `address-refused` for one that leads nowhere, or from https to http. */
export function redirectTarget(status: number, location: string | null, from: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(status)) return null
  const to = location === null ? null : URL.parse(location, from.href)
  if (
    !to ||
    !isWeb(to) ||
    (from.protocol === 'https:' && to.protocol === 'http:') ||
    to.username !== '' ||
    to.password !== ''
  )
    throw new MienError('address-refused', { host: from.host, reason: 'redirect' })
  return to
}
