/**
 * @file One clock for two videos. "After" is the master: it has the sound, and its frames set the time.
 * "Before" follows by small changes of its rate, and by a seek after a jump. Without it, "after" plays alone.
 */
import { correct, frameAt, frameTime } from '../logic/two-players.ts'

export class Player {
  readonly fps: number
  #after: HTMLVideoElement | null = null
  #before: HTMLVideoElement | null = null
  #time = $state(0)
  #duration = $state(0)
  #playing = $state(false)
  #beforeGone = $state(false)
  #afterGone = $state(false)
  repeat = $state(false)
  /** The newest place asked for while a seek is under way. */
  #wanted: number | null = null
  #abort = new AbortController()

  constructor(fps: number, duration: number) {
    this.fps = fps > 0 ? fps : 25
    this.#duration = duration
  }

  get time(): number {
    return this.#time
  }
  get duration(): number {
    return this.#duration
  }
  get playing(): boolean {
    return this.#playing
  }
  /** The file that came in cannot be played any more. */
  get beforeGone(): boolean {
    return this.#beforeGone
  }
  get afterGone(): boolean {
    return this.#afterGone
  }
  get frame(): number {
    return frameAt(this.#time, this.fps)
  }

  /** Attachment of the swapped video. */
  readonly after = (video: HTMLVideoElement): (() => void) => {
    this.#after = video
    const { signal } = this.#abort
    const on = (name: string, listener: () => void): void => {
      video.addEventListener(name, listener, { signal })
    }
    on('loadedmetadata', () => (this.#duration = video.duration))
    on('play', () => (this.#playing = true))
    on('pause', () => {
      this.#playing = false
      this.#before?.pause()
      this.#align()
    })
    on('ended', () => {
      if (this.repeat) {
        this.seek(0)
        void this.play()
      }
    })
    on('seeked', () => {
      const wanted = this.#wanted
      this.#wanted = null
      if (wanted !== null) this.seek(wanted)
    })
    on('error', () => {
      this.#wanted = null
      this.#afterGone = true
    })
    this.#follow(video)
    return () => {
      this.#after = null
    }
  }

  /** Attachment of the video as it came. */
  readonly before = (video: HTMLVideoElement): (() => void) => {
    this.#before = video
    video.addEventListener('error', () => (this.#beforeGone = true), { signal: this.#abort.signal })
    video.addEventListener(
      'loadedmetadata',
      () => {
        this.#align()
      },
      { signal: this.#abort.signal },
    )
    return () => {
      this.#before = null
    }
  }

  async play(): Promise<void> {
    if (this.#after === null) return
    if (this.#after.ended || this.#time >= this.#duration - 0.5 / this.fps) this.seek(0)
    this.#align()
    const both = [this.#after.play()]
    if (this.#before !== null && !this.#beforeGone) both.push(this.#before.play())
    await Promise.allSettled(both)
  }

  pause(): void {
    this.#after?.pause()
  }

  toggle(): void {
    if (this.#playing) this.pause()
    else void this.play()
  }

  /** Both go there; while one seek is under way only the newest wish is kept. */
  seek(time: number): void {
    const to = Math.max(0, Math.min(time, this.#duration))
    this.#time = to
    if (this.#after === null) return
    if (this.#after.seeking) {
      this.#wanted = to
      return
    }
    this.#after.currentTime = to
    if (this.#before !== null && !this.#beforeGone) this.#before.currentTime = to
  }

  step(frames: number): void {
    this.pause()
    this.seek(frameTime(this.frame + frames, this.fps, this.#duration))
  }

  dispose(): void {
    this.#abort.abort()
    this.#after = null
    this.#before = null
  }

  #follow(video: HTMLVideoElement): void {
    const look = (_now: number, frame: VideoFrameCallbackMetadata): void => {
      if (this.#after !== video) return
      if (!video.seeking && this.#wanted === null && !video.paused) this.#time = frame.mediaTime
      const before = this.#before
      if (before !== null && !this.#beforeGone && !video.paused && before.readyState >= 2) {
        if (before.paused && !before.ended) void before.play().catch(() => undefined)
        const correction = correct(before.currentTime - video.currentTime, video.currentTime)
        if ('seek' in correction) {
          if (!before.seeking) before.currentTime = correction.seek
        } else before.playbackRate = correction.rate
      }
      video.requestVideoFrameCallback(look)
    }
    video.requestVideoFrameCallback(look)
  }

  #align(): void {
    const { duration } = this
    if (this.#before === null || this.#after === null || this.#beforeGone) return
    this.#before.playbackRate = 1
    const to = Math.min(this.#after.currentTime, duration)
    if (Math.abs(this.#before.currentTime - to) > 0.5 / this.fps) this.#before.currentTime = to
  }
}
