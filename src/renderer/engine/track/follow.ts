/** @file Decides on which frames of the window the landmark model looks, and settles tracks in order. */
import type { Affine } from '../face/affine.ts'
import { regionOfPoints, type Points } from '../face/landmarks.ts'
import type { FrameWindow } from './frame-window.ts'
import type { OcclusionState, OcclusionTracker } from '../occlusion/occlusion-tracker.ts'
import { featureLight, isBetween } from './feature-light.ts'
import { facesOneWay, isJump, needsBetween } from './shape-change.ts'
import { between, type TrackFrame } from './track.ts'
import type { Tracker, TrackerState } from './tracker.ts'

/** Frames from one look to the next: while the face moves or speaks, and while it is calm. */
const strides = { lively: 2, calm: 4 }
/** Looks that are remembered: two strides back, and one more to interpolate from. */
const rememberedLooks = 2 * strides.calm + 2
/** Frames before a state's own whose points are needed to go on. */
const rememberedTracks = 4 * strides.calm
/** Frames before a state's own whose pixels are needed to go on: those between two looks are looked at late. */
export const pixelsBefore = strides.calm
/** Frames past the last settled one that have to be there before another settles: to the look after next, and on to its next. */
export const framesToSettle = 3 * strides.calm

/** All that following knows before it looks at frame `index`; with it and the pixels it goes on as if never stopped. */
export interface FollowState {
  index: number
  /** From there to the look after it. */
  stride: number
  shot: number
  /** Frames that were looked at lately, in order. */
  looks: number[]
  /** Nothing about frames up to this one will change. */
  settled: number
  tracks: { index: number; track: TrackFrame }[]
  tracker: TrackerState
  front: OcclusionState | null
}

const beginning = { index: 0, stride: strides.lively, shot: 0, looks: [], settled: -1 }

export interface FollowSetup {
  frames: FrameWindow
  tracker: Pick<Tracker, 'find' | 'forget' | 'prefetch' | 'restore' | 'state'>
  front: Pick<OcclusionTracker, 'look' | 'restore' | 'state'>
  /** From upright to coded pixels. */
  view: Affine
  signal: AbortSignal
  /** Where to go on; the window has to begin `pixelsBefore` frames earlier. */
  from?: FollowState | null
  /** Asked before each look of the stride; `state` makes a copy of what is known. */
  onLook?: (index: number, state: () => FollowState) => void
}

/**
 * Runs until the window's last frame is settled. What it finds depends on the frames only, never on how fast they come.
 * @returns how many frames the landmark model saw
 */
export async function follow({ frames, tracker, front, view, signal, from, onLook }: FollowSetup): Promise<number> {
  let { index, stride, shot, settled } = from ?? beginning
  let looks = [...(from ?? beginning).looks]
  let analysed = 0
  if (from) {
    for (const { index: at, track } of from.tracks) frames.note(at, track.points, track.shot, track.cut)
    front.restore(from.front)
    if (from.front) frames.noteOcclusion(from.front.map)
    frames.settle(settled)
    const ahead = from.tracker.ahead?.index ?? null
    if (ahead !== null) await frames.arrived(ahead)
    tracker.restore(from.tracker, ahead === null ? null : (frames.frame(ahead)?.planes ?? null))
  }

  const look = async (at: number, hint: Points | null = null): Promise<Points | null> => {
    signal.throwIfAborted()
    const frame = frames.frame(at)
    if (!frame) return null
    analysed += 1
    return tracker.find(frame.planes, at, hint ? regionOfPoints(hint) : null)
  }

  const stateNow = (): FollowState => ({
    ...{ index, stride, shot, looks: [...looks], settled },
    tracks: Array.from({ length: rememberedTracks }, (_, back) => index - rememberedTracks + back).flatMap((at) => {
      const track = frames.peek(at)
      return track ? [{ index: at, track }] : []
    }),
    tracker: tracker.state,
    front: front.state,
  })

  while (await frames.arrived(index)) {
    onLook?.(index, stateNow)
    // Before anything is asked, so that the order of questions, and with it every answer, is always the same.
    const next = (await frames.arrived(index + stride)) ? index + stride : frames.count - 1
    const last = looks.at(-1) ?? index - 1
    const cut = hasCut(frames, last, index)
    if (cut) tracker.forget()
    const looking = look(index)
    const ahead = frames.frame(next)
    if (ahead && next > index && !hasCut(frames, index, next)) tracker.prefetch(ahead.planes, next)
    const points = await looking
    const before = frames.peek(last)?.points
    if (!points || !before || cut || isJump(before, points)) shot += 1
    frames.note(index, points, shot)
    const frame = frames.frame(index)
    const covering = points && frame ? front.look(frame.planes, points, index, shot) : null
    // It is awaited below; what fails before that is the failure to report.
    covering?.catch(() => undefined)
    const late = await lookBetween(frames, last, index, view, look)
    looks = [...looks, ...late, index].slice(-rememberedLooks)
    // With looks on both sides of the last one, what lies before it can be interpolated.
    for (let at = settled + 1; at < last; at += 1) interpolate(frames, at, looks)
    const map = await covering
    if (map) frames.noteOcclusion(map)
    settled = last
    frames.settle(settled)
    if (next === index) break
    const calm = late.length === 0 && points && before && facesOneWay(before, points, index - last)
    stride = calm ? strides.calm : strides.lively
    index = next
  }
  for (let at = settled + 1; at < frames.count; at += 1) interpolate(frames, at, looks)
  frames.settle(frames.count - 1)
  return analysed
}

