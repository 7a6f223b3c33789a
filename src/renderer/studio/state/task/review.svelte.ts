/**
 * @file The weak parts of a finished swap, and the part of it that is selected: one of them, or any other. Times are
 * milliseconds from the result's first frame, as in `WeakPart`; the ends of a part are at frames.
 */
import { weakKinds, type WeakKind, type WeakPart } from '@shared/engine/engine.ts'
import type { Player } from './player.svelte.ts'

/** A part of the result, longer than zero. */
export interface PartSelection {
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
  /** The weak part that it began with and still overlaps. */
  readonly weak: WeakPart | null
}

export type PartEnd = 'from' | 'to'

/** The player's timeline, in seconds of the file. */
export type Timeline = Pick<Player, 'start' | 'time' | 'duration' | 'seek' | 'frameAt'>

/** A frame is still shown this long before its end, and no longer the next one (see `sameTime`). */
const withinFrameMs = 4

export class Review {
  /** Ascending by start. */
  readonly parts: readonly WeakPart[]
  readonly counts: Readonly<Record<WeakKind, number>>
  #filter = $state<WeakKind | null>(null)
  #selected = $state.raw<PartSelection | null>(null)
  /** Incremented for each change of the selection, so that a late answer to an earlier one is ignored. */
  #turn = 0

  constructor(
    private readonly player: Timeline,
    weak: readonly WeakPart[],
  ) {
    this.parts = weak.toSorted((a, b) => a.fromMs - b.fromMs || a.face - b.face)
    const count = (kind: WeakKind): number => weak.filter((part) => part.kind === kind).length
    this.counts = Object.fromEntries(weakKinds.map((kind) => [kind, count(kind)])) as Review['counts'] // `fromEntries` loses the names
  }

  get selected(): PartSelection | null {
    return this.#selected
  }

  /** Null: all kinds. `next`, `previous` and `shown` are limited to it. */
  get filter(): WeakKind | null {
    return this.#filter
  }
  set filter(filter: WeakKind | null) {
    this.#filter = filter
  }

  /** The parts of the filter's kind. */
  get shown(): readonly WeakPart[] {
    return this.#filter === null ? this.parts : this.parts.filter(({ kind }) => kind === this.#filter)
  }

  /** The selected part on the player's timeline, in seconds. */
  get seconds(): { from: number; to: number } | null {
    const { fromMs = 0, toMs = 0 } = this.#selected ?? {}
    return this.#selected && { from: this.#secondsAt(fromMs), to: this.#secondsAt(toMs) }
  }

  /** Length of the result. */
  get durationMs(): number {
    return Math.max(1, Math.round((this.player.duration - this.player.start) * 1000))
  }

