/** @file The face and the video that a swap is made of: where they lie, and what the engine sees in them. */
import { access, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { MienError } from '@shared/errors.ts'
import type { Source } from './addresses.ts'
import type { AssetStore, FreeBytes } from './asset-store.ts'
import type { EnginePort } from './engine-port.ts'
import { fetchAddress } from './fetch-address.ts'
import type { Job } from './job.ts'
import type { JobStore } from './job-store.ts'

export interface JobInputsDeps {
  jobs: JobStore
  assets: AssetStore
  engine: EnginePort
  fetch: typeof globalThis.fetch
  free: FreeBytes
}

export const there = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

export class JobInputs {
  constructor(private readonly deps: JobInputsDeps) {}

  /** Looks at the face and the video, both at once. What is wrong with the face is told first, and ends the other look. */
  async inspect(job: Job, folder: string, signal: AbortSignal) {
    const wrongFace = new AbortController()
    const onFace = this.inspectFace(job, folder, signal)
    const onVideo = this.inspectVideo(job, folder, AbortSignal.any([signal, wrongFace.signal]))
    onFace.catch(() => {
      wrongFace.abort()
    })
    // Neither goes on in a folder that is cleared for the other's sake.
    await Promise.allSettled([onFace, onVideo])
    return { face: await onFace, ...(await onVideo) }
  }

  private async inspectFace(job: Job, folder: string, signal: AbortSignal): Promise<string> {
    const face = await this.fetch(job, job.image, 'image', folder, signal)
    const to = join(folder, 'input', 'inspected')
    await mkdir(to, { recursive: true })
    await this.deps.engine.inspectFace(face, to, signal)
    return face
  }

  private async inspectVideo(job: Job, folder: string, signal: AbortSignal) {
    const video = await this.fetch(job, job.video, 'video', folder, signal)
    const to = join(folder, 'footage')
    const { width, height, durationMs, frames } = await this.deps.engine.inspectVideo(video, to, signal)
    const hasCover = await there(join(to, 'cover.jpg'))
    this.deps.jobs.update(job.objectId, { footage: { width, height, durationMs, frames, hasCover } })
    return { video, frames }
  }

  private async fetch(
    job: Job,
    source: Source,
    kind: 'image' | 'video',
    folder: string,
    signal: AbortSignal,
  ): Promise<string> {
    if (source.kind === 'asset') {
      if (!this.deps.assets.get(source.id, job.userId)) throw new MienError('file-missing')
      return this.deps.assets.path(source.id)
    }
    const path = join(folder, 'input', kind)
    if (await there(path)) return path
    const fetching = `${path}.part`
    await fetchAddress(this.deps.fetch, source.url, fetching, kind, this.deps.free, signal)
    await rename(fetching, path)
    return path
  }
}
