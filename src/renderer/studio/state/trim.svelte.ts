/**
 * @file The part of the composer's video that is swapped. Ends are at frames: they are stored as the engine compares
 * them, in milliseconds from the video's first frame. The interface has one part; several come from the command line
 * and keep their inner ends.
 */
import { mediaUrl } from '@shared/media-url.ts'
import type { Range } from '@shared/people.ts'
import type { VideoMedia } from '@shared/task.ts'
import { readTime } from '@shared/part-time.ts'
import { ClipPlayback } from './clip-playback.svelte.ts'

export type End = 'from' | 'to'

/** Times of a video's frames, in seconds in the file. */
export interface FrameTimes {
  /** Of the frame shown at a time. */
  frameTime: (time: number) => Promise<number>
  /** Of the frame before or after the one that starts at `time`; `time` if there is none. */
  neighbour: (time: number, direction: 1 | -1) => Promise<number>
  close: () => void
}

/** Why a typed time isn't used. */
export type TimeProblem = 'format' | 'order' | 'outside'

type Parts = Range['parts']

async function openTimes(url: string): Promise<FrameTimes> {
  // Load mediabunny with the first part, not at startup.
  const { openFrames } = await import('../media/frame-reader.ts')
  return openFrames(url, { onframes: () => undefined, onerror: () => undefined })
}

export class Trim {
  readonly mediaId: string
  readonly durationMs: number
  readonly playback = new ClipPlayback()
  readonly #open: () => Promise<FrameTimes>
  readonly #fps: number
  #parts = $state.raw<Parts>([])
  #rest = $state<Range['rest']>('drop')
  #isOpen = $state(false)
  #times: Promise<FrameTimes> | null = null
  /** Time of the first frame, in seconds in the file. */
  #first = $state(0)
  /** Incremented for each change of an end, so that a late answer to an earlier one is ignored. */
  #turn = 0

  constructor({ id, fps }: VideoMedia, durationMs: number, range: Range | null = null, open = openTimes) {
    this.mediaId = id
    this.durationMs = durationMs
    this.#fps = fps ?? 25
    this.#open = () => open(mediaUrl(id))
    this.#parts = range?.parts ?? this.#whole
    this.#rest = range?.rest ?? 'drop'
    if (range) this.show()
  }

