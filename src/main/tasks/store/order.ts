/** @file The user's send order. Pure. */

export type Move = 'first' | 'up' | 'down' | 'last'

/** Returns `ids` with `id` moved; unchanged if it is not in the list or already at that end. */
export function moved(ids: readonly string[], id: string, to: Move): string[] {
  const from = ids.indexOf(id)
  if (from < 0) return [...ids]
  const last = ids.length - 1
  const target = { first: 0, up: Math.max(0, from - 1), down: Math.min(last, from + 1), last }[to]
  const rest = ids.filter((each) => each !== id)
  return [...rest.slice(0, target), id, ...rest.slice(target)]
}
