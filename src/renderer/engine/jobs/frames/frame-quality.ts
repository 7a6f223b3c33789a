/**
 * @file What became of each frame, in runs; and where the swap of a face is weak: what is measured on a frame, and frames
 * grouped into parts, in order, with state that a checkpoint stores.
 */
import { pointX, pointY, type Points } from '../../face/landmarks.ts'
import { type QualityRun, weakKinds, type WeakKind, type WeakPart } from '@shared/engine/engine.ts'
import { z } from 'zod'
import { fadingYaw } from '../../track/track.ts'

/** What makes the swap of a face weak on a frame. Depends on the frames around it only. */
export interface WeakFigures {
  /** Degrees; null: no face was found. */
  yaw: number | null
  /** The swap fades in or out, because no face was found on a frame nearby. */
  isFading: boolean
  /** A scan has seen the person before and after. */
  isThere: boolean
  /** Share of the face that something other than glasses is in front of, 0…1. */
  covered: number
  /** Distance of the landmarks from their smoothed place, in sizes of the face's region. */
  strays: number
  /** Distance of the next person from this one, in sizes of the face's region. */
  apart: number
}

/** Landmarks that hardly move relative to the skull. */
const rigid = [33, 133, 263, 362, 168, 6, 197, 5, 127, 356, 10, 152]

/** Mean distance of the rigid landmarks from their smoothed place, in pixels. */
export function straysOf(raw: Points, smooth: Points): number {
  const away = (point: number): number =>
    Math.hypot(pointX(raw, point) - pointX(smooth, point), pointY(raw, point) - pointY(smooth, point))
  return rigid.reduce((sum, point) => sum + away(point), 0) / rigid.length
}

/** Run-length encodes the kinds of frames. */
export class QualityRuns {
  readonly runs: QualityRun[] = []
  #fresh: QualityRun[] = []
  /** Number of frames with a swapped face. */
  swapped = 0

  add(kind: QualityRun['kind'], frames = 1): void {
    if (kind === 'swapped') this.swapped += frames
    count(this.runs, kind, frames)
    count(this.#fresh, kind, frames)
  }

  /** Runs added since the last call. */
  takeNew(): QualityRun[] {
    const fresh = this.#fresh
    this.#fresh = []
    return fresh
  }
}

function count(runs: QualityRun[], kind: QualityRun['kind'], frames: number): void {
  const last = runs.at(-1)
  if (last?.kind === kind) last.frames += frames
  else runs.push({ kind, frames })
}

/** A face is unsteady from this figure on, and another one is near up to this one; see `WeakFigures`. */
const weakFrom = { strays: 0.012, apart: 0.5 }
/** Share of a face from which on it is covered. A face turned further hides a part of itself. Degrees. */
const coveredFrom = { share: 0.15, turnedShare: 0.3, turned: 25 }
/** Largest yaw beside a gap, in degrees, above which the head turned away in it. */
const turnedBeside = 20
/** A face that is away from a shot for longer isn't missing. Milliseconds. */
const maxGapMs = { turned: 3000, other: 1200 }
/** Parts of a kind that are nearer to each other are one. Milliseconds. */
const joinMs = 300
/** Shorter parts aren't noticed. A face that is lost for two frames flickers. Milliseconds. */
const minMs: Record<WeakKind, number> = { turned: 200, covered: 200, lost: 80, unsteady: 200, unsure: 200 }
/** Of two kinds at a time, the first one counts. */
const order: readonly WeakKind[] = ['lost', 'turned', 'covered', 'unsure', 'unsteady']

const moment = z.object({ index: z.int(), ms: z.int() })
/** A frame: its index, and its time in the result in milliseconds from the first frame. */
type Moment = z.infer<typeof moment>

/** A part of one kind and face, by its first frame and the one after its last. */
const spanSchema = z.object({ kind: z.enum(weakKinds), face: z.int(), from: moment, to: moment })
type Span = z.infer<typeof spanSchema>

/**
 * Frames without a face, and those beside them, over which the swap fades: the first one, the times of the first and the
 * last one without a face, and the largest yaw, whether it was covered and whether somebody was near so far.
 */
const gapSchema = moment.extend({
  awayMs: z.tuple([z.int(), z.int()]).nullable(),
  yaw: z.number(),
  isCovered: z.boolean(),
  isUnsure: z.boolean(),
})
type Gap = z.infer<typeof gapSchema>

/** State between two frames. Plain data, so that a checkpoint can store it. */
export const weakStateSchema = z.object({
  /** Spans that ended since the last checkpoint. */
  done: z.array(spanSchema),
  /** The last span of each kind and face, which may go on. */
  open: z.array(spanSchema),
  /** By face: where its swap began to fade because it was not found. */
  gaps: z.array(gapSchema.nullable()),
  /** Whether the face was there before, by face: a gap without a beginning is nobody. */
  seen: z.array(z.boolean()),
})
export type WeakState = z.infer<typeof weakStateSchema>

export class WeakParts {
  readonly #done: Span[] = []
  #taken = 0
  #open: Span[] = []
  #gaps: WeakState['gaps'] = []
  #seen: boolean[] = []