  get isOpen(): boolean {
    return this.#isOpen
  }
  get parts(): Parts {
    return this.#parts
  }
  get fromMs(): number {
    return this.#parts[0]?.fromMs ?? 0
  }
  get toMs(): number {
    return this.#parts.at(-1)?.toMs ?? this.durationMs
  }
  get lengthMs(): number {
    return this.#parts.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  }
  get rest(): Range['rest'] {
    return this.#rest
  }
  set rest(rest: Range['rest']) {
    this.#rest = rest
  }
  /** Null: the whole video. */
  get range(): Range | null {
    if (!this.#isOpen || (this.fromMs === 0 && this.toMs >= this.durationMs && this.#parts.length === 1)) return null
    return { parts: this.#parts, rest: this.#rest }
  }
  /** Position of the playhead in milliseconds. */
  get atMs(): number {
    return this.#msAt(this.playback.time)
  }

  show(): void {
    this.#isOpen = true
    void this.#ready()
  }

  useWhole(): void {
    this.#turn += 1
    this.#isOpen = false
    this.#parts = this.#whole
    this.#rest = 'drop'
  }

  dispose(): void {
    void this.#times?.then((times) => {
      times.close()
    })
  }

  /** Sets an end at the playhead; the frame on screen is in the part. The other end gives way. */
  async mark(end: End): Promise<void> {
    this.show()
    const turn = ++this.#turn
    const at = await (await this.#ready()).frameTime(this.playback.time)
    const ms = end === 'from' ? this.#msAt(at) : await this.#after(at)
    if (turn !== this.#turn) return
    if (end === 'from' && ms >= this.#inner(end)) this.#parts = [{ fromMs: ms, toMs: this.durationMs }]
    else if (end === 'to' && ms <= this.#inner(end)) this.#parts = [{ fromMs: 0, toMs: ms }]
    else this.#set(end, ms)
  }

  /** Moves an end to the frame nearest to a time, and shows it. */
  async move(end: End, ms: number): Promise<void> {
    this.show()
    const turn = ++this.#turn
    // The handle follows the pointer at once.
    this.#set(
      end,
      end === 'from'
        ? Math.max(0, Math.min(ms, this.#inner(end) - 1))
        : Math.max(this.#inner(end) + 1, Math.min(ms, this.durationMs)),
    )
    const nearest = await this.#nearest(end, ms)
    if (turn === this.#turn) await this.#place(end, nearest, turn)
  }

  /** Moves an end by frames. */
  async step(end: End, direction: 1 | -1): Promise<void> {
    const turn = ++this.#turn
    const times = await this.#ready()
    const from = this.#secondsAt(end === 'from' ? this.fromMs : this.toMs)
    const next = await times.neighbour(from, direction)
    const ms = next <= from && direction === 1 ? this.durationMs : this.#msAt(next)
    if (turn === this.#turn) await this.#place(end, ms, turn)
  }

  /** Sets an end as typed. @returns why it isn't used; null if it is */
  async type(end: End, text: string): Promise<TimeProblem | null> {
    const ms = readTime(text)
    if (ms === null) return 'format'
    if (ms > this.durationMs + 500) return 'outside'
    const turn = ++this.#turn
    const nearest = await this.#nearest(end, ms)
    if (end === 'from' ? nearest >= this.#inner(end) : nearest <= this.#inner(end)) return 'order'
    if (turn === this.#turn) await this.#place(end, nearest, turn)
    return null
  }

  seek(ms: number): void {
    this.playback.seek(this.#secondsAt(Math.max(0, Math.min(ms, this.durationMs))))
  }

  /** Plays the part from the playhead, or from its start if the playhead is elsewhere. */
  async togglePlay(): Promise<void> {
    if (!this.playback.paused) return this.playback.toggle()
    // The last frame counts as the end.
    if (this.atMs < this.fromMs || this.atMs >= this.toMs - 1500 / this.#fps) this.seek(this.fromMs)
    await this.playback.play(this.toMs < this.durationMs ? this.#secondsAt(this.toMs) - 0.5 / this.#fps : Infinity)
  }

  get #whole(): Parts {
    return [{ fromMs: 0, toMs: this.durationMs }]
  }

  #msAt(seconds: number): number {
    return Math.max(0, Math.round((seconds - this.#first) * 1000))
  }
  #secondsAt(ms: number): number {
    return this.#first + ms / 1000
  }

  /** The frame's end: the next frame, or the end of the video. */
  async #after(time: number): Promise<number> {
    const next = await (await this.#ready()).neighbour(time, 1)
    return next > time ? this.#msAt(next) : this.durationMs
  }

  /** The frame that starts nearest to a time; for the end of the part, the video's end is one too. */
  async #nearest(end: End, ms: number): Promise<number> {
    const times = await this.#ready()
    const at = await times.frameTime(this.#secondsAt(Math.max(0, Math.min(ms, this.durationMs))))
    const [before, after] = [this.#msAt(at), await this.#after(at)]
    const isLast = end === 'from' && after === this.durationMs
    return isLast || ms - before <= after - ms ? before : after
  }

  /** Sets an end, at least a frame from the other one, and shows its frame. */
  async #place(end: End, ms: number, turn: number): Promise<void> {
    const times = await this.#ready()
    if (end === 'from') {
      const last = this.#msAt(await times.neighbour(this.#secondsAt(this.#inner(end)), -1))
      if (turn !== this.#turn) return
      this.#set('from', Math.max(0, Math.min(ms, last)))
      this.seek(this.fromMs)
      return
    }
    const first = await this.#after(this.#secondsAt(this.#inner(end)))
    const to = Math.min(this.durationMs, Math.max(ms, first))
    const shown = await times.neighbour(this.#secondsAt(to), -1)
    if (turn !== this.#turn) return
    this.#set('to', to)
    this.playback.seek(shown)
  }

  /** The other end of the part that has this end. */
  #inner(end: End): number {
    return (end === 'from' ? this.#parts[0]?.toMs : this.#parts.at(-1)?.fromMs) ?? 0
  }

  #set(end: End, ms: number): void {
    const at = end === 'from' ? 0 : this.#parts.length - 1
    this.#parts = this.#parts.map((part, index) =>
      index === at ? { ...part, [end === 'from' ? 'fromMs' : 'toMs']: ms } : part,
    )
  }

  #ready(): Promise<FrameTimes> {
    this.#times ??= this.#open()
      // Without the file's index, frames are counted by their average rate.
      .catch(() => evenTimes(this.#fps))
      .then(async (times) => {
        this.#first = await times.frameTime(-1e9)
        return times
      })
    return this.#times
  }
}

/** Frames of one length from zero on. */
function evenTimes(fps: number): FrameTimes {
  const at = (frame: number): Promise<number> => Promise.resolve(Math.max(0, frame) / fps)
  return {
    frameTime: (time) => at(Math.floor(time * fps + 0.01)),
    neighbour: (time, direction) =>
      at(direction > 0 ? Math.floor(time * fps + 0.01) + 1 : Math.ceil(time * fps - 0.01) - 1),
    close: () => undefined,
  }
}
