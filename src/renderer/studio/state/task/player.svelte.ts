/**
 * @file Plays two videos in sync: both pictures always show the same moment. Draws a pair once both frames are decoded,
 * and drops a late frame together with its partner. "After" leads because it has the sound.
 */
import { MienError } from '@shared/errors.ts'
import type { Range } from '@shared/people/people.ts'
import { choosePair, isLate, sameTime, type FramePair } from '../../logic/pictures/frame-pair.ts'
import { copyPicture, drawFrame } from '../../media/draw-frame.ts'
import type { PartFrames, VideoFrames } from '../../media/part-frames.ts'
import { SoundClock } from '../../media/sound-clock.ts'

type Side = 'before' | 'after'
export type Pictures = Readonly<Record<Side, HTMLCanvasElement | null>>

export const speeds = [0.1, 0.25, 0.5, 1, 1.5, 2] as const
/** The speed before or after one of `speeds`. */
export const nextSpeed = (speed: number, direction: 1 | -1): number =>
  (direction > 0 ? speeds.find((each) => each > speed) : speeds.findLast((each) => each < speed)) ?? speed

/** Why a video is not shown: the codec that this computer can't decode, or null if the file can't be read. */
export interface VideoProblem {
  readonly codec: string | null
}

export interface PlayerOptions {
  /** URLs of the videos. */
  readonly before: string
  readonly after: string
  /** Seconds; used until the file is open. */
  readonly duration: number
  /** "After" has only these parts; null: it has the same frames as "before". */
  readonly parts?: Range['parts'] | null
  /** Seconds; where to begin. */
  readonly time?: number
  /** Pictures that are shown until the first frames are. */
  readonly pictures?: Pictures | null
}

export class Player {
  readonly #urls: Readonly<Record<Side, string>>
  readonly #readers: Record<Side, VideoFrames | null> = { before: null, after: null }
  readonly #parts: Range['parts'] | null
  /** The reader of "before", if only parts of it are in "after". */
  #partFrames: PartFrames | null = null
  readonly #canvases: Record<Side, HTMLCanvasElement | null> = { before: null, after: null }
  readonly #firstPictures: Pictures | null
  #problems = $state.raw<Readonly<Record<Side, VideoProblem | null>>>({ before: null, after: null })
  #time = $state(0)
  #duration = $state(0)
  #firstTime = $state(0)
  #playing = $state(false)
  #muted = false
  #speed = $state(1)
  repeat = false
  /** Playback stays in this part of the timeline, in seconds; `to` is exclusive. Null: all of it. */
  part: { readonly from: number; readonly to: number } | null = null
  #clock: SoundClock | null = null
  /** Timestamp of the leading video's current frame. */
  #shown: number | null = null
  /** Timestamps, in their files, of the frames on screen. */
  readonly #drawn: Record<Side, number | null> = { before: null, after: null }
  /** The latest seek target, waiting for the current seek to finish. */
  #wanted: number | null = 0
  /** Frames to step after that. */
  #steps = 0
  /** The frame that the current seek goes to; `done` ends the seek when it is shown. */
  #target: { readonly time: number; readonly done: () => void } | null = null
  #isSeeking = false
  /** Ends when the files are open, or can't be. */
  #opened: Promise<unknown> = Promise.resolve()
  /** Ends when nothing is left to open or to seek. */
  #settled: Promise<void> = Promise.resolve()
  /** A canvas changed its size during a seek: its frame has to be drawn again. */
  #isResized = false
  #tick: number | null = null
  #isClosed = false

  constructor({ before, after, duration, parts = null, time = 0, pictures = null }: PlayerOptions) {
    this.#firstPictures = pictures
    this.#wanted = this.#time = time
    this.#urls = { before, after }
    this.#parts = parts
    this.#duration = duration
  }

