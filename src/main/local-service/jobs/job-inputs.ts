/** @file Provides a job's pictures and video, from an upload or the web. */
import { join } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { replaceFile } from '../../data/busy-files.ts'
import type { FreeBytes } from '../../data/free-bytes.ts'
import type { Source } from './media-source.ts'
import type { AssetStore } from '../store/asset-store.ts'
import { fetchAddress } from './fetch-address.ts'
import type { SwapJob } from './engine-port.ts'
import type { Job } from './job.ts'
import { exists } from './job-folder.ts'

export interface JobInputsDeps {
  assets: AssetStore
  fetch: typeof globalThis.fetch
  free: FreeBytes
}

export class JobInputs {
  constructor(private readonly deps: JobInputsDeps) {}

  /**
   * Downloads all in parallel. An error of a picture has priority and aborts the video.
   * @param folder of the job; downloads stay in its `input`
   * @returns their paths
   */
  async bring(job: Job, folder: string, signal: AbortSignal): Promise<Pick<SwapJob, 'cast' | 'video'>> {
    const wrongFace = new AbortController()
    const face = this.one(job, job.image, 'image', folder, signal)
    const pictures = Promise.all(
      job.pictures.map((picture, index) => this.one(job, picture, `picture-${String(index)}`, folder, signal)),
    )
    const video = this.one(job, job.video, 'video', folder, AbortSignal.any([signal, wrongFace.signal]))
    for (const picture of [face, pictures])
      picture.catch(() => {
        wrongFace.abort()
      })
    // Wait for both, so that neither still writes to a folder that is cleaned up because of the other.
    await Promise.allSettled([face, pictures, video])
    return { cast: [{ pictures: [await face, ...(await pictures)], clips: null }], video: await video }
  }

  private async one(
    job: Job,
    source: Source,
    name: 'image' | 'video' | `picture-${string}`,
    folder: string,
    signal: AbortSignal,
  ): Promise<string> {
    if (source.kind === 'asset') {
      if (!this.deps.assets.get(source.id, job.userId)) throw new MienError('file-missing')
      return this.deps.assets.path(source.id)
    }
    const path = join(folder, 'input', name)
    if (await exists(path)) return path
    const fetching = `${path}.part`
    const kind = name === 'video' ? 'video' : 'image'
    await fetchAddress(this.deps.fetch, source.url, fetching, kind, this.deps.free, signal)
    await replaceFile(fetching, path)
    return path
  }
}
