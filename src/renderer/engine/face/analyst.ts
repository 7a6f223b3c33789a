/** @file Face detection, landmarks and segmentation. Owns the compiled models; runs in the analysis worker. */
import {
  type Detection,
  decodeDetections,
  detectorSide,
  mergeDetections,
  regionOfDetection,
  searchSquares,
} from './detection.ts'
import { type Region, hasDrifted, regionToUpright, segmentSide } from './region.ts'
import { widen } from '../litert/half-floats.ts'
import { readTaskBundle } from '../litert/task-bundle.ts'
import { NativeModel } from '../litert/native-model.ts'
import { loadRuntime, Model } from '../litert/runtime.ts'
import type { Patch } from '../media/pixels/planes.ts'
import { compose, type Affine } from '../common/affine.ts'
import { fetchBytes } from '../common/fetch-bytes.ts'
import { landmarkSide, pointsFromModel, regionOfPoints, type Points } from './landmarks.ts'
import { sampleRegion, sampleSquare } from './sampling.ts'

export interface PictureSize {
  width: number
  height: number
}

/** RPC methods of an analysis worker. A type, because an interface isn't assignable to a record of methods. */
export type AnalysisMethods = {
  detect: (
    input: AnalysisInput,
    size: PictureSize,
    levels: 1 | 2 | 3,
    onlyLarge?: boolean,
    step?: number,
  ) => Promise<Detection[]>
  landmarks: (input: AnalysisInput, region: Region, detected?: boolean) => Promise<FoundFace | null>
  faces: (
    input: AnalysisInput,
    size: PictureSize,
    levels: 1 | 2 | 3,
    max: number,
    onlyLarge?: boolean,
  ) => Promise<FoundFace[]>
  segment: (input: AnalysisInput, region: Region, as?: readonly SegmentClass[]) => Promise<Segments>
}

/** Input of an analysis: pixels, and the map from upright pixels to the coded pixels of the patch. */
export interface AnalysisInput {
  patch: Patch
  view: Affine
}

/** The segmenter's confidence in what a region's pixels show, `segmentSide`² values each, 0…255. */
export interface Segments {
  /** Face that nothing covers. */
  face: Uint8Array
  /** Things that aren't clothes, for example glasses. */
  things: Uint8Array
}

export interface FoundFace {
  points: Points
  /** The model's confidence that this is a face, 0…1. */
  presence: number
}

const segmenterFile = 'selfie_multiclass_128x128.f16'
/** Classes of the segmenter, in the order of its channels. */
const segmentClasses = ['background', 'hair', 'body', 'face', 'clothes', 'other'] as const
export type SegmentClass = (typeof segmentClasses)[number]

/** The landmark model's outputs that are used: points, and whether this is a face. */
const landmarkOutputs = 2

const minPresence = 0.5
/** Pixels of a face's region, as `regionOfPoints` makes it. In a smaller face, of 12 pixels, an eye has two. */
const minRegion = 18

type Runs = Pick<Model, 'run'>

/** The models. The segmenter is large, so it is loaded on first use. */
export interface Models {
  detector: Runs
  landmarker: Runs
  loadSegmenter: () => Promise<Runs>
}

export class Analyst {
  readonly #models: Models
  #segmenter: Promise<Runs> | null = null

  constructor(models: Models) {
    this.#models = models
  }

  /**
   * Loads the runtime and all models but the segmenter; takes about half a second.
   * @param onNative called when landmarks are found natively from now on
   */
  static async load(modelsUrl: string, onNative: () => void): Promise<Analyst> {
    const [bundle] = await Promise.all([fetchBytes(`${modelsUrl}/face_landmarker.task`), loadRuntime()])
    const files = readTaskBundle(bundle)
    const detector = files.get('face_detector.tflite')
    const landmarker = files.get('face_landmarks_detector.tflite')
    if (!detector || !landmarker) throw new Error('the bundle lacks a model')
    return new Analyst({
      detector: await Model.compile(detector, detectorSide),
      // By far the most frequent. The segmenter's outputs differ in their last bits, and the detector rarely runs.
      landmarker: new NativeModel(
        await Model.compile(landmarker, landmarkSide),
        () => Model.compileNative(landmarker, landmarkSide),
        landmarkOutputs,
        onNative,
      ),
      loadSegmenter: async () => Model.compile(widen(await fetchBytes(`${modelsUrl}/${segmenterFile}`)), segmentSide),
    })
  }

