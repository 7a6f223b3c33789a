/**
 * @file What a service's last answer says of a finished swap: its result, its duration, and its stills, which are downloaded:
 * the cover and the people in it.
 */
import { embeddedProfileId, type Task, type TaskResult } from '@shared/tasks/task.ts'
import { pausedTimeMs } from '@shared/tasks/paused-time.ts'
import type { ServiceTask } from '../../remote/client/parsing/read-task.ts'
import { workOf } from '../../engine/benchmark/video-work.ts'
import type { Timing } from '../store/tables.ts'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServiceClient } from '../../remote/client/service-client.ts'
import { exists } from '../../machine/disk/files.ts'
import type { Log } from '../../machine/log/log.ts'

type FileFacts = Pick<TaskResult, 'mediaId' | 'fileName' | 'folderName' | 'sizeBytes' | 'credentials'>

/** `answer`: the service's; null if the service no longer lists the swap. */
export function resultOf(answer: ServiceTask | null, file: FileFacts): TaskResult {
  const facts = answer?.work?.result
  return {
    ...file,
    width: answer?.width ?? null,
    height: answer?.height ?? null,
    // 0 for a picture.
    durationMs: answer?.durationMs || null,
    fps: facts?.fps || null,
    videoCodec: facts?.videoCodec ?? null,
    audioCodec: facts?.audioCodec ?? null,
    lostSound: facts?.lostSound ?? [],
    missing: facts?.missing ?? [],
    frames: facts?.frames ?? null,
    swappedFrames: facts?.swappedFrames ?? null,
    workFps: facts?.workFps ?? null,
    encoder: facts?.encoder ?? null,
    fellBack: facts?.fellBack ?? null,
    ranOn: facts?.ranOn ?? null,
    model: facts?.model ?? null,
    quality: facts?.quality ?? null,
    weak: facts?.weak ?? [],
    oddPictures: facts?.oddPictures ?? [],
  }
}

/**
 * A swap's duration. For a service: from `sent`, because its queue counts as waiting time. For this computer: from the
 * start of processing, without pauses. Null: not usable for estimates.
 */
export function timingOf(kept: Task): Timing | null {
  const at = (what: Task['events'][number]['what']) => kept.events.findLast((event) => event.what === what)?.at ?? null
  const isHere = kept.profileId === embeddedProfileId
  const from = isHere ? kept.startedAt : at('sent')
  const until = at('succeeded')
  if (!kept.result || from === null || until === null || until <= from) return null
  const pausedMs = isHere ? pausedTimeMs(kept.events, from, until) : 0
  // A model takes as long as it takes, which says nothing about the built-in method.
  if (kept.result.model) return null
  // After a fallback much of the work was done twice.
  if (kept.result.fellBack === 'failed') return null
  const work = workOf(kept.video, kept.range)
  // Frames outside the range are only encoded.
  const frames = kept.range?.rest === 'keep' ? null : kept.result.frames
  return work && { frames, ...work, tookMs: until - from - pausedMs }
}

interface StillsOptions {
  client: Pick<ServiceClient, 'download'>
  /** Null: the service no longer lists the swap. */
  answer: ServiceTask | null
  dir: string
  /** Reuse stills that an earlier try downloaded, because their URLs may have expired since. */
  reuse: boolean
  signal: AbortSignal
  addMedia: (path: string) => string
  log: Log
}

const maxPeople = 10

/**
 * A missing still never prevents keeping the video. Rejects when `signal` is aborted, so that an abort is not mistaken
 * for "no stills".
 */
export async function fetchStills({ client, answer, dir, reuse, signal, addMedia, log }: StillsOptions) {
  await mkdir(dir, { recursive: true })
  const still = async (name: string, url: string | undefined): Promise<string | null> => {
    const path = join(dir, name)
    try {
      const isThere = reuse && (await exists(path))
      if (!isThere && url === undefined) return null
      if (!isThere && url !== undefined) await client.download(url, path, { signal, wanted: 'picture' })
      return addMedia(path)
    } catch (error) {
      if (signal.aborted) throw error
      log(`Fetching ${name} failed`, error)
      return null
    }
  }
  const coverId = await still('cover.jpg', answer?.coverUrl ?? undefined)
  const peopleIds: string[] = []
  for (let index = 0; index < maxPeople; index += 1) {
    const id = await still(`person-${String(index)}.jpg`, answer?.avatarUrls[index])
    if (id !== null) peopleIds.push(id)
  }
  return { coverId, peopleIds }
}
