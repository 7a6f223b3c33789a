/**
 * @file The playback clock: follows the sound while it plays, else the elapsed time. Seconds.
 */
export class SoundClock {
  readonly #sound: HTMLAudioElement | null
  #from = 0
  /** The `performance.now()` at which the clock showed `#from`; null while stopped. */
  #since: number | null = null
  #isHeard = false
  #speed = 1
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

  /** Takes effect with the next start. The sound keeps its pitch. */
  set speed(speed: number) {
    this.#speed = speed
    if (this.#sound !== null) this.#sound.playbackRate = speed
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
    return this.#from + ((performance.now() - this.#since) / 1000) * this.#speed
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
    if (sound === null || sound.error !== null || this.#speed < minSoundSpeed || time >= sound.duration - sameSound)
      return false
    if (Math.abs(sound.currentTime - time) > sameSound) sound.currentTime = time
    return sound.play().then(
      () => true,
      () => false,
    )
  }
}

/** Slower sound is not intelligible, and Chromium doesn't play it. */
export const minSoundSpeed = 0.5
/** An offset below this many seconds is inaudible. */
const sameSound = 0.02
