/**
 * @file Follows one face: decides which frames the landmark model analyses, interpolates the others and finalises
 * their landmarks in order.
 */
import type { Affine } from '../common/affine.ts'
import { regionOfPoints, type Points } from '../face/landmarks.ts'
import { type FaceTrack, between, type TrackFrame } from './track.ts'
import type { FrameWindow } from './frame-window.ts'
import type { OcclusionState, OcclusionTracker } from '../occlusion/occlusion-tracker.ts'
import { featureLight, isBetween, facesOneWay, isJump, needsBetween } from './shape-change.ts'
import type { Tracker, TrackerState } from './tracker.ts'

/** Frames from one analysed frame to the next: for a moving or speaking face, and for a calm one. */
export const strides = { lively: 2, calm: 4 }
/** Analysed frames to remember: two strides back, and one more for interpolation. */
const rememberedSamples = 2 * strides.calm + 2
/** Frames before `FollowState.index` whose landmarks are needed to resume. */
const rememberedTracks = 4 * strides.calm
/** Frames before `FollowState.index` whose pixels are needed to resume: skipped ones may be analysed later. */
export const pixelsBefore = strides.calm
/** Look-ahead: frames that must have arrived past the last settled one before another settles. */
export const framesToSettle = 3 * strides.calm

/**
 * Tracking state before frame `index` is analysed. A run resumed from it gives the same result as one never stopped.
 */
export interface FollowState {
  index: number
  /** Frames to the next analysed frame. */
  stride: number
  shot: number
  /** Indices of the last samples, ascending. Checkpoints store this name. */
  looks: number[]
  /** Index of the last frame whose track is final. */
  settled: number
  tracks: { index: number; track: TrackFrame }[]
  tracker: TrackerState
  front: OcclusionState | null
}

const beginning = { index: 0, stride: strides.lively, shot: 0, looks: [], settled: -1 }

/** A face in a window. */
type Followed = Pick<FollowSetup, 'frames' | 'track' | 'view'>

/** Every face has a sample on these frames, so that a checkpoint can be written there for all of them. */
export const isCommonSample = (index: number): boolean => index % strides.calm === 0

export interface FollowSetup {
  frames: FrameWindow
  /** Where the face's landmarks go; one of the window's. */
  track: FaceTrack
  tracker: Pick<Tracker, 'find' | 'forget' | 'prefetch' | 'restore' | 'state'>
  front: Pick<OcclusionTracker, 'update' | 'movesFast' | 'mapBefore' | 'restore' | 'state'>
  /** Maps upright to coded pixels. */
  view: Affine
  signal: AbortSignal
  /** State to resume from. The window must start `pixelsBefore` frames before its index. */
  from?: FollowState | null
  /** Called before each frame of `isCommonSample`; `state` copies the current state. */
  onSample?: (index: number, state: () => FollowState) => void
}

/**
 * Runs until the window's last frame is settled. The result depends only on the frames, never on timing.
 * @returns number of frames with landmarks that aren't interpolated
 * @throws the signal's reason when aborted
 */
export async function follow(setup: FollowSetup): Promise<number> {
  const { frames, track, tracker, front, view, signal, from, onSample } = setup
  let { index, stride, shot, settled } = from ?? beginning
  let samples = [...(from ?? beginning).looks]
  let analysed = 0
  if (from) {
    for (const { index: at, track: one } of from.tracks) track.note(at, one.points, one.shot, one.cut)
    front.restore(from.front)
    if (from.front) track.noteOcclusion(from.front.map)
    track.settle(settled)
    const ahead = from.tracker.ahead?.index ?? null
    if (ahead !== null) await frames.arrived(ahead)
    tracker.restore(from.tracker, ahead === null ? null : (frames.frame(ahead) ?? null))
  }

  const sample = async (at: number, hint: Points | null = null): Promise<Points | null> => {
    signal.throwIfAborted()
    const frame = frames.frame(at)
    if (!frame || frame.part === null) return null
    analysed += 1
    return tracker.find(frame, hint ? regionOfPoints(hint) : null)
  }

  const stateNow = (): FollowState => ({
    ...{ index, stride, shot, looks: [...samples], settled },
    tracks: Array.from({ length: rememberedTracks }, (_, back) => index - rememberedTracks + back).flatMap((at) => {
      const known = track.peek(at)
      return known ? [{ index: at, track: known }] : []
    }),
    tracker: tracker.state,
    front: front.state,
  })

  while (await frames.arrived(index)) {
    if (isCommonSample(index)) onSample?.(index, stateNow)
    // Wait before calling the tracker, so that the order of its calls, and so every result, is deterministic.
    const wanted = (Math.floor(index / stride) + 1) * stride
    const next = partStart(frames, index, (await frames.arrived(wanted)) ? wanted : frames.count - 1)
    const last = samples.at(-1) ?? index - 1
    const cut = hasCut(frames, last, index)
    if (cut) tracker.forget()
    const sampling = sample(index)
    const ahead = frames.frame(next)
    if (ahead && next > index && !hasCut(frames, index, next)) tracker.prefetch(ahead)
    const points = await sampling
    const before = track.peek(last)?.points
    if (!points || !before || cut || isJump(before, points)) shot += 1
    track.note(index, points, shot)
    const frame = frames.frame(index)
    const covering = points && frame ? front.update(frame.planes, points, index, shot) : null
    // Awaited below. Until then, avoid an unhandled rejection.
    covering?.catch(() => undefined)
    const late = await sampleBetween({ frames, track, view }, last, index, sample)
    samples = [...samples, ...late, index].slice(-rememberedSamples)
    // The cubic interpolation before `last` needs an analysed frame after it.
    for (let at = settled + 1; at < last; at += 1) interpolate(track, at, samples)
    const map = await covering
    if (map && front.movesFast) await coverBetween({ frames, track, view }, front, last, index)
    if (map) track.noteOcclusion(map)
    settled = last
    track.settle(settled)
    if (next === index) break
    const calm = late.length === 0 && points && before && facesOneWay(before, points, index - last)
    stride = calm ? strides.calm : strides.lively
    index = next
  }
  for (let at = settled + 1; at < frames.count; at += 1) interpolate(track, at, samples)
  track.settle(frames.count - 1)
  return analysed
}

