/**
 * @file A model that runs natively (WebNN) where that gives the same numbers. Chromium runs WebNN models in its GPU
 * process, with the processor's widest vectors.
 */
import type { Model } from './runtime.ts'

type Runs = Pick<Model, 'run'>

/**
 * Runs in WebAssembly before the native model is loaded, about 17 s of video. So many native runs save about what loading
 * takes, 0.5 to 1 s of processor time, so a short video does without.
 */
const nativeAfter = 120

/**
 * Runs a model in WebAssembly, and natively once it has run often, if both give the same bits. So results don't depend on
 * which of them has run, and a checkpoint needn't say it.
 */
export class NativeModel {
  #native: Runs | null = null
  #runs = 0
  /** Native runs wait for each other: LiteRT has one stack, and a run that waits for WebNN lies on it. */
  #last: Promise<unknown> = Promise.resolve()

  /**
   * @param own the model in WebAssembly
   * @param load loads the native model; rejects where there is none
   * @param compared number of the model's first outputs that are used, and have to be equal
   * @param onNative called when the native model takes over
   */
  constructor(
    private readonly own: Runs,
    private readonly load: () => Promise<Runs>,
    private readonly compared: number,
    private readonly onNative: () => void,
  ) {}

  /** As `Model.run`. */
  async run(draw: (to: Float32Array) => void): Promise<Float32Array[]> {
    this.#runs += 1
    // Where there is no WebNN, everything stays as it is.
    if (this.#runs === nativeAfter) void this.#prove().catch(() => undefined)
    if (!this.#native) return this.own.run(draw)
    const answer = this.#last.then(() => this.#runNatively(draw))
    this.#last = answer.catch(() => undefined)
    return answer
  }

  /** The GPU process may end at any time, and its models with it. */
  async #runNatively(draw: (to: Float32Array) => void): Promise<Float32Array[]> {
    if (this.#native) {
      try {
        return await this.#native.run(draw)
      } catch {
        this.#native = null
      }
    }
    return this.own.run(draw)
  }

  /** Noise reaches all weights: with another order of additions, some of the outputs would differ in their last bit. */
  async #prove(): Promise<void> {
    const native = await this.load()
    const noise = (to: Float32Array): void => {
      for (let at = 0; at < to.length; at += 1) to[at] = ((at * 7919) % 255) / 255
    }
    const [ours, theirs] = [await this.own.run(noise), await native.run(noise)]
    const isSame = ours
      .slice(0, this.compared)
      .every((output, index) => output.every((value, at) => value === theirs[index]?.[at]))
    if (!isSame) return
    this.#native = native
    this.onNative()
  }
}
