/**
 * @file The parts of the composer's video that are swapped. Ends are at frames: they are stored as the engine compares
 * them, in milliseconds from the video's first frame. One part is chosen. Parts stop at each other.
 */
import { mediaUrl } from '@shared/files/media-url.ts'
import type { Range, VideoPart } from '@shared/people/people.ts'
import { maxParts } from '@shared/people/people-limits.ts'
import type { VideoMedia } from '@shared/tasks/task.ts'
import { Turns } from '@shared/turns.ts'
import { readTime } from '@shared/people/range.ts'
import { gapsOf, partAt, partToMark, roomOf, type End, type Handle } from '../../logic/compose/parts.ts'
import { ClipFrames, openTimes } from './clip-frames.svelte.ts'
import { ClipPlayback } from './clip-playback.svelte.ts'

/** Why a typed time isn't used. */
export type TimeProblem = 'format' | 'order' | 'outside' | 'overlap'

type Parts = Range['parts']
interface Snapshot {
  readonly isOpen: boolean
  readonly parts: Parts
  readonly chosen: number
  readonly rest: Range['rest']
}
/** A change to announce. Moves are announced by their sliders. */
export type PartNews = { readonly kind: 'part' } | { readonly kind: 'removed'; readonly number: number } | null

/** A new part is this share of the video. */
const addedShare = 0.1
const maxUndo = 100

