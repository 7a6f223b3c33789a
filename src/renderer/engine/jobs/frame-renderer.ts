/** @file Renders and counts frames whose track is final, and sometimes shows one as a preview. */
import type { QualityRun } from '@shared/engine.ts'
import type { SwapOptions } from '@shared/swap-options.ts'
import { codedPoints } from '../face/coded-points.ts'
import { yawOf } from '../face/landmarks.ts'
import type { VideoFacts } from '../media/demux/media-input.ts'
import { planesOver, type ColorModel, type Planes } from '../media/pixels/planes.ts'
import { stillOf } from '../media/pixels/still.ts'
import { projectOcclusions } from '../occlusion/occlusion-map.ts'
import type { DrawnFace } from '../render/open-source.ts'
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
  /** Gives what to draw to each render worker. */
  face: () => DrawnFace
  options: SwapOptions
  preview: Preview
  cover: CoverTaker
  quality: QualityRuns
}

/** A rendered frame with the data for `count`. */
export interface Rendered {
  frame: WindowFrame
  kind: QualityRun['kind']
  /** Degrees. */
  yaw: number
  /** 0…1 */
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
    const { face, color, options } = parts
    this.#renderWorkers = new RenderWorkers(face, { color, options })
  }

  /** Milliseconds spent, by stage. */
  get stages(): Record<string, number> {
    return { ...this.#stages, ...this.#renderWorkers.stages }
  }

  /** Renders in place. The frame's buffer is transferred to a worker and unusable until this resolves. */
  async render(frames: FrameWindow, frame: WindowFrame): Promise<Rendered> {
    const { facts, preview, cover } = this.#parts
    const { index, planes } = frame
    const began = performance.now()
    const points = smoothed(frames.trackAt, index)
    const yaw = points ? yawOf(points) : 0
    const opacity = points ? opacityAt(frames.trackAt, index, points) : 0
    const followed = performance.now()
    const after = preview.due ? Promise.withResolvers<OffscreenCanvas>() : null
    if (after) {
      const still = stillOfBoth(index, this.#still(planes), after.promise)
      preview.show(still, 2 * (performance.now() - followed))
    }
    const before = points && cover.wants(index, yaw, opacity) ? copyPlanes(planes) : null
    this.#stages.smooth += followed - began
    this.#stages.preview += performance.now() - followed
    if (points && opacity > minRendered) {
      const coded = codedPoints(points, facts.view)
      const at = { index, shot: frames.trackAt(index)?.shot ?? 0, reach: fadeReach }
      const occlusions = projectOcclusions(frames.occlusionsAround(index, fadeReach), at, coded)
      const { buffer } = frame
      const { width, height } = planes
      frame.buffer = await this.#renderWorkers.render({ buffer, width, height, landmarks: coded, opacity, occlusions })
      frame.planes = planesOver(frame.buffer, width, height)
    }
    const rendered = performance.now()
    after?.resolve(this.#still(frame.planes))
    this.#stages.preview += performance.now() - rendered
    const kind = points === null ? 'none' : opacity > minCounted ? 'swapped' : 'turned'
    return { frame, kind: frame.damaged ? 'damaged' : kind, yaw, opacity, before }
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
