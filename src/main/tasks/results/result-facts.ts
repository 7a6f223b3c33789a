/** @file What is stored of a finished swap: facts of its result, and how long it took. Pure. */
import { embeddedProfileId, type Task, type TaskResult } from '@shared/task.ts'
import { pausedTimeMs } from '@shared/paused-time.ts'
import type { ServiceTask } from '../../service-client/types.ts'
import type { Timing } from '../store/task-store.ts'

type FileFacts = Pick<TaskResult, 'mediaId' | 'fileName' | 'folderName' | 'sizeBytes'>

/** `answer`: the service's, null if it lists the swap no more. */
export function resultOf(answer: ServiceTask | null, file: FileFacts): TaskResult {
  const facts = answer?.work?.result
  return {
    ...file,
    width: answer?.width ?? null,
    height: answer?.height ?? null,
    durationMs: answer?.durationMs ?? null,
    fps: facts?.fps ?? null,
    videoCodec: facts?.videoCodec ?? null,
    audioCodec: facts?.audioCodec ?? null,
    lostSound: facts?.lostSound ?? [],
    frames: facts?.frames ?? null,
    swappedFrames: facts?.swappedFrames ?? null,
    workFps: facts?.workFps ?? null,
    encoder: facts?.encoder ?? null,
    fellBack: facts?.fellBack ?? null,
    quality: facts?.quality ?? null,
  }
}

/**
 * How long it took: at a service from when it was sent, as its own queue counts too for who waits; here from when it was
 * taken up, without what it was held. Null: it says nothing about the next one.
 */
export function timingOf(kept: Task): Timing | null {
  const at = (what: Task['events'][number]['what']) => kept.events.findLast((event) => event.what === what)?.at ?? null
  const isHere = kept.profileId === embeddedProfileId
  const from = isHere ? kept.startedAt : at('sent')
  const until = at('succeeded')
  if (!kept.result || from === null || until === null || until <= from) return null
  const pausedMs = isHere ? pausedTimeMs(kept.events, from, until) : 0
  // Much of it was done twice.
  if (kept.result.fellBack === 'failed') return null
  const { durationMs, width, height } = kept.video
  if (durationMs === null || width === null || height === null) return null
  return { frames: kept.result.frames, videoMs: durationMs, pixels: width * height, tookMs: until - from - pausedMs }
}
