/** @file Renders and counts frames whose track is final, and sometimes shows one as a preview. */
import type { QualityRun } from '@shared/engine/engine.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { codedPoints } from '../../face/coded-points.ts'
import { regionOfPoints, yawOf } from '../../face/landmarks.ts'
import type { VideoFacts } from '../../media/demux/media-input.ts'
import { planesOver, type ColorModel, type Planes } from '../../media/pixels/planes.ts'
import { stillOf } from '../../media/pixels/still.ts'
import { projectOcclusions } from '../../occlusion/occlusion-map.ts'
import type { DrawnFace } from '../../render/open-source.ts'
import type { FaceToRender } from '../../render/render-methods.ts'
import type { FaceTrack } from '../../track/face-track.ts'
import type { PersonPath } from '../../track/person-path.ts'
import { smoothed } from '../../track/smoothing.ts'
import { fadeAt, fadeReach, opacityAtYaw } from '../../track/track.ts'
import { coveredShare, straysOf, type WeakFigures } from '../../track/weak-figures.ts'
import { copyPlanes, type CoverTaker } from './cover.ts'
import type { FrameWindow, WindowFrame } from '../../track/frame-window.ts'
import { RenderWorkers } from './render-workers.ts'
import { previewWidth, type Preview, type Still } from './preview.ts'
import type { QualityRuns } from './quality-runs.ts'
import type { WeakParts } from '../segments/weak-parts.ts'

/** Minimum opacity, 0…1, to render a swap and to count the frame as swapped. Less is invisible. */
const minRendered = 0.004
const minCounted = 0.02

export interface FrameRendererParts {
  facts: VideoFacts
  color: ColorModel
  /** Gives what to draw over each track to a render worker. */
  faces: () => DrawnFace[]
  options: SwapOptions
  preview: Preview | null
  cover: CoverTaker
  quality: QualityRuns
  weak: WeakParts
  /** Of each track; null: the largest face is followed. */
  paths: readonly (PersonPath | null)[]
  /** Time of a frame in the result, in milliseconds from the first one. */
  resultMs: (frame: WindowFrame) => number
}

/** A face on a frame. */
interface SeenFace {
  toRender: FaceToRender
  /** Degrees. */
  yaw: number
  /** Of its region, in pixels. */
  size: number
  /** Opacity, 0…1, without the yaw's. */
  fade: number
  /** See `WeakFigures`. */
  strays: number
}

/** A rendered frame with the data for `count`. */
export interface Rendered {
  frame: WindowFrame
  kind: QualityRun['kind']
  /** Of the least faded face: degrees, and 0…1. */
  yaw: number
  opacity: number
  /** Of each face; empty for a frame that isn't swapped. */
  figures: WeakFigures[]
  /** Copy of the original pixels if the frame may become the cover. */
  before: Planes | null
}

export class FrameRenderer {
  readonly #parts: FrameRendererParts
  readonly #renderWorkers: RenderWorkers
  readonly #stages = { smooth: 0, preview: 0 }

  constructor(parts: FrameRendererParts) {
    this.#parts = parts
    const { faces, color, options } = parts
    this.#renderWorkers = new RenderWorkers(faces, { color, options })
  }

  /** Milliseconds spent, by stage. */
  get stages(): Record<string, number> {
    return { ...this.#stages, ...this.#renderWorkers.stages }
  }

  /** Renders in place. The frame's buffer is transferred to a worker and unusable until this resolves. */
  async render(frames: FrameWindow, frame: WindowFrame): Promise<Rendered> {
    const { preview, cover } = this.#parts
    const { index, planes } = frame
    const began = performance.now()
    const tracked = frames.tracks.map((track, face) => this.#seen(track, face, index))
    const seen = tracked.filter((one) => one !== null)
    const figures = frame.part === null ? [] : tracked.map((one, face) => this.#figures(one, face, frame.timestamp))
    const clearest = seen.reduce<SeenFace | null>(
      (best, one) => (best && best.toRender.opacity >= one.toRender.opacity ? best : one),
      null,
    )
    const yaw = clearest?.yaw ?? 0
    const opacity = clearest?.toRender.opacity ?? 0
    const followed = performance.now()
    const after = preview?.due ? Promise.withResolvers<OffscreenCanvas>() : null
    if (after) {
      const still = stillOfBoth(index, this.#still(planes), after.promise)
      preview?.show(still, 2 * (performance.now() - followed))
    }
    const before = clearest && cover.wants(index, yaw, opacity) ? copyPlanes(planes) : null
    this.#stages.smooth += followed - began
    this.#stages.preview += performance.now() - followed
    const faces = seen
      .filter(({ toRender }) => toRender.opacity > minRendered)
      // Smaller faces are usually further away.
      .sort((a, b) => a.size - b.size)
      .map(({ toRender }) => toRender)
    if (faces.length > 0) {
      const { buffer } = frame
      const { width, height } = planes
      frame.buffer = await this.#renderWorkers.render({ buffer, width, height, faces })
      frame.planes = planesOver(frame.buffer, width, height)
    }
    const rendered = performance.now()
    after?.resolve(this.#still(frame.planes))
    this.#stages.preview += performance.now() - rendered
    const seenAs = clearest === null ? 'none' : opacity > minCounted ? 'swapped' : 'turned'
    const kind = frame.part === null ? 'outside' : seenAs
    return { frame, kind: frame.damaged ? 'damaged' : kind, yaw, opacity, figures, before }
  }

  #seen(track: FaceTrack, face: number, index: number): SeenFace | null {
    const points = smoothed(track.trackAt, index)
    const found = track.trackAt(index)
    if (!points || !found?.points) return null
    const yaw = yawOf(points)
    const fade = fadeAt(track.trackAt, index)
    const landmarks = codedPoints(points, this.#parts.facts.view)
    const at = { index, shot: found.shot, reach: fadeReach }
    const occlusions = projectOcclusions(track.occlusionsAround(index, fadeReach), at, landmarks)
    const { size } = regionOfPoints(points)
    const toRender = { face, landmarks, opacity: opacityAtYaw(yaw) * fade, occlusions }
    return { toRender, yaw, size, fade, strays: straysOf(found.points, points) / size }
  }

  #figures(seen: SeenFace | null, face: number, timestamp: number): WeakFigures {
    const path = this.#parts.paths[face]
    return {
      yaw: seen?.yaw ?? null,
      isFading: seen !== null && seen.fade < 1,
      isThere: path?.isThere(timestamp) ?? false,
      covered: seen ? coveredShare(seen.toRender.landmarks, seen.toRender.occlusions) : 0,
      strays: seen?.strays ?? 0,
      apart: path?.apart(timestamp) ?? Infinity,
    }
  }

  /** Call in frame order. */
  count({ frame, kind, yaw, opacity, figures, before }: Rendered): void {
    const { cover, quality, weak, resultMs } = this.#parts
    quality.add(kind)
    weak.add({ index: frame.index, ms: resultMs(frame) }, frame.cut, figures)
    // Another frame in flight may have become the cover in the meantime.
    if (before && cover.wants(frame.index, yaw, opacity)) cover.keep(frame.index, yaw, before, copyPlanes(frame.planes))
  }

  close(): void {
    this.#renderWorkers.close()
  }

  #still(planes: Planes): OffscreenCanvas {
    return stillOf(planes, this.#parts.color, this.#parts.facts, previewWidth)
  }
}

async function stillOfBoth(index: number, before: OffscreenCanvas, after: Promise<OffscreenCanvas>): Promise<Still> {
  return { index, before, after: await after }
}
