/** @file The result's cover, and the faces found on that frame. */
import type { VideoSample } from 'mediabunny'
import type { AnalysisMethods } from '../face/analysis-methods.ts'
import { regionOfPoints } from '../face/landmarks.ts'
import { writeFile } from '../media/job-files.ts'
import type { VideoFacts } from '../media/media-input.ts'
import { cutSquare, draw, lookAt, toJpeg } from '../media/picture.ts'
import type { Caller } from '../rpc.ts'

/** From this share of the video on, any face that looks ahead will do; before, only the first one, to have something. */
const goodFrom = 0.2

/** Takes the first swapped frame, and once more a better one. */
export class CoverTaker {
  readonly #folder: string
  readonly #facts: VideoFacts
  readonly #analyst: Caller<AnalysisMethods>
  #have: 'none' | 'some' | 'good' = 'none'
  /** How many `face-N.jpg` were written. */
  faces = 0

  constructor(folder: string, facts: VideoFacts, analyst: Caller<AnalysisMethods>) {
    this.#folder = folder
    this.#facts = facts
    this.#analyst = analyst
  }

  wants(index: number, yaw: number, opacity: number): boolean {
    if (opacity < 0.5) return false
    return this.#have === 'none' || (this.#have === 'some' && this.#isGood(index, yaw))
  }

  #isGood(index: number, yaw: number): boolean {
    return Math.abs(yaw) < 25 && index >= this.#facts.frames * goodFrom
  }

  draw(sample: VideoSample): OffscreenCanvas {
    const { width, height } = this.#facts
    return draw(width, height, (context) => {
      sample.draw(context, 0, 0, width, height)
    })
  }

  async take(index: number, before: OffscreenCanvas, after: OffscreenCanvas): Promise<void> {
    this.#have = index >= this.#facts.frames * goodFrom ? 'good' : 'some'
    await writeFile(this.#folder, 'cover.jpg', await toJpeg(after, 0.9))
    const size = { width: before.width, height: before.height }
    const look = lookAt(before, { x: 0, y: 0, ...size }, 1600)
    const faces = await this.#analyst.call('faces', [look, size, 2, 10])
    for (const [number, { points }] of faces.entries()) {
      await writeFile(this.#folder, `face-${number}.jpg`, await toJpeg(cutSquare(before, regionOfPoints(points), 256)))
    }
    this.faces = Math.max(this.faces, faces.length)
  }
}
