/**
 * @file Decides on which frames to run the segmenter to find what occludes the face. A run costs as much as rendering
 * several frames. It runs at the start of a shot, when the face's luma pattern changed, and at regular intervals.
 */
import { compose, identity, inverse, type Affine } from '../common/affine.ts'
import type { AnalysisMethods, SegmentClass } from '../face/analyst.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { aroundEyes, glassesOn } from '../face/glasses.ts'
import { codedPoints, regionOfPoints, type Points } from '../face/landmarks.ts'
import { regionBounds, regionToUpright, segmentSide } from '../face/region.ts'
import { changedSpots, skinPattern } from '../face/skin-pattern.ts'
import { meshPoints, ringOf } from '../face/topology.ts'
import { buffersOf, cutPatch, type ColorModel, type Planes } from '../media/pixels/planes.ts'
import type { Caller } from '../common/rpc.ts'
import { smoothstep } from '../common/smoothstep.ts'
import { anchorsOf, centralRing, coveredShare, type OcclusionMap } from './occlusion-map.ts'
import { shareOfGlasses } from './glasses-cover.ts'
import { otherFaces } from './other-faces.ts'
import { restoreSkin } from './restore-skin.ts'

/** Side of the segmenter's crop as a share of the landmark model's. A larger face gives more detail. */
const closeUp = 0.85
/** Maximum frames between two runs: with a moving occlusion, a still one, none, and none again in a second run. */
const restFrames = { moving: 8, covered: 24, clear: 100, confirmed: 200 }
/**
 * Changed spots that trigger a run: [initial, maximum]. Speech changes spots too, so the threshold doubles after each
 * run with the same kind of result.
 */
const restSpots = { moving: [3, 3], covered: [5, 10], clear: [7, 28] } as const
/** Share of landmarks that must change between covered and clear for an occlusion to count as moving. */
const moved = 0.015
/** The same for one that moves fast. */
const fast = 0.05
/** Share of covered landmarks above which the segmenter isn't trusted, because the landmark model found the face. */
const maxCovered = 0.6

/** State between two frames; plain data, like `TrackerState`. */
export interface OcclusionState {
  map: OcclusionMap
  pattern: Float32Array
  /** 1 for each inner landmark that is covered. */
  covered: Uint8Array
  rest: keyof typeof restSpots
  /** Number of changed spots that triggers the next run. */
  spots: number
}

export interface OcclusionSetup {
  analyst: Caller<AnalysisMethods>
  /** Maps upright to coded pixels. */
  view: Affine
  color: ColorModel
  /** What stays in front of the face. */
  keep: SwapOptions['keep']
}

export class OcclusionTracker {
  readonly #setup: OcclusionSetup
  #last: OcclusionState | null = null
  #movesFast = false
  /** Number of segmenter runs. */
  asked = 0

  constructor(setup: OcclusionSetup) {
    this.#setup = setup
  }

  get state(): OcclusionState | null {
    return this.#last
  }

  restore(state: OcclusionState | null): void {
    this.#last = state
  }

