/** @file The user's order of swaps. Pure. */

/** `before`: id of a swap of the same queue. */
export type Move = 'first' | 'up' | 'down' | 'last' | { before: string }

interface Placed {
  id: string
  position: number
}

/** The swaps of one service's queue after a move: the same positions, in another order. */
export function reordered(swaps: readonly Placed[], id: string, to: Move): Placed[] {
  const queue = swaps.toSorted((a, b) => a.position - b.position)
  const from = queue.findIndex((swap) => swap.id === id)
  if (from < 0) return queue
  const others = queue.toSpliced(from, 1)
  const order = others.toSpliced(targetOf(to, from, others), 0, ...queue.slice(from, from + 1))
  return order.map((swap, index) => ({ ...swap, position: queue[index]?.position ?? swap.position }))
}

function targetOf(to: Move, from: number, others: readonly Placed[]): number {
  if (typeof to === 'object') {
    const before = others.findIndex(({ id }) => id === to.before)
    return before < 0 ? from : before
  }
  return { first: 0, up: Math.max(0, from - 1), down: from + 1, last: others.length }[to]
}
