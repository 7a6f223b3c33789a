/**
 * @file Converts a job to a task item of the interface: Task, Footage and Video. Unknown values are null or 0. Pure.
 */
import type { EngineProgress } from '@shared/engine/engine.ts'
import type { ErrorBody } from '@shared/errors.ts'
import { workResultSchema, type TaskItem, type U64, type Work } from '@shared/service/wire.ts'
import { addressOf, type Job, type Live } from './job.ts'

/** Share of the frames in the whole work. */
const framesShare = 0.96

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

/** Unsigned 64-bit integer from digits: a number if exact, else a bigint. */
export function u64(digits: string): U64 {
  const exact = BigInt(digits)
  return exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exact
}

/** Live progress once frames are processed; until then use the saved checkpoint. */
const liveProgress = (live: Live | null): EngineProgress | null =>
  live?.progress && live.progress.stage !== 'preparing' ? live.progress : null

/** Frames since the last checkpoint are done again after a stop; until then, the figure before it stays. */
const doneOf = (progress: EngineProgress | null, saved: Job['saved']): number =>
  Math.max(progress?.framesDone ?? 0, saved?.frames ?? 0)

export function shareOf({ status, saved }: Pick<Job, 'status' | 'saved'>, live: Live | null): number | null {
  if (status === 'completed') return 1
  if (status !== 'queued' && status !== 'processing') return null
  const progress = status === 'processing' ? liveProgress(live) : null
  if (progress?.stage === 'finishing') return framesShare
  const done = doneOf(progress, saved)
  const total = progress ? progress.framesTotal : (saved?.framesTotal ?? null)
  if (!total) return progress ? null : 0
  return Math.min(1, done / total) * framesShare
}

const noWork = { framesDone: 0, framesTotal: null, framesSwapped: 0, workFps: null, savedMs: 0, preview: null }

function workOf(
  { status, saved, result, footage }: Job,
  live: Live | null,
  file: (name: string) => string,
): Work | null {
  if (result && status === 'completed') {
    const { frames, swappedFrames: framesSwapped, workFps, durationMs: savedMs } = result
    const done = { framesDone: frames, framesTotal: frames, framesSwapped, workFps, savedMs }
    return { stage: 'finishing', ...noWork, ...done, result: workResultSchema.parse(result) }
  }
  if (status === 'queued' && saved) {
    const { frames: framesDone, framesTotal, savedMs } = saved
    return { stage: 'swapping', ...noWork, framesDone, framesTotal, savedMs, result: null }
  }
  if (status !== 'processing') return null
  const { stage, framesTotal, framesSwapped, workFps, savedMs } = liveProgress(live) ?? {
    stage: 'preparing',
    ...noWork,
  }
  const frame = live?.previewFrame ?? null
  return {
    ...{ stage, framesSwapped, workFps, result: null },
    framesDone: doneOf(liveProgress(live), saved),
    framesTotal: framesTotal ?? footage?.frames ?? null,
    savedMs: Math.max(savedMs, saved?.savedMs ?? 0),
    preview:
      frame === null
        ? null
        : { frame, beforeUrl: file(`before-${String(frame)}.jpg`), afterUrl: file(`after-${String(frame)}.jpg`) },
  }
}

/** `seq` numbers the jobs of this service; `link` makes the URL of a path; `sentence` converts an error to text. */
export function taskItem(
  job: Job,
  seq: number,
  live: Live | null,
  link: (path: string) => string,
  sentence: (error: ErrorBody) => string,
): TaskItem {
  const file = (name: string): string => link(`/v1/results/${job.objectId}/${name}`)
  const there = job.deletedAt === null
  const { footage } = job
  const result = job.status === 'completed' ? job.result : null
  const userId = u64(job.userId)
  const times = { createdAt: iso(job.createdAt), updatedAt: iso(job.updatedAt) }
  const faces = Array.from({ length: result?.faces ?? 0 }, (_, n) => file(`face-${String(n)}.jpg`))
  return {
    id: {},
    imageUrl: there || job.image.kind === 'web' ? addressOf(job.image, link) : null,
    videoUrl: there || job.video.kind === 'web' ? addressOf(job.video, link) : null,
    userId,
    objectId: job.objectId,
    title: job.title,
    status: job.status,
    taskId: job.taskId,
    footageId: job.footageId,
    videoId: job.videoId,
    ...times,
    deletedAt: iso(job.deletedAt),
    publishStatus: 0,
    duration: footage?.durationMs ?? 0,
    error: job.error ? sentence(job.error) : null,
    Footage: {
      id: seq,
      type: 'video',
      name: job.videoName,
      card: null,
      cardId: null,
      workflowId: null,
      status: job.status,
      cover: there && footage?.hasCover ? file('footage.jpg') : null,
      objectId: job.footageId,
      userId,
      webId: null,
      ...times,
      trashedAt: null,
      removedAt: iso(job.deletedAt),
      videoQty: there && result ? 1 : 0,
    },
    Video: {
      id: seq,
      userId,
      objectId: job.videoId,
      footageId: job.footageId,
      name: job.title,
      width: result?.width ?? footage?.width ?? 0,
      height: result?.height ?? footage?.height ?? 0,
      size: result?.sizeBytes ?? 0,
      duration: result?.durationMs ?? footage?.durationMs ?? 0,
      suffix: result?.format ?? null,
      webId: null,
      status: job.status,
      originUrl: null,
      videoUrl: there && result ? file(`${result.format === 'mp4' ? 'video' : 'picture'}.${result.format}`) : null,
      coverUrl: there && result?.hasCover ? file('cover.jpg') : null,
      audioUrl: there && result?.hasAudio ? file('audio.m4a') : null,
      avatars: there && result ? JSON.stringify(faces) : null,
      audioText: null,
      uploadAt: result ? iso(job.endedAt) : null,
    },
    progress: shareOf(job, live),
    etaMs: job.status === 'processing' ? (live?.progress?.etaMs ?? null) : null,
    errorCode: job.error?.code ?? null,
    errorDetails: job.error?.details ?? null,
    work: workOf(job, live, file),
  }
}
