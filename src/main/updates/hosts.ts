/** @file Where an update may come from. Pure. */

/** Hosts to which a release host sends downloads on. */
const passedOn: Readonly<Record<string, RegExp>> = { 'github.com': /^[a-z-]+\.githubusercontent\.com$/ }

/** Whether a request of the updater, or a redirect of it, stays with the feed's host. */
export function isOwnHost(url: string, feedAddress: string): boolean {
  const asked = URL.parse(url)
  const feed = URL.parse(feedAddress)
  if (!asked || !feed) return false
  if (asked.origin === feed.origin) return true
  return asked.protocol === 'https:' && passedOn[feed.host]?.test(asked.host) === true
}
