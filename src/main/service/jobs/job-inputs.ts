/** @file Provides a job's pictures and video, from an upload or the web. */
import { join } from 'node:path'
import { replaceFile, exists, type FreeBytes, reserveBytes } from '../../machine/disk/files.ts'
import type { Clip } from '@shared/people/people.ts'
import type { Source, Job } from './job.ts'
import type { SwapJob } from '../../engine/host/engine-host.ts'
import { fetchFile } from '../../machine/transfer/fetch-file.ts'

/** Downloads a face picture or a video from the URL in a create. Rejects as `fetchFile`. */
export const fetchAddress = (
  fetch: typeof globalThis.fetch,
  url: string,
  path: string,
  kind: 'image' | 'video',
  freeBytes: FreeBytes,
  signal: AbortSignal,
): Promise<void> => fetchFile(new URL(url), path, kind, { fetch, signal, reserveBytes, freeBytes, sync: true })

export interface JobInputsDeps {
  /**
   * Returns an upload's path; it may bring the file to `path`.
   * @throws MienError `file-missing`
   */
  upload: (job: Job, assetId: string, path: string, signal: AbortSignal) => Promise<string>
  fetch: typeof globalThis.fetch
  free: FreeBytes
}

export class JobInputs {
  constructor(private readonly deps: JobInputsDeps) {}

  /**
   * Downloads all in parallel, each once. An error of a picture has priority and aborts the video.
   * @param clips of each face of the job's cast
   * @param folder of the job; they stay in its `input`
   * @returns their paths
   */
  async bring(
    job: Job,
    clips: readonly Clip[][],
    folder: string,
    signal: AbortSignal,
  ): Promise<Pick<SwapJob, 'cast' | 'video'>> {
    const wrongFace = new AbortController()
    const brought = new Map<string, Promise<string>>()
    const picture = (source: Source): Promise<string> => {
      const key = JSON.stringify(source)
      const path = brought.get(key) ?? this.one(job, source, `face-${String(brought.size)}`, folder, signal)
      brought.set(key, path)
      return path
    }
    const faces = job.cast.length > 0 ? job.cast : [[job.image, ...job.pictures]]
    const pictures = Promise.all(faces.map((sources) => Promise.all(sources.map(picture))))
    const video = this.one(job, job.video, 'video', folder, AbortSignal.any([signal, wrongFace.signal]))
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

  private async one(
    job: Job,
    source: Source,
    name: 'video' | `face-${string}`,
    folder: string,
    signal: AbortSignal,
  ): Promise<string> {
    const path = join(folder, 'input', name)
    if (source.kind === 'asset') return this.deps.upload(job, source.id, path, signal)
    if (await exists(path)) return path
    const fetching = `${path}.part`
    const kind = name === 'video' ? 'video' : 'image'
    await fetchAddress(this.deps.fetch, source.url, fetching, kind, this.deps.free, signal)
    await replaceFile(fetching, path)
    return path
  }
}
