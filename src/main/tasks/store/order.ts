/** @file The user's order of what is to be sent. Pure. */

export type Move = 'first' | 'up' | 'down' | 'last'

/** `ids` with `id` moved; the same order when it is not in there or at the end already. */
export function moved(ids: readonly string[], id: string, to: Move): string[] {
  const from = ids.indexOf(id)
  if (from < 0) return [...ids]
  const last = ids.length - 1
  const target = { first: 0, up: Math.max(0, from - 1), down: Math.min(last, from + 1), last }[to]
  const rest = ids.filter((each) => each !== id)
  return [...rest.slice(0, target), id, ...rest.slice(target)]
}
