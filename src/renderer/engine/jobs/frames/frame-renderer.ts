/**
 * @file Renders frames whose track is final, in parallel in render workers, and finishes them in order: counts them, and
 * sometimes shows one as a preview.
 */
import type { QualityRun } from '@shared/engine/engine.ts'
import type { FaceToRender } from '../../render/face-renderer.ts'
import { codedPoints, regionOfPoints, yawOf } from '../../face/landmarks.ts'
import type { VideoFacts } from '../../media/demux/media-input.ts'
import { planesOver, type Planes } from '../../media/pixels/planes.ts'
import { stillOf } from '../../media/pixels/picture.ts'
import { coveredBy, projectOcclusions } from '../../occlusion/occlusion-map.ts'
import { type FaceTrack, fadeAt, fadeReach, opacityAtYaw } from '../../track/track.ts'
import type { PersonPath } from '../../track/person-path.ts'
import { smoothed, smoothReach } from '../../track/smoothing.ts'
import { straysOf, type WeakFigures, type QualityRuns, type WeakParts } from './frame-quality.ts'
import { copyPlanes, type CoverTaker, previewWidth, type Preview, type Still } from './stills.ts'
import type { RenderWorkers } from './render-workers.ts'
import type { FrameWindow, WindowFrame } from '../../track/frame-window.ts'
import { framesToSettle, pixelsBefore } from '../../track/follow.ts'

/** Minimum opacity, 0…1, to render a swap and to count the frame as swapped. Less is invisible. */
const minRendered = 0.004
const minCounted = 0.02

interface FrameRendererParts {
  facts: VideoFacts
  workers: RenderWorkers
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
  readonly #stages = { smooth: 0, preview: 0 }

  constructor(private readonly parts: FrameRendererParts) {}

  /** Milliseconds spent, by stage. */
  get stages(): Record<string, number> {
    return { ...this.#stages, ...this.parts.workers.stages }
  }

  /** Renders in place. The frame's buffer is transferred to a worker and unusable until this resolves. */
  async render(frames: FrameWindow, frame: WindowFrame): Promise<Rendered> {
    const { preview, cover } = this.parts
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
      frame.buffer = await this.parts.workers.render({ buffer, width, height, faces })
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
    const landmarks = codedPoints(points, this.parts.facts.view)
    const at = { index, shot: found.shot, reach: fadeReach }
    const occlusions = projectOcclusions(track.occlusionsAround(index, fadeReach), at, landmarks)
    const { size } = regionOfPoints(points)
    const toRender = { face, landmarks, opacity: opacityAtYaw(yaw) * fade, occlusions }
    return { toRender, yaw, size, fade, strays: straysOf(found.points, points) / size }
  }

  #figures(seen: SeenFace | null, face: number, timestamp: number): WeakFigures {
    const path = this.parts.paths[face]
    return {
      yaw: seen?.yaw ?? null,
      isFading: seen !== null && seen.fade < 1,
      isThere: path?.isThere(timestamp) ?? false,
      covered: coveredBy(seen?.toRender.occlusions ?? []),
      strays: seen?.strays ?? 0,
      apart: path?.apart(timestamp) ?? Infinity,
    }
  }

  /** Call in frame order. */
  count({ frame, kind, yaw, opacity, figures, before }: Rendered): void {
    const { cover, quality, weak, resultMs } = this.parts
    quality.add(kind)
    weak.add({ index: frame.index, ms: resultMs(frame) }, frame.cut, figures)
    // Another frame in flight may have become the cover in the meantime.
    if (before && cover.wants(frame.index, yaw, opacity)) cover.keep(frame.index, yaw, before, copyPlanes(frame.planes))
  }

  #still(planes: Planes): OffscreenCanvas {
    const { facts } = this.parts
    return stillOf(planes, facts.color, facts, previewWidth)
  }
}

async function stillOfBoth(index: number, before: OffscreenCanvas, after: Promise<OffscreenCanvas>): Promise<Still> {
  return { index, before, after: await after }
}

/** Tracks kept behind the last finished frame; smoothing still reads them. */
const tracksKept = smoothReach + 4

/**
 * Minimum window size that avoids a deadlock: lead-in of a resumed run + frames in render workers + look-ahead of
 * smoothing and tracking.
 */
export const minFrames = (atOnce: number): number => pixelsBefore + (atOnce - 1) + smoothReach + framesToSettle

interface Rendering<P> {
  frames: FrameWindow
  /** Index of the first frame to render. */
  start: number
  /** Maximum number of frames rendered at the same time. */
  atOnce: number
  render: (frame: WindowFrame) => Promise<P>
  /** Called for one frame at a time, in order. Its pixels are released afterwards. */
  finish: (rendered: P) => Promise<void>
}

/** Runs until the window's last frame is finished. */
export async function renderInOrder<P extends { frame: WindowFrame }>(rendering: Rendering<P>): Promise<void> {
  const { frames, start, atOnce } = rendering
  const underWay: Promise<P>[] = []
  const finishFirst = async (): Promise<void> => {
    const rendered = await underWay.shift()
    if (!rendered) return
    await rendering.finish(rendered)
    const { index } = rendered.frame
    if (index - start < pixelsBefore) frames.release(index - pixelsBefore, tracksKept)
    frames.release(index, tracksKept)
  }
  for (let index = start; await frames.ready(index, smoothReach); index += 1) {
    const frame = frames.frame(index)
    if (!frame) throw new Error('a frame went missing')
    const rendered = rendering.render(frame)
    // Awaited in its turn. Until then, avoid an unhandled rejection.
    rendered.catch(() => undefined)
    underWay.push(rendered)
    if (underWay.length >= atOnce) await finishFirst()
  }
  while (underWay.length > 0) await finishFirst()
}
