/**
 * @file The playback clock: follows the sound while it plays, else the elapsed time. Seconds.
 */
export class SoundClock {
  readonly #sound: HTMLAudioElement | null
  #from = 0
  /** The `performance.now()` at which the clock showed `#from`; null while stopped. */
  #since: number | null = null
  #isHeard = false
  /** Counts starts and stops, to detect a stop during an unfinished start. */
  #changes = 0

  /** @param url a file with sound, or null */
  constructor(url: string | null, muted: boolean) {
    this.#sound = url === null ? null : new Audio(url)
    if (this.#sound !== null) this.#sound.preload = 'auto'
    this.muted = muted
  }

  set muted(muted: boolean) {
    if (this.#sound !== null) this.#sound.muted = muted
  }

  get now(): number {
    if (this.#since === null) return this.#from
    if (this.#isHeard && this.#sound !== null) {
      if (!this.#sound.ended && this.#sound.error === null) return this.#sound.currentTime
      // The video may be longer than its sound.
      this.#isHeard = false
      this.#from = this.#sound.currentTime
      this.#since = performance.now()
    }
    return this.#from + (performance.now() - this.#since) / 1000
  }

  /** Resolves when the clock runs: at once without sound, else when the sound plays. */
  async start(time: number): Promise<void> {
    const change = ++this.#changes
    this.#from = time
    const heard = await this.#play(time)
    if (change !== this.#changes) return
    this.#isHeard = heard
    this.#since = performance.now()
  }

  stop(): void {
    this.#changes += 1
    this.#from = this.now
    this.#since = null
    this.#sound?.pause()
  }

  close(): void {
    this.stop()
    this.#sound?.removeAttribute('src')
    this.#sound?.load()
  }

  async #play(time: number): Promise<boolean> {
    const sound = this.#sound
    // Past its end, the sound would start again at 0.
    if (sound === null || sound.error !== null || time >= sound.duration - sameSound) return false
    if (Math.abs(sound.currentTime - time) > sameSound) sound.currentTime = time
    return sound.play().then(
      () => true,
      () => false,
    )
  }
}

/** An offset below this many seconds is inaudible. */
const sameSound = 0.02
