/** @file One clip: swapped, looked at, summed up. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { swapTo } from './engine-run.mjs'
import { measureFrames } from './frame-pairs.mjs'
import { framesOf, timingOf } from './frames.mjs'
import { sumUp } from './measures.mjs'

/** @typedef {import('./judges.mjs').Picture} Picture */
/**
 * @typedef {object} Clip
 * @property {string} name
 * @property {string} face path of the picture that is put on
 * @property {string} video
 * @property {number} frames
 * @property {string[]} gates
 * @property {string | null} [maskPath]
 * @property {string} [bare] name of the clip that is the same without what is in front
 * @property {number[]} [cuts]
 * @property {(index: number) => import('./scenes/pose.mjs').Pose | null} [pose]
 * @property {(index: number) => import('./scenes/pose.mjs').Pose} [bystander]
 * @property {(index: number) => boolean} [judged]
 * @property {number} [each] only every so manieth frame is compared
 * @property {boolean} [mayBeShown] its rights are clear
 */

export class ClipRunner {
  #judges
  #sources
  #made
  /** @type {Map<string, { video: string, output: string }>} */
  #swapped = new Map()

  /**
   * @param {import('./judges.mjs').Judges} judges
   * @param {ReadonlyMap<string, Float32Array>} sources identities by the path of the picture
   * @param {string} made folder for what is made
   */
  constructor(judges, sources, made) {
    this.#judges = judges
    this.#sources = sources
    this.#made = made
  }

  /** Swaps a clip. @param {import('../lib/engine-process.mjs').EngineProcess} engine @param {Clip} clip @param {string} [folder] */
  async swap(engine, clip, folder = 'job') {
    const dir = join(this.#made, folder, clip.name)
    rmSync(dir, { recursive: true, force: true })
    const output = await swapTo(engine, clip.face, clip.video, dir)
    if (folder === 'job') this.#swapped.set(clip.name, { video: clip.video, output })
    return output
  }

  /**
   * Looks at a clip and its swap.
   * @param {Clip} clip @param {AsyncIterable<Picture>} outputs @param {number} [frames]
   * @param {Parameters<typeof measureFrames>[2]} [see]
   */
  async look(clip, outputs, frames = clip.frames, see) {
    const bare = clip.bare ? this.#swapped.get(clip.bare) : undefined
    const measured = await measureFrames(
      this.#judges,
      {
        inputs: framesOf(clip.video, frames),
        outputs,
        frames,
        ...(clip.maskPath ? { masks: framesOf(clip.maskPath, frames) } : {}),
        ...(bare ? { bare: { inputs: framesOf(bare.video, frames), outputs: framesOf(bare.output, frames) } } : {}),
        ...(clip.pose ? { pose: clip.pose } : {}),
        ...(clip.bystander ? { bystander: clip.bystander } : {}),
        ...(clip.each ? { each: clip.each } : {}),
        ...(clip.judged ? { judged: clip.judged } : {}),
        // How far an expression moves is less than how far the judge errs.
        isFine: clip.gates.includes('expression'),
      },
      see,
    )
    return sumUp(measured, this.#sources.get(clip.face) ?? new Float32Array(128), clip.cuts)
  }

  /** What a clip's swap looks like now. @param {string} name */
  outputOf(name) {
    const swapped = this.#swapped.get(name)
    if (!swapped) throw new Error(`${name} was not swapped`)
    return swapped.output
  }
}

/** Whether a swap kept frames, times and audio. @param {string} video @param {string} output */
export function timingKept(video, output) {
  const [was, is] = [timingOf(video), timingOf(output)]
  const late = was.times.map((time, at) =>
    Math.abs(time - (was.times[0] ?? 0) - (is.times[at] ?? 0) + (is.times[0] ?? 0)),
  )
  return {
    frames: was.times.length === is.times.length,
    timestamps: Math.max(...late) < 0.001,
    audio: was.audio === is.audio,
  }
}