  /** Place of a time on the timeline, 0…1, and the time at a place. */
  shareAt(ms: number): number {
    const { duration } = this.player
    return duration > 0 ? Math.min(1, this.#secondsAt(ms) / duration) : 0
  }
  msAtShare(share: number): number {
    return this.#msAt(share * this.player.duration)
  }

  /** Selects a weak part and shows its first frame. */
  select(part: WeakPart): void {
    this.#turn += 1
    this.#selected = { fromMs: part.fromMs, toMs: part.toMs, weak: part }
    this.#show('from')
  }

  /** Selects a part again after its frames changed, without showing another one. */
  reselect({ fromMs, toMs }: PartSelection): void {
    const weak = this.parts.find((part) => part.fromMs === fromMs && part.toMs === toMs) ?? null
    this.#selected = { fromMs, toMs, weak }
  }

  /** Selects the weak part after the selected one, or after the playhead; the first one after the last. */
  next(): void {
    this.#go(1)
  }
  /** Selects the weak part before the selected one, or before the playhead; the last one before the first. */
  previous(): void {
    this.#go(-1)
  }

  /** Moves the start to the nearest frame before the end, and shows it. Without a selection, selects all from there on. */
  setStart(ms: number): void {
    void this.#move('from', ms)
  }
  /** Moves the end to the nearest frame after the start, and shows the last one inside. Without a selection, selects all before it. */
  setEnd(ms: number): void {
    void this.#move('to', ms)
  }

  /** Sets an end at the playhead; the frame on the screen is in the part. The other end gives way. */
  async mark(end: PartEnd): Promise<void> {
    const turn = ++this.#turn
    const frame = await this.player.frameAt(this.player.time)
    if (turn === this.#turn) this.#set(end, this.#msAt(end === 'from' ? frame.start : frame.end))
  }

  /** Moves an end by one frame, and shows it. */
  async step(end: PartEnd, direction: 1 | -1): Promise<void> {
    if (this.#selected === null) return
    const turn = ++this.#turn
    const { fromMs, toMs } = this.#selected
    const ms = end === 'from' ? fromMs : toMs
    const frame = await this.player.frameAt(this.#secondsAt(direction === 1 ? ms : ms - withinFrameMs))
    const next = this.#msAt(direction === 1 ? frame.end : frame.start)
    if (turn !== this.#turn || (end === 'from' ? next >= toMs : next <= fromMs)) return
    this.#set(end, next)
    this.#show(end)
  }

  /** Ends the selection. */
  close(): void {
    this.#turn += 1
    this.#selected = null
  }

  #go(direction: 1 | -1): void {
    const { shown } = this
    const at = this.#selected?.weak ? shown.indexOf(this.#selected.weak) : -1
    if (at >= 0) {
      const next = shown.at((at + direction) % shown.length)
      if (next) this.select(next)
      return
    }
    const ms = this.#selected?.fromMs ?? this.#msAt(this.player.time)
    const next =
      direction === 1
        ? (shown.find(({ fromMs }) => fromMs > ms) ?? shown[0])
        : (shown.findLast(({ fromMs }) => fromMs < ms) ?? shown.at(-1))
    if (next) this.select(next)
  }

  async #move(end: PartEnd, wanted: number): Promise<void> {
    const turn = ++this.#turn
    const [min, max] =
      end === 'from' ? [0, this.#selected?.toMs ?? this.durationMs] : [this.#selected?.fromMs ?? 0, this.durationMs]
    const ms = Math.max(min, Math.min(wanted, max))
    // The handle follows the pointer at once.
    this.#set(end, end === 'from' ? Math.min(ms, max - 1) : Math.max(ms, min + 1))
    const frame = await this.player.frameAt(this.#secondsAt(Math.max(min, Math.min(ms, max - withinFrameMs))))
    if (turn !== this.#turn) return
    const [before, after] = [this.#msAt(frame.start), this.#msAt(frame.end)]
    const isBefore =
      end === 'from' ? after >= max || ms - before <= after - ms : before > min && ms - before <= after - ms
    this.#set(end, isBefore ? before : after)
    this.#show(end)
  }

  /** Sets an end inside the result. If it passes the other end, that one gives way. */
  #set(end: PartEnd, ms: number): void {
    const before = this.#selected
    const fromMs = end === 'from' ? ms : before && before.fromMs < ms ? before.fromMs : 0
    const toMs = end === 'to' ? ms : before && before.toMs > ms ? before.toMs : this.durationMs
    if (fromMs >= toMs) return
    const weak = before?.weak && before.weak.fromMs < toMs && before.weak.toMs > fromMs ? before.weak : null
    this.#selected = { fromMs, toMs, weak }
  }

  /** Shows the first or the last frame of the selection. */
  #show(end: PartEnd): void {
    if (this.#selected === null) return
    const { fromMs, toMs } = this.#selected
    this.player.seek(this.#secondsAt(end === 'from' ? fromMs : toMs - withinFrameMs))
  }

  #msAt(seconds: number): number {
    return Math.max(0, Math.round((seconds - this.player.start) * 1000))
  }
  #secondsAt(ms: number): number {
    return this.player.start + ms / 1000
  }
}
