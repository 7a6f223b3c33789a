/**
 * @file Decides on which frames the segmenter has to look for what is in front of the face. It costs as much as several
 * frames' painting, so it is asked at the start of a shot, when the face's pattern of light and dark changed, and now
 * and then.
 */
import { compose, identity, inverse, type Affine } from '../face/affine.ts'
import type { AnalysisMethods } from '../face/analysis-methods.ts'
import { segmentSide } from '../face/analyst.ts'
import { codedPoints } from '../face/coded-points.ts'
import { regionOfPoints, type Points } from '../face/landmarks.ts'
import { regionBounds, regionToUpright } from '../face/region.ts'
import { changedSpots, skinPattern } from '../face/skin-pattern.ts'
import { meshPoints, ringOf } from '../face/topology.ts'
import { cutPatch, type ColorModel, type Planes } from '../media/planes.ts'
import type { Caller } from '../rpc.ts'
import { smoothstep } from '../track/track.ts'
import { anchorsOf, type FrontMap } from './front-map.ts'

/** The segmenter sees more of a face that fills its picture, as a share of the landmark model's square. */
const closeUp = 0.85
/** Looked at again at the latest after so many frames: with nothing, and with something in front. */
const restFrames = { clear: 50, covered: 12 }
/** And as soon as so many spots changed. */
const restSpots = { clear: 7, covered: 3 }
/** A face that is covered by more than this, and was found all the same, is one that the segmenter does not understand. */
const mostCovered = 0.6

/** What is known between two frames; plain data, see `TrackerState`. */
export interface FrontState {
  map: FrontMap
  pattern: Float32Array
  covered: boolean
}

export interface FrontSetup {
  analyst: Caller<AnalysisMethods>
  view: Affine
  color: ColorModel
}

export class FrontWatch {
  readonly #setup: FrontSetup
  #last: FrontState | null = null

  constructor(setup: FrontSetup) {
    this.#setup = setup
  }

  get state(): FrontState | null {
    return this.#last
  }

  restore(state: FrontState | null): void {
    this.#last = state
  }

  /** What is in front of the face on this frame; null when what was known before still holds. */
  async look(frame: Planes, points: Points, index: number, shot: number): Promise<FrontMap | null> {
    const coded = codedPoints(points, this.#setup.view)
    const pattern = skinPattern(frame, coded)
    if (!this.#due(pattern, index, shot)) return null
    const map: FrontMap = { index, shot, anchors: anchorsOf(coded), toMap: identity, share: null }
    const seen = await this.#segment(frame, points)
    let covered = 0
    if (seen) {
      map.toMap = seen.toMap
      covered = coveredPoints(seen.share, seen.toMap, coded)
      // A hair's breadth at the outline is the mask's own business.
      if (covered > 0 && covered < inner.length * mostCovered) map.share = seen.share
    }
    this.#last = { map, pattern, covered: map.share !== null }
    return map
  }

  #due(pattern: Float32Array, index: number, shot: number): boolean {
    const last = this.#last
    if (last?.map.shot !== shot) return true
    const rest = last.covered ? 'covered' : 'clear'
    return index - last.map.index >= restFrames[rest] || changedSpots(last.pattern, pattern).changed >= restSpots[rest]
  }

  async #segment(frame: Planes, points: Points): Promise<{ share: Uint8Array; toMap: Affine } | null> {
    const { analyst, view, color } = this.#setup
    const whole = regionOfPoints(points)
    const region = { ...whole, size: whole.size * closeUp }
    const patch = cutPatch(frame, color, regionBounds(region, view, 1.02))
    if (!patch) return null
    const face = await analyst.call('segment', [{ patch, view }, region], [patch.y.buffer as ArrayBuffer])
    const square = compose(view, regionToUpright(region))
    const scale: Affine = { a: segmentSide, b: 0, c: 0, d: 0, e: segmentSide, f: 0 }
    return { share: face.map((sure) => shareOf[sure] ?? 0), toMap: compose(scale, inverse(square)) }
  }
}

/** From how sure the segmenter is of a face, to how much something covers it. */
const shareOf = Uint8Array.from({ length: 256 }, (_, sure) => Math.round(255 * smoothstep(0.25, 0.65, 1 - sure / 255)))

const inner = Array.from({ length: meshPoints }, (_, point) => point).filter((point) => (ringOf[point] ?? 0) > 0)

/** Points off the outline that are covered for the most part. */
function coveredPoints(share: Uint8Array, { a, b, c, d, e, f }: Affine, points: Float32Array): number {
  return inner.filter((point) => {
    const [x, y] = [points[point * 2] ?? 0, points[point * 2 + 1] ?? 0]
    const [column, row] = [Math.floor(a * x + b * y + c), Math.floor(d * x + e * y + f)]
    if (column < 0 || row < 0 || column >= segmentSide || row >= segmentSide) return false
    return (share[row * segmentSide + column] ?? 0) > 127
  }).length
}
