/** @file The user's send order. Pure. */
import type { OutboxEntry } from '../rules/outbox-entry.ts'

export type Move = 'first' | 'up' | 'down' | 'last'

/** The entries of one service's queue after a move: the same positions, in another order. */
export function reordered(entries: readonly OutboxEntry[], taskId: string, to: Move): OutboxEntry[] {
  const queue = entries.toSorted((a, b) => a.position - b.position)
  const from = queue.findIndex((entry) => entry.taskId === taskId)
  const last = queue.length - 1
  const target = { first: 0, up: Math.max(0, from - 1), down: Math.min(last, from + 1), last }[to]
  const order = from < 0 ? queue : queue.toSpliced(from, 1).toSpliced(target, 0, ...queue.slice(from, from + 1))
  return order.map((entry, index) => ({ ...entry, position: queue[index]?.position ?? entry.position }))
}