  /** Adds the state of the next checkpoint of an earlier run. */
  takeUp({ done, open, gaps, seen }: WeakState): void {
    this.#done.push(...done)
    this.#taken = this.#done.length
    this.#open = open
    this.#gaps = gaps
    this.#seen = seen
  }

  /** State for a checkpoint before the next frame. */
  takeState(): WeakState {
    const done = this.#done.slice(this.#taken)
    this.#taken = this.#done.length
    // Faces that weren't seen yet have no entry.
    const gaps = Array.from(this.#gaps, (gap) => gap ?? null)
    return structuredClone({ done, open: this.#open, gaps, seen: Array.from(this.#seen, Boolean) })
  }

  /**
   * Call in frame order.
   * @param isCut a new shot or part begins here
   * @param faces of each face; empty outside of the parts that are swapped
   */
  add(at: Moment, isCut: boolean, faces: readonly WeakFigures[]): void {
    for (const span of this.#open) if (span.to.index === at.index) span.to = at
    if (isCut) {
      this.#close(this.#open)
      this.#gaps = []
      this.#seen = []
    }
    for (const [face, figures] of faces.entries()) this.#addFace(at, face, figures)
  }

  /** All parts. @param end of the result */
  finish(end: Moment): WeakPart[] {
    for (const span of this.#open) if (span.to.index === end.index) span.to = end
    this.#close(this.#open)
    return partsOf(this.#done)
  }

  #addFace(at: Moment, face: number, figures: WeakFigures): void {
    const { yaw, isFading, isThere, strays, apart } = figures
    const before = this.#gaps[face] ?? null
    const gap: Gap = {
      ...(before ?? at),
      awayMs: yaw === null ? [before?.awayMs?.[0] ?? at.ms, at.ms] : (before?.awayMs ?? null),
      yaw: Math.max(before?.yaw ?? 0, Math.abs(yaw ?? 0)),
      isCovered: before?.isCovered === true || isCovered(figures),
      isUnsure: before?.isUnsure === true || apart <= weakFrom.apart,
    }
    const kind = kindOf(gap)
    if (yaw === null || isFading) {
      if (this.#seen[face]) this.#gaps[face] = gap
      if (yaw === null && isThere) this.#mark(kind, face, at)
    } else {
      const [from, to] = gap.awayMs ?? [0, Infinity]
      if (to - from <= (kind === 'turned' ? maxGapMs.turned : maxGapMs.other)) this.#mark(kind, face, gap, at)
      this.#gaps[face] = null
      this.#seen[face] = true
    }
    if (yaw === null) return
    if (Math.abs(yaw) >= fadingYaw) this.#mark('turned', face, at)
    if (isCovered(figures)) this.#mark('covered', face, at)
    if (apart <= weakFrom.apart) this.#mark('unsure', face, at)
    if (strays >= weakFrom.strays) this.#mark('unsteady', face, at)
  }

  /** @param to the frame after the last one; its time is known when it comes */
  #mark(kind: WeakKind, face: number, { index, ms }: Moment, to: Moment = { index: index + 1, ms }): void {
    const span = this.#open.find((one) => one.kind === kind && one.face === face)
    if (span && ms - span.to.ms <= joinMs) {
      // A gap is marked when it ends; frames in it may be marked already.
      if (index < span.from.index) span.from = { index, ms }
      span.to = to
      return
    }
    if (span) this.#close([span])
    this.#open.push({ kind, face, from: { index, ms }, to })
  }

  #close(spans: readonly Span[]): void {
    this.#done.push(...spans.filter(isLong))
    this.#open = this.#open.filter((span) => !spans.includes(span))
  }
}

const isCovered = ({ covered, yaw }: WeakFigures): boolean =>
  covered >= (Math.abs(yaw ?? 0) < coveredFrom.turned ? coveredFrom.share : coveredFrom.turnedShare)

/** Why no face was found: what was weak on the frames beside. */
function kindOf({ yaw, isCovered: wasCovered, isUnsure }: Gap): WeakKind {
  if (isUnsure) return 'unsure'
  if (wasCovered && yaw < fadingYaw) return 'covered'
  return yaw >= turnedBeside ? 'turned' : 'lost'
}

const isLong = ({ kind, from, to }: Span): boolean => to.ms - from.ms >= minMs[kind]

/** Spans without overlaps of one face, ascending. */
function partsOf(spans: readonly Span[]): WeakPart[] {
  const kept: Span[] = []
  for (const kind of order) {
    const rest = spans.filter((span) => span.kind === kind)
    kept.push(...rest.flatMap((span) => without(span, kept)).filter(isLong))
  }
  return kept
    .map(({ kind, face, from, to }) => ({ kind, face, fromMs: from.ms, toMs: to.ms, frames: to.index - from.index }))
    .sort((a, b) => a.fromMs - b.fromMs || a.face - b.face)
    .slice(0, 10_000)
}

/** What is left of a span outside of others of the same face. */
function without(span: Span, others: readonly Span[]): Span[] {
  return others
    .filter(({ face }) => face === span.face)
    .reduce<Span[]>(
      (rest, { from, to }) =>
        rest.flatMap((one) =>
          [
            { ...one, to: one.to.index < from.index ? one.to : from },
            { ...one, from: one.from.index > to.index ? one.from : to },
          ].filter((piece) => piece.from.index < piece.to.index),
        ),
      [span],
    )
}
