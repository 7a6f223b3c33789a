/** @file Looks at every second frame of the window, and at those between where it matters; settles tracks in order. */
import type { FrameWindow } from '../jobs/frame-window.ts'
import { regionOfPoints, type Points } from '../face/landmarks.ts'
import { featuresMoved, isJump, needsBetween } from './shape-change.ts'
import type { FrontState, FrontWatch } from '../occlusion/front-watch.ts'
import { between, type TrackFrame } from './track.ts'
import type { Tracker, TrackerState } from './tracker.ts'

/** Frames before a state's own whose points are needed to go on: smoothing looks back four, interpolation three more. */
const remembered = 8
/** Frames before a state's own whose pixels are needed to go on: the one between is looked at late. */
export const pixelsBefore = 2

/** All that following knows before it looks at frame `index`; with it and the pixels it goes on as if never stopped. */
export interface FollowState {
  /** Even. */
  index: number
  shot: number
  last: Points | null
  tracks: { index: number; track: TrackFrame }[]
  tracker: TrackerState
  front: FrontState | null
}

export interface FollowOptions {
  /** Where to go on; the window has to begin `pixelsBefore` frames earlier. */
  from?: FollowState | null
  /** Asked before each even frame is looked at; `state` makes a copy of what is known. */
  onFrame?: (index: number, state: () => FollowState) => void
}

/**
 * Runs until the window's last frame is settled. What it finds depends on the frames only, never on how fast they come.
 * @returns how many frames the landmark model saw
 */
export async function follow(
  frames: FrameWindow,
  tracker: Pick<Tracker, 'find' | 'forget' | 'prefetch' | 'restore' | 'state'>,
  front: Pick<FrontWatch, 'look' | 'restore' | 'state'>,
  signal: AbortSignal,
  { from = null, onFrame }: FollowOptions = {},
): Promise<number> {
  let shot = from?.shot ?? 0
  let analysed = 0
  let last: Points | null = from?.last ?? null
  if (from) {
    for (const { index, track } of from.tracks) frames.note(index, track.points, track.shot, track.cut)
    front.restore(from.front)
    if (from.front) frames.noteFront(from.front.map)
    frames.settle(from.index - 4)
    const ahead = from.tracker.ahead?.index ?? null
    if (ahead !== null) await frames.arrived(ahead)
    tracker.restore(from.tracker, ahead === null ? null : (frames.frame(ahead)?.planes ?? null))
  }

  const look = async (index: number, hint: Points | null = null): Promise<Points | null> => {
    signal.throwIfAborted()
    const frame = frames.frame(index)
    if (!frame) return null
    analysed += 1
    return tracker.find(frame.planes, index, hint ? regionOfPoints(hint) : null)
  }

  const stateAt = (index: number) => (): FollowState => ({
    index,
    shot,
    last,
    tracks: Array.from({ length: remembered }, (_, back) => index - remembered + back).flatMap((at) => {
      const track = frames.peek(at)
      return track ? [{ index: at, track }] : []
    }),
    tracker: tracker.state,
    front: front.state,
  })

  for (let index = from?.index ?? 0; await frames.arrived(index); index += 2) {
    onFrame?.(index, stateAt(index))
    // Before anything is asked, so that the order of questions, and with it every answer, is always the same.
    await frames.arrived(index + 2)
    const cut = [index - 1, index].some((at) => frames.frame(at)?.cut)
    if (cut) tracker.forget()
    const looking = look(index)
    const next = frames.frame(index + 2)
    if (next && !next.cut && !frames.frame(index + 1)?.cut) tracker.prefetch(next.planes, index + 2)
    const points = await looking
    if (!points || !last || cut || isJump(last, points)) shot += 1
    frames.note(index, points, shot)
    const frame = frames.frame(index)
    const covering = points && frame ? front.look(frame.planes, points, index, shot) : null
    // It is awaited below; what fails before that is the failure to report.
    covering?.catch(() => undefined)
    if (index > 0) await fillBetween(frames, index - 1, look, needsBetween)
    // The frame three back can now be interpolated with neighbours on both sides.
    interpolate(frames, index - 3)
    const map = await covering
    if (map) frames.noteFront(map)
    frames.settle(index - 2)
    last = points
  }
  const lastIndex = frames.count - 1
  if (lastIndex % 2 === 1) {
    const hint = frames.peek(lastIndex - 1)
    frames.note(lastIndex, await look(lastIndex, hint?.points ?? null), hint?.shot ?? shot)
  }
  interpolate(frames, lastIndex - 2)
  interpolate(frames, lastIndex - 1)
  frames.settle(lastIndex)
  return analysed
}

/** Analyses the frame between two that differ; one that lies between two alike is left for interpolation. */
async function fillBetween(
  frames: FrameWindow,
  index: number,
  look: (index: number, hint: Points | null) => Promise<Points | null>,
  differ: (a: Points, b: Points) => boolean,
): Promise<void> {
  const [earlier, before, after] = [index - 3, index - 1, index + 1].map((at) => frames.peek(at))
  if (!before || !after) return
  if (!before.points && !after.points) {
    frames.note(index, null, before.shot)
    return
  }
  if (before.points && after.points && before.shot === after.shot && !differ(before.points, after.points)) {
    // What has just begun to move may come back to where it was within two frames: a blink does.
    const moving = earlier?.points && earlier.shot === before.shot && featuresMoved(earlier.points, before.points)
    if (!moving) return
  }
  // Across a cut only the side of it that this frame is on can tell.
  const first = before.points && !frames.frame(index)?.cut ? await look(index, before.points) : null
  if (first) {
    frames.note(index, first, before.shot)
    return
  }
  const second = after.points && !frames.frame(index + 1)?.cut ? await look(index, after.points) : null
  frames.note(index, second, after.shot)
}

function interpolate(frames: FrameWindow, index: number): void {
  if (index < 0 || frames.peek(index)) return
  const shot = frames.peek(index - 1)?.shot ?? 0
  frames.note(
    index,
    between((at) => frames.peek(at) ?? null, index),
    shot,
  )
}
