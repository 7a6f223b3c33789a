/** @file Provides a job's pictures and video, from an upload or the web. */
import { basename, join } from 'node:path'
import { replaceFile, exists, type FreeBytes, reserveBytes } from '../../machine/disk/files.ts'
import type { Clip } from '@shared/people/people.ts'
import type { Source, Job } from './job.ts'
import type { SwapJob } from '../../engine/host/engine-host.ts'
import { fetchFile } from '../../machine/transfer/fetch-file.ts'

export interface JobInputsDeps {
  /** An upload's path; it may bring the file to `path`. @throws MienError `file-missing` */
  upload: (assetId: string, path: string, signal: AbortSignal) => Promise<string>
  fetch: typeof globalThis.fetch
  free: FreeBytes
}

/**
 * Provides all in parallel, each once, in `input` of the job's folder. An error of a picture has priority and aborts the
 * video. @param clips of each face of the job's cast
 */
export async function bringInputs(
  deps: JobInputsDeps,
  job: Job,
  clips: readonly Clip[][],
  folder: string,
  signal: AbortSignal,
): Promise<Pick<SwapJob, 'cast' | 'video'>> {
  const wrongFace = new AbortController()
  const brought = new Map<string, Promise<string>>()
  const picture = (source: Source): Promise<string> => {
    const key = JSON.stringify(source)
    const path = brought.get(key) ?? bring(deps, source, join(folder, 'input', `face-${String(brought.size)}`), signal)
    brought.set(key, path)
    return path
  }
  const faces = job.cast.length > 0 ? job.cast : [[job.image, ...job.pictures]]
  const pictures = Promise.all(faces.map((sources) => Promise.all(sources.map(picture))))
  const video = bring(deps, job.video, join(folder, 'input', 'video'), AbortSignal.any([signal, wrongFace.signal]))
  pictures.catch(() => {
    wrongFace.abort()
  })
  // Wait for all, so that none still writes to a folder that is cleaned up because of another.
  await Promise.allSettled([...brought.values(), video])
  const cast = (await pictures).map((paths, index) => ({
    pictures: paths,
    clips: job.cast.length > 0 ? (clips[index] ?? []) : null,
  }))
  return { cast, video: await video }
}

async function bring(
  { upload, fetch, free }: JobInputsDeps,
  source: Source,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  if (source.kind === 'asset') return upload(source.id, path, signal)
  if (await exists(path)) return path
  const fetching = `${path}.part`
  const kind = basename(path) === 'video' ? 'video' : 'image'
  await fetchFile(new URL(source.url), fetching, kind, { fetch, signal, reserveBytes, freeBytes: free, sync: true })
  await replaceFile(fetching, path)
  return path
}
