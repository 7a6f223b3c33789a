/** @file Plays the composer's video. Opens the file when it is first played or sought. */

/** In seconds in the file. */
export interface Span {
  readonly from: number
  readonly to: number
}

export class ClipPlayback {
  video = $state.raw<HTMLVideoElement>()
  paused = $state(true)
  /** The file is wanted; until then, the cover is enough. */
  wanted = $state(false)
  /** A frame of the file is shown instead of the cover. */
  started = $state(false)
  /** Seconds in the file. */
  #time = $state(0)
  /** What is played, the current one first; empty: to the end of the file. */
  #spans: readonly Span[] = []
  readonly time = $derived(this.#time)

  /** Plays from here to the end of the first span, and then the other ones. Without spans, to the end of the file. */
  async play(spans: readonly Span[] = []): Promise<void> {
    this.#spans = spans
    this.wanted = true
    // The element appears with the next update.
    await Promise.resolve()
    await this.video?.play().catch(() => undefined)
  }

  async toggle(): Promise<void> {
    if (this.paused) await this.play()
    else this.video?.pause()
  }

  seek(to: number): void {
    this.wanted = true
    this.#time = to
    this.started = true
    if (this.video !== undefined) this.video.currentTime = to
  }

  /** The file is open. */
  readonly opened = (): void => {
    if (this.video !== undefined && this.#time > 0) this.video.currentTime = this.#time
  }

  readonly playing = (): void => {
    this.started = true
    this.#look()
  }

  readonly moved = (): void => {
    this.#time = this.video?.currentTime ?? 0
  }

  readonly ended = (): void => {
    this.started = false
    this.#time = 0
  }

  /** Runs in every animation frame during playback: `timeupdate` comes four times a second only. */
  #look(): void {
    if (this.video === undefined || this.video.paused) return
    this.moved()
    const [span, next] = this.#spans
    if (span !== undefined && this.#time >= span.to) {
      this.#spans = this.#spans.slice(1)
      this.seek(next?.from ?? span.to)
      if (next === undefined) {
        this.video.pause()
        return
      }
    }
    requestAnimationFrame(() => this.#look())
  }
}
