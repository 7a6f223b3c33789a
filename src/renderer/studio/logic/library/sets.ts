/**
 * @file Sets in the order of a view. The items of an order are swaps, by number, and sets, by minus their number. A
 * folded set stands for its swaps; in an open one they follow it. Pure.
 */
import { formatClock, formatCount, formatRoughSpan } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { LibraryView, SetRow } from '@shared/tasks/library-view.ts'
import { overall, type Overall } from '@shared/tasks/overall.ts'
import type { TaskRow } from '@shared/tasks/task-row.ts'
import type { StateLine } from './task-view.ts'

export const isSet = (item: number): boolean => item < 0

/** The swaps of each set of a view. */
export function membersOf({ sets, members }: Pick<LibraryView, 'sets' | 'members'>): Map<number, Uint32Array> {
  const found = new Map<number, Uint32Array>()
  for (let at = 0, from = 0; at < sets.length; at += 2) {
    const until = from + (sets[at + 1] ?? 0)
    found.set(-(sets[at] ?? 0), members.subarray(from, until))
    from = until
  }
  return found
}

interface Unfolded {
  order: Int32Array
  /** Of one day each: its start (epoch ms), number of items, number of swaps. */
  days: Float64Array
}

/** The order of a view with the swaps of open sets, and its days. */
export function unfold(
  { order, days }: Pick<LibraryView, 'order' | 'days'>,
  members: ReadonlyMap<number, Uint32Array>,
  open: ReadonlySet<number>,
): Unfolded {
  const swapsIn = (items: Int32Array): number =>
    members.size === 0 ? items.length : items.reduce((sum, item) => sum + (members.get(item)?.length ?? 1), 0)
  const opened = [...open]
    .map((item) => ({ at: order.indexOf(item), swaps: members.get(item) ?? new Uint32Array() }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at)
  const longer = new Int32Array(order.length + opened.reduce((sum, { swaps }) => sum + swaps.length, 0))
  let [from, to] = [0, 0]
  for (const { at, swaps } of opened) {
    longer.set(order.subarray(from, at + 1), to)
    to += at + 1 - from
    longer.set(swaps, to)
    to += swaps.length
    from = at + 1
  }
  longer.set(order.subarray(from), to)
  const runs: number[] = []
  for (let at = 0, first = 0; at < days.length; at += 2) {
    const next = first + (days[at + 1] ?? 0)
    const added = opened.filter((each) => each.at >= first && each.at < next)
    const more = added.reduce((sum, { swaps }) => sum + swaps.length, 0)
    runs.push(days[at] ?? 0, next - first + more, swapsIn(order.subarray(first, next)))
    first = next
  }
  return { order: longer, days: Float64Array.from(runs) }
}

/** What a set contains, for example "2 faces, 3 files". */
export const setTitle = ({ faceCount, targetCount }: SetRow): string =>
  m.batch_counts({ faces: faceCount, targets: targetCount })

/** Progress of a set: `active` are its active swaps. Null if none of them is working. */
export const setProgress = ({ count }: SetRow, active: readonly TaskRow[], nowMs: number): Overall | null => {
  const paused = active.filter(({ pause }) => pause !== null).length
  const all = overall(active, count - active.length, nowMs)
  return all && { ...all, share: (all.share * all.total) / (all.total + paused) }
}

/** A set's state, for example "18 of 24" and "2 failed". */
export function setLine(set: SetRow, active: readonly TaskRow[], nowMs: number): StateLine {
  const { count, finished, failed, asking, endedAt } = set
  const word = m.amount_of({ done: formatCount(finished), total: formatCount(count) })
  const progress = setProgress(set, active, nowMs)
  const others = asking - failed
  const trouble = failed > 0 ? m.set_failed({ count: failed }) : others > 0 ? m.set_asking({ count: others }) : null
  if (progress !== null) {
    const span = progress.etaMs ? m.time_left_about({ span: formatRoughSpan(progress.etaMs) }) : ''
    return { state: 'processing', word, detail: trouble ?? span }
  }
  if (active.length > 0) return { state: 'paused', word, detail: trouble ?? m.state_paused() }
  if (trouble !== null) return { state: failed > 0 ? 'failed' : 'unconfirmed', word, detail: trouble }
  if (finished < count) return { state: 'cancelled', word, detail: '' }
  return { state: 'kept', word, detail: endedAt === null ? '' : formatClock(endedAt) }
}

/** For screen readers: "Set Launch set, 18 of 24 finished, folded". */
export function setLabel(set: SetRow, isOpen: boolean): string {
  const { finished, failed, count } = set
  const numbers = { done: formatCount(finished), total: formatCount(count) }
  const state = failed > 0 ? m.set_finished_failed({ ...numbers, count: failed }) : m.set_finished(numbers)
  return (isOpen ? m.set_label_open : m.set_label)({ title: setTitle(set), state })
}
