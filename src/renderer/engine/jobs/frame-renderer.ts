/** @file Renders and counts frames whose track is final, and sometimes shows one as a preview. */
import type { QualityRun } from '@shared/engine.ts'
import type { SwapOptions } from '@shared/swap-options.ts'
import { codedPoints } from '../face/coded-points.ts'
import { regionOfPoints, yawOf, type Points } from '../face/landmarks.ts'
import type { VideoFacts } from '../media/demux/media-input.ts'
import { planesOver, type ColorModel, type Planes } from '../media/pixels/planes.ts'
import { stillOf } from '../media/pixels/still.ts'
import { projectOcclusions } from '../occlusion/occlusion-map.ts'
import type { DrawnFace } from '../render/open-source.ts'
import type { FaceToRender } from '../render/render-methods.ts'
import type { FaceTrack } from '../track/face-track.ts'
import { smoothed } from '../track/smoothing.ts'
import { fadeReach, opacityAt } from '../track/track.ts'
import { copyPlanes, type CoverTaker } from './cover.ts'
import type { FrameWindow, WindowFrame } from '../track/frame-window.ts'
import { RenderWorkers } from './render-workers.ts'
import { previewWidth, type Preview, type Still } from './preview.ts'
import type { QualityRuns } from './quality-runs.ts'

/** Minimum opacity, 0…1, to render a swap and to count the frame as swapped. Less is invisible. */
const minRendered = 0.004
const minCounted = 0.02

export interface FrameRendererParts {
  facts: VideoFacts
  color: ColorModel
  /** Gives what to draw over each track to a render worker. */
  faces: () => DrawnFace[]
  options: SwapOptions
  preview: Preview
  cover: CoverTaker
  quality: QualityRuns
}

/** A face on a frame. */
interface SeenFace {
  track: FaceTrack
  /** Index of the track. */
  face: number
  points: Points
  /** 0…1 */
  opacity: number
  /** Degrees. */
  yaw: number
  /** Of its region, in pixels. */
  size: number
}

/** A rendered frame with the data for `count`. */
export interface Rendered {
  frame: WindowFrame
  kind: QualityRun['kind']
  /** Of the least faded face: degrees, and 0…1. */
  yaw: number
  opacity: number
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
    const seen = frames.tracks.flatMap((track, face) => this.#seen(track, face, index))
    const clearest = seen.reduce<SeenFace | null>(
      (best, one) => (best && best.opacity >= one.opacity ? best : one),
      null,
    )
    const { yaw, opacity } = clearest ?? { yaw: 0, opacity: 0 }
    const followed = performance.now()
    const after = preview.due ? Promise.withResolvers<OffscreenCanvas>() : null
    if (after) {
      const still = stillOfBoth(index, this.#still(planes), after.promise)
      preview.show(still, 2 * (performance.now() - followed))
    }
    const before = clearest && cover.wants(index, yaw, opacity) ? copyPlanes(planes) : null
    this.#stages.smooth += followed - began
    this.#stages.preview += performance.now() - followed
    const faces = seen
      .filter((one) => one.opacity > minRendered)
      // Smaller faces are usually further away.
      .sort((a, b) => a.size - b.size)
      .map((one) => this.#toRender(one, index))
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
    return { frame, kind: frame.damaged ? 'damaged' : kind, yaw, opacity, before }
  }

  #seen(track: FaceTrack, face: number, index: number): SeenFace[] {
    const points = smoothed(track.trackAt, index)
    if (!points) return []
    const opacity = opacityAt(track.trackAt, index, points)
    return [{ track, face, points, opacity, yaw: yawOf(points), size: regionOfPoints(points).size }]
  }

  #toRender({ track, face, points, opacity }: SeenFace, index: number): FaceToRender {
    const landmarks = codedPoints(points, this.#parts.facts.view)
    const at = { index, shot: track.trackAt(index)?.shot ?? 0, reach: fadeReach }
    const occlusions = projectOcclusions(track.occlusionsAround(index, fadeReach), at, landmarks)
    return { face, landmarks, opacity, occlusions }
  }

  /** Call in frame order. */
  count({ frame, kind, yaw, opacity, before }: Rendered): void {
    const { cover, quality } = this.#parts
    quality.add(kind)
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