  get time(): number {
    return this.#time
  }
  get duration(): number {
    return this.#duration
  }
  /** Time of the first frame. */
  get start(): number {
    return this.#firstTime
  }
  get playing(): boolean {
    return this.#playing
  }
  get problems(): Readonly<Record<Side, VideoProblem | null>> {
    return this.#problems
  }
  /** 1 is as fast as it was recorded. */
  get speed(): number {
    return this.#speed
  }
  set speed(speed: number) {
    this.#speed = speed
    if (this.#clock === null) return
    this.#clock.stop()
    this.#clock.speed = speed
    if (this.#playing && !this.#isSeeking) void this.#start()
  }
  set muted(muted: boolean) {
    this.#muted = muted
    if (this.#clock !== null) this.#clock.muted = muted
  }

  /** The canvases that are attached now. */
  get pictures(): Pictures {
    return { ...this.#canvases }
  }

  /** Svelte attachments for the canvases. */
  readonly after = (canvas: HTMLCanvasElement): (() => void) => this.#attach('after', canvas)
  readonly before = (canvas: HTMLCanvasElement): (() => void) => this.#attach('before', canvas)

  /** Opens both files and shows their first frames. */
  open(): Promise<void> {
    return (this.#settled = this.#openBoth())
  }

  async #openBoth(): Promise<void> {
    this.#opened = Promise.all([this.#open('after'), this.#open('before')])
    await this.#opened
    const lead = this.#lead
    // If the packet index is not readable, the first seek reports it.
    const firstTime = await lead?.frameTime(-1e9).catch(() => 0)
    if (this.#isClosed || lead === null) return
    this.#duration = lead.duration
    this.#firstTime = firstTime ?? 0
    const sound = this.#readers.after?.hasSound === true ? this.#urls.after : null
    this.#clock = new SoundClock(sound, this.#muted)
    this.#clock.speed = this.#speed
    await this.#seekAll()
  }

  /** Plays from the playhead; from the start if it is at the end, or outside of the part. */
  play(): void {
    const { from, to } = this.#bounds
    if (this.#time < from - sameTime || this.#time >= to - sameTime) this.seek(from)
    this.#playing = true
    if (!this.#isSeeking) void this.#start()
  }

  pause(): void {
    if (!this.#playing) return
    this.#playing = false
    this.#clock?.stop()
    if (this.#wanted === null && this.#shown !== null) this.#time = this.#shown
  }

  toggle(): void {
    if (this.#playing) this.pause()
    else this.play()
  }

  /** Seeks in both videos. During a seek, only the latest target is kept. */
  seek(time: number): void {
    this.#steps = 0
    this.#wanted = Math.max(0, Math.min(time, this.#duration))
    this.#time = this.#wanted
    this.#seekOn()
  }

  /** Pauses, then steps forward, or backward if `frames` is negative. */
  step(frames: number): void {
    this.pause()
    this.#steps += frames
    this.#seekOn()
  }

  /** Timestamp of the frame on screen, in seconds in its file, after what was asked for; null without a picture. */
  async drawnAt(side: Side): Promise<number | null> {
    await this.#settled
    return this.#drawn[side]
  }

  /** The frame shown at a time, in seconds. Without a video, a frame of no length. */
  async frameAt(time: number): Promise<{ start: number; end: number }> {
    await this.#opened
    const lead = this.#lead
    if (lead === null) return { start: time, end: time }
    const start = await lead.frameTime(time)
    const next = await lead.neighbour(start, 1)
    return { start, end: next > start ? next : this.#duration }
  }

  dispose(): void {
    this.#isClosed = true
    this.#playing = false
    if (this.#tick !== null) cancelAnimationFrame(this.#tick)
    this.#target?.done()
    this.#clock?.close()
    for (const side of ['after', 'before'] as const) this.#close(side)
  }

  /** Where playback begins and ends. Within `sameTime` of its end, a frame is no longer the one shown. */
  get #bounds(): { from: number; to: number } {
    return this.part === null
      ? { from: 0, to: this.#duration }
      : { from: this.part.from, to: Math.min(this.part.to - 2 * sameTime, this.#duration) }
  }
  get #lead(): VideoFrames | null {
    return this.#readers.after ?? this.#readers.before
  }
  get #follower(): VideoFrames | null {
    return this.#readers.after === null ? null : this.#readers.before
  }

  #attach(side: Side, canvas: HTMLCanvasElement): () => void {
    this.#canvases[side] = canvas
    const picture = this.#firstPictures?.[side]
    if (picture) copyPicture(picture, canvas)
    const resized = new ResizeObserver(() => {
      // The first frames may not be a pair yet.
      if (this.#target === null) this.#draw(side, 0)
      else this.#isResized = true
    })
    resized.observe(canvas)
    return () => {
      resized.disconnect()
      this.#canvases[side] = null
    }
  }

  async #open(side: Side): Promise<void> {
    try {
      // Load the decoder with the first finished swap, not at startup.
      const { openFrames } = await import('../../media/frame-reader.ts')
      const reader = await openFrames(this.#urls[side], {
        onframes: () => this.#look(),
        onerror: () => this.#lose(side, null),
      })
      if (side === 'before' && this.#parts !== null) {
        const { PartFrames } = await import('../../media/part-frames.ts')
        this.#partFrames = await PartFrames.open(reader, this.#parts)
      }
      if (this.#isClosed) reader.close()
      else this.#readers[side] = (side === 'before' ? this.#partFrames : null) ?? reader
    } catch (error) {
      this.#lose(side, error)
    }
  }

  #lose(side: Side, error: unknown): void {
    if (this.#isClosed) return
    const codec = error instanceof MienError && error.code === 'codec-unsupported' ? error.details['codec'] : null
    this.#problems = { ...this.#problems, [side]: { codec: typeof codec === 'string' ? codec : null } }
    this.#close(side)
    this.#look()
    // Without any video, a seek would never finish.
    if (this.#lead !== null) return
    this.pause()
    this.#target?.done()
  }

  #close(side: Side): void {
    this.#readers[side]?.close()
    this.#readers[side] = null
  }

  /** Begins with the pending seeks and steps; those of the first frame begin when the files are open. */
  #seekOn(): void {
    if (!this.#isSeeking && this.#clock !== null) this.#settled = this.#seekAll()
  }

  /** Handles the pending seeks and steps, then resumes playback. */
  async #seekAll(): Promise<void> {
    this.#isSeeking = true
    this.#clock?.stop()
    try {
      for (let time = await this.#next(); time !== null; time = await this.#next()) await this.#reach(time)
    } catch (error) {
      // The packet index is not readable.
      this.#lose(this.#readers.after === null ? 'before' : 'after', error)
    }
    this.#isSeeking = false
    if (this.#playing) await this.#start()
  }

  /** Timestamp of the next frame to seek to; null when nothing is pending. */
  async #next(): Promise<number | null> {
    const lead = this.#lead
    if (lead === null || this.#isClosed) return null
    if (this.#wanted !== null) {
      const wanted = this.#wanted
      this.#wanted = null
      return lead.frameTime(wanted)
    }
    if (this.#steps === 0) return null
    const direction = this.#steps > 0 ? 1 : -1
    this.#steps -= direction
    const time = await lead.neighbour(this.#shown ?? 0, direction)
    this.#time = time
    return time
  }

  async #reach(time: number): Promise<void> {
    const reached = new Promise<void>((resolve) => (this.#target = { time, done: resolve }))
    this.#lead?.seek(time)
    this.#follower?.seek(time)
    this.#look()
    await reached
    this.#target = null
  }

  async #start(): Promise<void> {
    const clock = this.#clock
    if (clock === null || this.#shown === null) return
    await clock.start(Math.max(this.#shown, 0))
    if (!this.#playing || this.#isSeeking || this.#isClosed) return
    this.#tick ??= requestAnimationFrame(this.#play)
  }

  /** Runs in every animation frame during playback. */
  readonly #play = (): void => {
    this.#tick = null
    const lead = this.#lead
    if (!this.#playing || this.#isSeeking || this.#clock === null || lead === null) return
    const { now } = this.#clock
    this.#partFrames?.follow(now)
    const { to } = this.#bounds
    const pair = choosePair(lead, this.#follower, Math.min(now, to))
    if (pair !== null) this.#show(pair)
    if (now >= to) this.#end()
    else if ([lead, this.#follower].some((reader) => reader !== null && isLate(reader, now))) this.seek(now)
    else {
      this.#time = Math.max(this.#shown ?? 0, 0)
      this.#tick = requestAnimationFrame(this.#play)
    }
  }

  /** Seeks to the last frame, because decoding may lag behind the clock. */
  #end(): void {
    if (!this.repeat) this.#playing = false
    const { from, to } = this.#bounds
    this.seek(this.repeat ? from : to)
  }

  /** Shows the pair that the seek waits for, once it is decoded. New frames may be older than that. */
  #look(): void {
    const lead = this.#lead
    if (lead === null || this.#target === null) return
    const pair = choosePair(lead, this.#follower, this.#target.time)
    if (pair === null || (lead.times[pair.after] ?? 0) < this.#target.time - sameTime) return
    this.#show(pair)
    this.#target.done()
  }

  /** Draws both pictures in one task, so that they change in the same animation frame. */
  #show({ after, before }: FramePair): void {
    const lead = this.#lead
    const time = lead?.times[after] ?? null
    const isSame = time === this.#shown && after === 0 && (before ?? 0) === 0
    if (lead === null || (isSame && !this.#isResized)) return
    this.#shown = time
    this.#isResized = false
    const sides =
      this.#readers.after === null
        ? ([['before', after]] as const)
        : ([
            ['after', after],
            ['before', before],
          ] as const)
    for (const [side, index] of sides) {
      if (index === null) continue
      this.#drawn[side] = this.#readers[side]?.frame(index)?.timestamp ?? null
      this.#draw(side, index)
      this.#readers[side]?.dropBefore(index)
    }
  }

  #draw(side: Side, index: number): void {
    const canvas = this.#canvases[side]
    const frame = this.#readers[side]?.frame(index)
    if (canvas !== null && frame != null) drawFrame(frame, canvas)
  }
}
