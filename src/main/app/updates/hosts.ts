/** @file Hosts that an update may come from. Pure. */

/** Hosts to which a release host redirects downloads. */
const passedOn: Readonly<Record<string, RegExp>> = { 'github.com': /^[a-z-]+\.githubusercontent\.com$/ }

/** Whether a request of the updater, or its redirect, goes to the feed's host or an allowed one. */
export function isOwnHost(url: string, feedAddress: string): boolean {
  const asked = URL.parse(url)
  const feed = URL.parse(feedAddress)
  if (!asked || !feed) return false
  if (asked.origin === feed.origin) return true
  return asked.protocol === 'https:' && passedOn[feed.host]?.test(asked.host) === true
}