/** Whether the picture becomes another one after frame `from` and not after frame `to`. */
function hasCut(frames: FrameWindow, from: number, to: number): boolean {
  for (let at = from + 1; at <= to; at += 1) if (frames.frame(at)?.cut) return true
  return false
}

/**
 * Looks at frames between two that were looked at, as long as what lies between is not told by them: on from the first
 * one, and if the face is lost on the way, back from the last.
 * @returns those that were looked at, in order
 */
async function lookBetween(
  frames: FrameWindow,
  first: number,
  last: number,
  view: Affine,
  look: (index: number, hint: Points) => Promise<Points | null>,
): Promise<number[]> {
  const from = frames.peek(first)
  const to = frames.peek(last)
  if (!from || !to || (!from.points && !to.points)) return []
  const early: number[] = []
  const late: number[] = []
  let at = first
  let hint = from.points
  // Across a cut only the side of it that a frame is on can tell.
  while (hint && at + 1 < last && !frames.frame(at + 1)?.cut) {
    if (to.points && from.shot === to.shot && !changesBetween(frames, at, last, view)) return early
    hint = await look(at + 1, hint)
    if (!hint) break
    at += 1
    frames.note(at, hint, from.shot)
    early.push(at)
  }
  let end = last
  hint = to.points
  // Who knows where the face is may see it where it was looked for in vain.
  const earliest = from.points ? at + 1 : first
  while (hint && end > earliest && !frames.frame(end)?.cut) {
    hint = await look(end - 1, hint)
    if (!hint) break
    end -= 1
    frames.note(end, hint, to.shot)
    if (end > first) late.unshift(end)
  }
  for (let lost = at + 1; lost < end; lost += 1) frames.note(lost, null, to.shot)
  return [...early, ...late]
}

/** Whether anything happens between two frames with the same face that a line from one to the other would miss. */
function changesBetween(frames: FrameWindow, first: number, last: number, view: Affine): boolean {
  const [a, b] = [frames.peek(first)?.points, frames.peek(last)?.points]
  if (!a || !b || needsBetween(a, b)) return true
  const light = (at: number, points: Points): Float32Array | null => {
    const frame = frames.frame(at)
    return frame ? featureLight(frame.planes, points, view) : null
  }
  const before = light(first, a)
  const after = light(last, b)
  for (let at = first + 1; at < last; at += 1) {
    const share = (at - first) / (last - first)
    const now = light(
      at,
      a.map((value, i) => value + ((b[i] ?? 0) - value) * share),
    )
    if (before && now && after && !isBetween(before, now, after, share)) return true
  }
  return false
}

/** Gives a frame that was not looked at its points from the looks around it. */
function interpolate(frames: FrameWindow, index: number, looks: readonly number[]): void {
  if (frames.peek(index)) return
  const next = looks.findIndex((at) => at > index)
  const around = [next - 2, next - 1, next, next + 1].map((at) => {
    const look = looks[at]
    const track = look === undefined ? undefined : frames.peek(look)
    return look !== undefined && track ? { index: look, ...track } : null
  })
  frames.note(index, between(around, index), frames.peek(index - 1)?.shot ?? 0)
}