  /**
   * Loads the segmenter and runs each model once, because the first run takes several times as long as the others.
   * @param isAsked true when somebody waits for an analysis, which then is the first run
   */
  async warm(isAsked: () => boolean): Promise<void> {
    const { detector, landmarker } = this.#models
    for (const model of [() => detector, () => landmarker, () => this.#loadedSegmenter()]) {
      if (isAsked()) return
      await (await model()).run((to) => void to.fill(0))
    }
  }

  /**
   * Detects faces in a whole picture, best first.
   * @param size of the picture in upright pixels
   * @param levels number of scales to search; each further one finds faces about half as large and costs more
   * @param onlyLarge true to skip the finest scale if a face was found; most of the squares are of that scale
   * @param step see `searchSquares`
   */
  async detect(
    input: AnalysisInput,
    size: { width: number; height: number },
    levels: 1 | 2 | 3,
    onlyLarge = false,
    step?: number,
  ): Promise<Detection[]> {
    const found: Detection[] = []
    const finest = Math.min(size.width, size.height) / 2
    let isEnough = false
    for (const square of searchSquares(size.width, size.height, levels, step)) {
      if (isEnough && square.size <= finest) break
      const map = compose(
        input.view,
        regionToUpright({ x: square.x + square.size / 2, y: square.y + square.size / 2, size: square.size, angle: 0 }),
      )
      const [boxes, scores] = await this.#models.detector.run((to) => {
        sampleSquare(input.patch, map, detectorSide, [-1, 1], 'black', to)
      })
      if (boxes && scores) found.push(...decodeDetections(boxes, scores, square))
      isEnough = onlyLarge && found.length > 0 && square.size > finest
    }
    return mergeDetections(found)
  }

  /**
   * Finds landmarks in a region; null without a face. If the region was inaccurate, it is corrected and analysed again.
   * @param detected true if the region comes from the detector, which mistakes upside-down faces for upright ones
   */
  async landmarks(input: AnalysisInput, region: Region, detected = false): Promise<FoundFace | null> {
    const upright = await this.#landmarksAt(input, region)
    if (!detected || (upright && upright.presence > 0.99)) return upright
    const turned = await this.#landmarksAt(input, { ...region, angle: region.angle + Math.PI })
    return (turned?.presence ?? 0) > (upright?.presence ?? 0) ? turned : upright
  }

  async #landmarksAt(input: AnalysisInput, region: Region): Promise<FoundFace | null> {
    let at = region
    let found: FoundFace | null = null
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const map = compose(input.view, regionToUpright(at))
      const [raw, logit] = await this.#models.landmarker.run((to) => {
        sampleSquare(input.patch, map, landmarkSide, [0, 1], 'edge', to)
      })
      const presence = 1 / (1 + Math.exp(-(logit?.[0] ?? -100)))
      if (!raw || presence < minPresence) return found
      const points = pointsFromModel(raw, at)
      const next = regionOfPoints(points)
      if (next.size < minRegion) return found
      found = { points, presence }
      if (!hasDrifted(at, next)) return found
      at = next
    }
    return found
  }

  /**
   * Faces of a whole picture with their landmarks, largest first, at most `max`.
   * @param onlyLarge as of `detect`; a detection without landmarks isn't enough
   */
  async faces(
    input: AnalysisInput,
    size: { width: number; height: number },
    levels: 1 | 2 | 3,
    max: number,
    onlyLarge = false,
  ): Promise<FoundFace[]> {
    const faces: { face: FoundFace; region: Region }[] = []
    const detections = await this.detect(input, size, levels, onlyLarge)
    for (const detection of detections.slice(0, max * 2)) {
      const face = await this.landmarks(input, regionOfDetection(detection), true)
      if (!face) continue
      const region = regionOfPoints(face.points)
      // Two detections may lead to the same face.
      const known = faces.some(
        (other) => Math.hypot(other.region.x - region.x, other.region.y - region.y) < region.size / 4,
      )
      if (!known) faces.push({ face, region })
    }
    if (onlyLarge && faces.length === 0 && detections.length > 0) return this.faces(input, size, levels, max)
    return faces
      .sort((a, b) => b.region.size - a.region.size)
      .slice(0, max)
      .map(({ face }) => face)
  }

  /**
   * Says what covers a face.
   * @param as further classes that count as face, such as hair that shall not stay in front
   */
  async segment(input: AnalysisInput, region: Region, as: readonly SegmentClass[] = []): Promise<Segments> {
    const segmenter = await this.#loadedSegmenter()
    const [scores] = await segmenter.run((to) => {
      sampleRegion(input, region, segmentSide, [0, 1], to)
    })
    const shares = Float64Array.from(scores ?? [], (score) => Math.exp(score))
    const count = segmentClasses.length
    const sumOf = (pixel: number, classes: readonly number[]): number => {
      let sum = 0
      for (const index of classes) sum += shares[pixel * count + index] ?? 0
      return sum
    }
    const all = segmentClasses.map((_, index) => index)
    const sure = (...classes: SegmentClass[]): Uint8Array => {
      const own = classes.map((name) => segmentClasses.indexOf(name))
      return Uint8Array.from({ length: segmentSide * segmentSide }, (_, pixel) =>
        Math.round((255 * sumOf(pixel, own)) / sumOf(pixel, all)),
      )
    }
    return { face: sure('face', ...as), things: sure('other') }
  }

  #loadedSegmenter(): Promise<Runs> {
    this.#segmenter ??= this.#models.loadSegmenter()
    return this.#segmenter
  }
}