export class Trim {
  readonly mediaId: string
  readonly playback = new ClipPlayback()
  /** Where its frames are. */
  readonly frames: ClipFrames
  #parts = $state.raw<Parts>([])
  /** Index of the chosen part. */
  #chosen = $state(0)
  #past = $state.raw<readonly Snapshot[]>([])
  #future = $state.raw<readonly Snapshot[]>([])
  #news = $state.raw<PartNews>(null)
  #rest = $state<Range['rest']>('drop')
  #isOpen = $state(false)
  /** Incremented for each change of an end, so that a late answer to an earlier one is ignored. */
  #turn = 0
  /**
   * Changes run in order. Each needs the times of frames, which load with the first: the next key may come before.
   */
  readonly #turns = new Turns()
  readonly isOpen = $derived(this.#isOpen)
  readonly parts = $derived(this.#parts)
  readonly news = $derived(this.#news)
  readonly canAdd = $derived.by(() => this.#parts.length < maxParts && gapsOf(this.#parts, this.durationMs).length > 0)
  readonly canRedo = $derived(this.#future.length > 0)
  readonly lengthMs = $derived(this.#parts.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0))
  /** The chosen part. */
  readonly part = $derived.by(() => this.#part(this.#chosen))
  /** Position of the playhead in milliseconds. */
  readonly atMs = $derived.by(() => this.frames.msAt(this.playback.time))

  constructor(
    { id, fps }: VideoMedia,
    readonly durationMs: number,
    range: Range | null = null,
    open = openTimes,
  ) {
    this.mediaId = id
    this.frames = new ClipFrames(() => open(mediaUrl(id)), durationMs, fps ?? 25)
    this.#parts = range?.parts ?? this.#whole
    this.#rest = range?.rest ?? 'drop'
    if (range) this.show()
  }

  get chosen(): number {
    return this.#chosen
  }
  /** Chooses a part without announcing it, because the focus does. */
  set chosen(index: number) {
    this.#chosen = index
    this.#news = null
  }
  readonly canUndo = $derived.by(() => this.#past.some((past) => contentOf(past) !== contentOf(this.#now)))
  get rest(): Range['rest'] {
    return this.#rest
  }
  set rest(rest: Range['rest']) {
    this.remember()
    this.#rest = rest
  }
  /** Null: the whole video. */
  get range(): Range | null {
    const [first] = this.#parts
    const isWhole = this.#parts.length === 1 && first?.fromMs === 0 && first.toMs >= this.durationMs
    return this.#isOpen && !isWhole ? { parts: this.#parts, rest: this.#rest } : null
  }

  show(): void {
    this.#isOpen = true
    void this.frames.ready()
  }

  useWhole(): void {
    this.remember()
    this.#put({ isOpen: false, parts: this.#whole, chosen: 0, rest: 'drop' }, null)
  }

  /** Starts a change: undo goes back to here. `move` and `step` don't call it, so that a drag is one change. */
  remember(before: Snapshot = this.#now): void {
    this.#past = [...this.#past, before].slice(-maxUndo)
    this.#future = []
  }

  undo(): void {
    const now = contentOf(this.#now)
    const at = this.#past.findLastIndex((past) => contentOf(past) !== now)
    const last = this.#past[at]
    if (!last) return
    this.#past = this.#past.slice(0, at)
    this.#future = [...this.#future, this.#now]
    this.#put(last, { kind: 'part' })
  }

  redo(): void {
    const next = this.#future.at(-1)
    if (!next) return
    this.#future = this.#future.slice(0, -1)
    this.#past = [...this.#past, this.#now]
    this.#put(next, { kind: 'part' })
  }

  /** Chooses the next or previous part and shows its first frame. */
  chooseNext(direction: 1 | -1): void {
    this.#choose((this.#chosen + direction + this.#parts.length) % this.#parts.length)
    this.seek(this.part.fromMs)
  }

  /** Chooses the part at a time, if there is one. */
  chooseAt(ms: number): void {
    const index = partAt(this.#parts, ms)
    if (index >= 0 && index !== this.#chosen) this.#choose(index)
  }

  /** Adds a part at the playhead, or in the middle of the longest gap if the playhead is in a part. */
  add(): Promise<void> {
    const { time } = this.playback
    return this.#turns.run('change', () => this.#add(time))
  }

  async #add(time: number): Promise<void> {
    const turn = ++this.#turn
    const at = await this.frames.at(time)
    const gaps = gapsOf(this.#parts, this.durationMs)
    const here = gaps.find(({ fromMs, toMs }) => fromMs <= at && at < toMs)
    const gap = here ?? gaps.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0]
    if (turn !== this.#turn || !gap || !this.canAdd) return
    const length = this.durationMs * addedShare
    const wanted = here ? at : (gap.fromMs + gap.toMs - Math.min(length, lengthOf(gap))) / 2
    const fromMs = Math.max(gap.fromMs, await this.frames.nearest('from', wanted))
    const first = await this.frames.neighbour(fromMs, 1)
    const toMs = Math.min(gap.toMs, Math.max(first, await this.frames.nearest('to', fromMs + length)))
    if (turn !== this.#turn) return
    this.remember()
    this.#insert({ fromMs, toMs })
    this.seek(fromMs)
  }

  /** Removes a part. Without the last one, the whole video is used. */
  remove(index = this.#chosen): void {
    if (this.#parts.length === 1) {
      this.useWhole()
      return
    }
    this.remember()
    const parts = this.#parts.toSpliced(index, 1)
    const chosen = this.#chosen > index ? this.#chosen - 1 : Math.min(this.#chosen, parts.length - 1)
    this.#put({ ...this.#now, parts, chosen }, { kind: 'removed', number: index + 1 })
  }

  dispose(): void {
    this.frames.close()
  }

  /**
   * Sets an end at the playhead; the frame on screen is in the part. See `partToMark`: beyond the chosen part, this
   * begins a new one.
   */
  mark(end: End): Promise<void> {
    const { time } = this.playback
    return this.#turns.run('change', () => this.#mark(end, time))
  }

  async #mark(end: End, time: number): Promise<void> {
    const before = this.#now
    this.show()
    const turn = ++this.#turn
    const at = await this.frames.at(time)
    const ms = end === 'from' ? at : await this.frames.neighbour(at, 1)
    if (turn !== this.#turn) return
    const target = partToMark(this.#parts, this.#chosen, end, at, this.durationMs)
    if (target === null || (typeof target === 'object' && !this.canAdd)) return
    this.remember(before)
    if (typeof target === 'object') {
      this.#insert(end === 'from' ? { ...target, fromMs: ms } : { ...target, toMs: ms })
      return
    }
    this.#set(target, end === 'from' ? { fromMs: ms } : { toMs: ms })
    this.#choose(target)
  }

  /** Moves a part, or an end of it, to the frame nearest to a time, and shows it. For a part, `ms` is its start. */
  async move(handle: Handle, ms: number, index = this.#chosen): Promise<void> {
    this.show()
    const turn = this.#begin(index)
    const wanted = Math.round(ms)
    const { fromMs, toMs } = this.#part(index)
    const room = roomOf(this.#parts, index, this.durationMs)
    // The handle follows the pointer at once.
    if (handle === 'from') this.#set(index, { fromMs: clamp(wanted, room.fromMs, toMs - 1) })
    else if (handle === 'to') this.#set(index, { toMs: clamp(wanted, fromMs + 1, room.toMs) })
    else {
      const start = clamp(wanted, room.fromMs, room.toMs - (toMs - fromMs))
      this.#set(index, { fromMs: start, toMs: start + toMs - fromMs })
    }
    const nearest = await this.frames.nearest(handle === 'to' ? 'to' : 'from', ms)
    if (turn === this.#turn) await this.#place(handle, index, nearest, turn)
  }

  /** Moves a part, or an end of it, by frames. */
  step(handle: Handle, direction: 1 | -1, index = this.#chosen): Promise<void> {
    return this.#turns.run('change', () => this.#step(handle, direction, index))
  }

  async #step(handle: Handle, direction: 1 | -1, index: number): Promise<void> {
    const turn = this.#begin(index)
    const { fromMs, toMs } = this.#part(index)
    const ms = await this.frames.neighbour(handle === 'to' ? toMs : fromMs, direction)
    if (turn === this.#turn) await this.#place(handle, index, ms, turn)
  }

  /** Sets an end of the chosen part as typed. @returns why it isn't used; null if it is */
  async type(end: End, text: string): Promise<TimeProblem | null> {
    const ms = readTime(text)
    if (ms === null) return 'format'
    if (ms > this.durationMs + 500) return 'outside'
    const index = this.#chosen
    return this.#turns.run('change', () => this.#type(end, ms, index))
  }

  async #type(end: End, ms: number, index: number): Promise<TimeProblem | null> {
    const turn = this.#begin(index)
    const nearest = await this.frames.nearest(end, ms)
    const { fromMs, toMs } = this.#part(index)
    if (end === 'from' ? nearest >= toMs : nearest <= fromMs) return 'order'
    const room = roomOf(this.#parts, index, this.durationMs)
    if (nearest < room.fromMs || nearest > room.toMs) return 'overlap'
    if (turn !== this.#turn) return null
    this.remember()
    await this.#place(end, index, nearest, turn)
    return null
  }

  seek(ms: number): void {
    this.playback.seek(this.frames.secondsAt(Math.max(0, Math.min(ms, this.durationMs))))
  }

  /** Plays the parts in order: from the playhead if it is in one, else from the next part, after the last from the first. */
  async togglePlay(): Promise<void> {
    if (!this.playback.paused) return this.playback.toggle()
    const frameMs = 1000 / this.frames.fps
    // The last frame of a part counts as its end.
    const left = this.#parts.filter(({ fromMs, toMs }) => this.atMs < Math.max(fromMs + 1, toMs - 1.5 * frameMs))
    const parts = left.length > 0 ? left : this.#parts
    const [first] = parts
    if (first && (this.atMs < first.fromMs || left.length === 0)) this.seek(first.fromMs)
    const end = (ms: number): number => (ms < this.durationMs ? this.frames.secondsAt(ms - frameMs / 2) : Infinity)
    await this.playback.play(parts.map(({ fromMs, toMs }) => ({ from: this.frames.secondsAt(fromMs), to: end(toMs) })))
  }

  get #whole(): Parts {
    return [{ fromMs: 0, toMs: this.durationMs }]
  }
  get #now(): Snapshot {
    return { isOpen: this.#isOpen, parts: this.#parts, chosen: this.#chosen, rest: this.#rest }
  }
  #part(index: number): VideoPart {
    return this.#parts[index] ?? { fromMs: 0, toMs: this.durationMs }
  }

  #put({ isOpen, parts, chosen, rest }: Snapshot, news: PartNews): void {
    this.#turn += 1
    this.#isOpen = isOpen
    this.#parts = parts
    this.#chosen = chosen
    this.#rest = rest
    this.#news = news
  }

  #choose(index: number): void {
    this.#chosen = index
    this.#news = { kind: 'part' }
  }

  #insert(part: VideoPart): void {
    const chosen = this.#parts.filter(({ toMs }) => toMs <= part.fromMs).length
    this.#put({ ...this.#now, parts: this.#parts.toSpliced(chosen, 0, part), chosen }, { kind: 'part' })
  }

  /** Begins a change of a part. @returns its turn */
  #begin(index: number): number {
    this.chosen = index
    return ++this.#turn
  }

  /** Sets what a handle moves, within the room of the part and with at least a frame, and shows its frame. */
  async #place(handle: Handle, index: number, ms: number, turn: number): Promise<void> {
    const { fromMs, toMs } = this.#part(index)
    const room = roomOf(this.#parts, index, this.durationMs)
    const placed = { fromMs, toMs }
    if (handle === 'from') placed.fromMs = clamp(ms, room.fromMs, await this.frames.neighbour(toMs, -1))
    if (handle === 'to') placed.toMs = clamp(ms, await this.frames.neighbour(fromMs, 1), room.toMs)
    if (handle === 'whole') {
      const length = toMs - fromMs
      const last = await this.frames.neighbour(room.toMs, -1)
      placed.fromMs = clamp(ms, room.fromMs, Math.min(last, await this.frames.nearest('from', room.toMs - length)))
      const first = await this.frames.neighbour(placed.fromMs, 1)
      placed.toMs = clamp(await this.frames.nearest('to', placed.fromMs + length), first, room.toMs)
    }
    const shown = handle === 'to' ? await this.frames.neighbour(placed.toMs, -1) : placed.fromMs
    const time = await this.frames.timeOf(shown)
    if (turn !== this.#turn) return
    this.show()
    this.#set(index, placed)
    this.playback.seek(time)
  }

  #set(index: number, change: Partial<VideoPart>): void {
    this.#parts = this.#parts.map((part, at) => (at === index ? { ...part, ...change } : part))
  }
}

const clamp = (value: number, min: number, max: number): number => Math.max(min, Math.min(value, max))
const lengthOf = ({ fromMs, toMs }: VideoPart): number => toMs - fromMs
/** Which part is chosen is no change. */
const contentOf = ({ isOpen, parts, rest }: Snapshot): string => JSON.stringify([isOpen, parts, rest])
