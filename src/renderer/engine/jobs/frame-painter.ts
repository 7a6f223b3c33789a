/** @file One frame whose track is settled: its face is swapped and counted, and now and then the frame is shown. */
import { codedPoints } from '../face/coded-points.ts'
import { yawOf } from '../face/landmarks.ts'
import type { VideoFacts } from '../media/media-input.ts'
import type { ColorModel, Planes } from '../media/planes.ts'
import { stillOf } from '../media/still.ts'
import { placeFronts } from '../occlusion/front-map.ts'
import { FaceRenderer } from '../render/face-renderer.ts'
import { meshSwap } from '../render/mesh-swap.ts'
import type { SourceCut } from '../source/source-face.ts'
import { smoothed } from '../track/smoothing.ts'
import { fadeReach, opacityAt } from '../track/track.ts'
import { copyPlanes, type CoverTaker } from './cover.ts'
import type { FrameWindow, WindowFrame } from './frame-window.ts'
import { previewWidth, type Preview } from './preview.ts'
import type { QualityRuns } from './quality-runs.ts'

/** Less of a swap than this is not seen, and not counted. */
const leastPainted = 0.004
const leastCounted = 0.02

export interface PainterParts {
  facts: VideoFacts
  color: ColorModel
  cut: SourceCut
  preview: Preview
  cover: CoverTaker
  quality: QualityRuns
}

export class FramePainter {
  readonly #parts: PainterParts
  readonly #renderer: FaceRenderer
  readonly #stages = { smooth: 0, preview: 0 }

  constructor(parts: PainterParts) {
    this.#parts = parts
    this.#renderer = new FaceRenderer(meshSwap.prepareSource(parts.cut, parts.color))
  }

  /** Wall milliseconds by stage. */
  get stages(): Record<string, number> {
    return { ...this.#stages, ...this.#renderer.stages }
  }

  /** Paints on the frame's own pixels. */
  paint(frames: FrameWindow, frame: WindowFrame): void {
    const { facts, preview, cover, quality } = this.#parts
    const { index, planes } = frame
    const began = performance.now()
    const points = smoothed(frames.trackAt, index)
    const yaw = points ? yawOf(points) : 0
    const opacity = points ? opacityAt(frames.trackAt, index, points) : 0
    const followed = performance.now()
    const before = preview.due ? this.#look(planes) : null
    const coverBefore = points && cover.wants(index, yaw, opacity) ? copyPlanes(planes) : null
    const looked = performance.now()
    if (points && opacity > leastPainted) {
      const coded = codedPoints(points, facts.view)
      const at = { index, shot: frames.trackAt(index)?.shot ?? 0, reach: fadeReach }
      const fronts = placeFronts(frames.frontsAround(index, fadeReach), at, coded)
      this.#renderer.paint(planes, coded, opacity, fronts)
    }
    const kind = points === null ? 'none' : opacity > leastCounted ? 'swapped' : 'turned'
    quality.add(frame.damaged ? 'damaged' : kind)
    const painted = performance.now()
    if (before) preview.show({ index, before, after: this.#look(planes) })
    if (coverBefore) cover.keep(index, yaw, coverBefore, copyPlanes(planes))
    this.#stages.smooth += followed - began
    this.#stages.preview += looked - followed + performance.now() - painted
  }

  #look(planes: Planes): OffscreenCanvas {
    return stillOf(planes, this.#parts.color, this.#parts.facts, previewWidth)
  }
}