  /** The face's occlusion on this frame; null if the last map is still valid. */
  async update(frame: Planes, points: Points, index: number, shot: number): Promise<OcclusionMap | null> {
    this.#movesFast = false
    const pattern = skinPattern(frame, codedPoints(points, this.#setup.view))
    if (!this.#due(pattern, index, shot)) return null
    const { map, covered } = await this.#mapOf(frame, points, index, shot)
    const { changed, ...rest } = this.#restAfter(covered, shot)
    this.#movesFast = changed >= inner.length * fast
    this.#last = { map, pattern, covered, ...rest }
    return map
  }

  /**
   * True if the last call of `update` saw something that moves fast. Frames before it then need maps of their own: a
   * cross-fade of two maps would show it twice.
   */
  get movesFast(): boolean {
    return this.#movesFast
  }

  /** The face's occlusion on a frame before that of the last map. The state doesn't change. */
  async mapBefore(frame: Planes, points: Points, index: number, shot: number): Promise<OcclusionMap> {
    return (await this.#mapOf(frame, points, index, shot)).map
  }

  async #mapOf(
    frame: Planes,
    points: Points,
    index: number,
    shot: number,
  ): Promise<{ map: OcclusionMap; covered: Uint8Array }> {
    const coded = codedPoints(points, this.#setup.view)
    const map: OcclusionMap = {
      ...{ index, shot, anchors: anchorsOf(coded), toMap: identity },
      ...{ share: null, covered: 0, hasGlasses: false },
    }
    const seen = await this.#segment(frame, points)
    if (!seen) return { map, covered: new Uint8Array(inner.length) }
    map.toMap = seen.toMap
    const others = otherFaces(seen.share, seen.toMap, coded)
    restoreSkin(seen.share, seen.toMap, frame, coded)
    for (const cell of others) seen.share[cell] = 255
    const covered = coveredPoints(seen.share, seen.toMap, coded)
    const count = sumOf(covered)
    // Ignore occlusion of the outline alone: the mask is soft there.
    if ((count === 0 && !seen.glasses) || count >= inner.length * maxCovered) {
      covered.fill(0)
      return { map, covered }
    }
    map.covered = coveredShare(seen.share, seen.toMap, coded)
    map.share = seen.share
    map.hasGlasses = seen.glasses !== null
    // Last, because glasses may have the skin's colour, and are neither a hindrance nor do they come and go.
    for (const [cell, share] of seen.glasses?.entries() ?? []) map.share[cell] = Math.max(map.share[cell] ?? 0, share)
    return { map, covered }
  }

  #due(pattern: Float32Array, index: number, shot: number): boolean {
    const last = this.#last
    if (last?.map.shot !== shot) return true
    const isConfirmed = last.rest === 'clear' && last.spots > restSpots.clear[0]
    const frames = restFrames[isConfirmed ? 'confirmed' : last.rest]
    return index - last.map.index >= frames || changedSpots(last.pattern, pattern).changed >= last.spots
  }

  /** `changed`: landmarks that were covered or uncovered since the last map of the shot. */
  #restAfter(covered: Uint8Array, shot: number): Pick<OcclusionState, 'rest' | 'spots'> & { changed: number } {
    const last = this.#last?.map.shot === shot ? this.#last : null
    const changed = covered.filter((value, at) => value !== (last?.covered[at] ?? value)).length
    const central = covered.some((value, at) => value === 1 && (ringOf[inner[at] ?? 0] ?? 0) >= centralRing)
    const rest = changed >= inner.length * moved ? 'moving' : central ? 'covered' : 'clear'
    const [min, max] = restSpots[rest]
    return { rest, spots: last?.rest === rest ? Math.min(max, last.spots * 2) : min, changed }
  }

  async #segment(frame: Planes, points: Points): Promise<Segmented | null> {
    const { analyst, view, color, keep } = this.#setup
    const whole = regionOfPoints(points)
    const region = { ...whole, size: whole.size * closeUp }
    const patch = cutPatch(frame, color, regionBounds(region, view, 1.02))
    if (!patch) return null
    this.asked += 1
    const as: SegmentClass[] = keep.includes('hair') ? [] : ['hair']
    const { face, things } = await analyst.call('segment', [{ patch, view }, region, as], buffersOf(patch))
    const square = compose(view, regionToUpright(region))
    const scale: Affine = { a: segmentSide, b: 0, c: 0, d: 0, e: segmentSide, f: 0 }
    const toMap = compose(scale, inverse(square))
    if (keep.includes('glasses')) {
      const glasses = glassesOn(points, region, things)
      return { share: face.map(toShare), toMap, glasses: glasses && shareOfGlasses(points, region, glasses) }
    }
    // Around the eyes, things such as glasses count as face.
    const around = aroundEyes(points, region)
    const bare = face.map((own, cell) => (around[cell] === 1 ? Math.min(255, own + (things[cell] ?? 0)) : own))
    return { share: bare.map(toShare), toMap, glasses: null }
  }
}

interface Segmented {
  /** See `OcclusionMap`. */
  share: Uint8Array
  toMap: Affine
  /** The same of glasses; null: none stay in front. */
  glasses: Uint8Array | null
}

/** Maps the segmenter's confidence in a face, 0…255, to occlusion, 0…255. */
const shareOf = Uint8Array.from({ length: 256 }, (_, sure) => Math.round(255 * smoothstep(0.25, 0.65, 1 - sure / 255)))
const toShare = (sure: number): number => shareOf[sure] ?? 0

const sumOf = (values: Uint8Array): number => values.reduce((sum, value) => sum + value, 0)

const inner = Array.from({ length: meshPoints }, (_, point) => point).filter((point) => (ringOf[point] ?? 0) > 0)

/** 1 for each inner landmark that is covered by more than half. */
function coveredPoints(share: Uint8Array, { a, b, c, d, e, f }: Affine, points: Float32Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(inner, (point) => {
    const [x, y] = [points[point * 2] ?? 0, points[point * 2 + 1] ?? 0]
    const [column, row] = [Math.floor(a * x + b * y + c), Math.floor(d * x + e * y + f)]
    if (column < 0 || row < 0 || column >= segmentSide || row >= segmentSide) return 0
    return (share[row * segmentSide + column] ?? 0) > 127 ? 1 : 0
  })
}
