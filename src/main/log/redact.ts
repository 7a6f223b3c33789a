/** @file The one place where secrets are taken out of a line before it is kept. Pure. */

/** Home paths, queries of addresses, and header values that look like keys. */
const secrets: readonly [RegExp, string][] = [
  [/((?:apikey|api-key|authorization|x-admin-token|sk)["']?\s*[:=]\s*["']?)[^\s"',}]+/gi, '$1…'],
  [/(https?:\/\/[^\s?"']+)\?[^\s"']*/gi, '$1?…'],
  [/(?:\/home\/|\/Users\/|[A-Z]:\\Users\\)[^/\\\s"']+/g, '~'],
]

/** A line without what must not be kept. Pure. */
export const redact = (line: string): string =>
  secrets.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line)