/** The first frame after `from` at which a part starts or ends; `to` if there is none up to it. */
function partStart(frames: FrameWindow, from: number, to: number): number {
  const part = frames.frame(from)?.part
  for (let at = from + 1; at < to; at += 1) if (frames.frame(at)?.part !== part) return at
  return to
}

/** True if there is a cut at a frame after `from`, up to and including `to`. */
function hasCut(frames: FrameWindow, from: number, to: number): boolean {
  for (let at = from + 1; at <= to; at += 1) if (frames.frame(at)?.cut) return true
  return false
}

/**
 * Analyses frames between two analysed ones until interpolation is accurate enough. It goes forwards from the first
 * and, if the face is lost on the way, backwards from the last.
 * @returns indices of the newly analysed frames, ascending
 */
async function sampleBetween(
  followed: Followed,
  first: number,
  last: number,
  sample: (index: number, hint: Points) => Promise<Points | null>,
): Promise<number[]> {
  const { frames, track } = followed
  const from = track.peek(first)
  const to = track.peek(last)
  if (!from || !to || (!from.points && !to.points)) return []
  const early: number[] = []
  const late: number[] = []
  let at = first
  let hint = from.points
  // Don't cross a cut: landmarks of one shot are no hint for another.
  while (hint && at + 1 < last && !frames.frame(at + 1)?.cut) {
    if (to.points && from.shot === to.shot && !changesBetween(followed, at, last)) return early
    hint = await sample(at + 1, hint)
    if (!hint) break
    at += 1
    track.note(at, hint, from.shot)
    early.push(at)
  }
  let end = last
  hint = to.points
  // With a hint from a later frame, the face may be found even on `first`, where a search failed.
  const earliest = from.points ? at + 1 : first
  while (hint && end > earliest && !frames.frame(end)?.cut) {
    hint = await sample(end - 1, hint)
    if (!hint) break
    end -= 1
    track.note(end, hint, to.shot)
    if (end > first) late.unshift(end)
  }
  for (let lost = at + 1; lost < end; lost += 1) track.note(lost, null, to.shot)
  return [...early, ...late]
}

/** Notes the occlusion of each frame between two analysed ones of the same shot. */
async function coverBetween(
  { frames, track }: Followed,
  front: Pick<OcclusionTracker, 'mapBefore'>,
  first: number,
  last: number,
): Promise<void> {
  const around = [first, last].map((index) => {
    const known = track.peek(index)
    return known ? { index, ...known } : null
  })
  for (let at = first + 1; at < last; at += 1) {
    const frame = frames.frame(at)
    const points = track.peek(at)?.points ?? between([null, ...around, null], at)
    const shot = track.peek(last)?.shot ?? 0
    if (frame && points) track.noteOcclusion(await front.mapBefore(frame.planes, points, at, shot))
  }
}

/** True if linear interpolation between two frames of the same face would miss a change. */
function changesBetween({ frames, track, view }: Followed, first: number, last: number): boolean {
  const [a, b] = [track.peek(first)?.points, track.peek(last)?.points]
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

/** Interpolates a skipped frame's landmarks from the analysed frames around it. */
function interpolate(track: FaceTrack, index: number, samples: readonly number[]): void {
  if (track.peek(index)) return
  const next = samples.findIndex((at) => at > index)
  const around = [next - 2, next - 1, next, next + 1].map((at) => {
    const sample = samples[at]
    const known = sample === undefined ? undefined : track.peek(sample)
    return sample !== undefined && known ? { index: sample, ...known } : null
  })
  track.note(index, between(around, index), track.peek(index - 1)?.shot ?? 0)
}
