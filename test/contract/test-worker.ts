/** @file A small worker for the contract tests, on the same queue and storage as a real one. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineProgress } from '@shared/engine.ts'
import { toErrorBody } from '@shared/errors.ts'
import type { Database } from '../../src/main/service/cluster/database/database.ts'
import { blobName } from '../../src/main/service/cluster/swap-table.ts'
import type { BlobStorage } from '../../src/main/service/cluster/storage/blob-storage.ts'
import { SqlWorkQueue, type Lease, type SwapFile, type WorkerId } from '../../src/main/service/cluster/work-queue.ts'
import type { EnginePort } from '../../src/main/service/jobs/engine-port.ts'
import type { Source } from '../../src/main/service/jobs/media-source.ts'

export interface TestWorkerDeps {
  db: Database
  storage: BlobStorage
  engine: EnginePort
  dir: string
  id?: WorkerId
}

const pauseMs = 20

export class TestWorker {
  readonly #queue: SqlWorkQueue
  readonly #stopping = new AbortController()
  #done: Promise<void> = Promise.resolve()

  constructor(private readonly deps: TestWorkerDeps) {
    this.#queue = new SqlWorkQueue(deps.db)
  }

  start(): void {
    this.#done = this.#run()
  }

  async dispose(): Promise<void> {
    this.#stopping.abort()
    await this.#done
  }

  async #run(): Promise<void> {
    const id = this.deps.id ?? { id: randomUUID(), engine: 'steady', host: 'test' }
    while (!this.#stopping.signal.aborted) {
      const lease = await this.#queue.claim(id)
      if (lease) await this.#work(lease)
      else await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  async #store(name: string, path: string): Promise<SwapFile> {
    const blob = blobName(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    )
    await this.deps.storage.put(blob, path)
    return { name, blob, size: (await stat(path)).size }
  }

  async #input(source: Source, dir: string): Promise<string> {
    const path = join(dir, randomUUID())
    const id = source.kind === 'asset' ? source.id : ''
    const [row] = await this.deps.db.query('SELECT blob FROM assets WHERE id = $1', [id])
    await this.deps.storage.fetch(String(row?.['blob']), path)
    return path
  }

  async #work(lease: Lease): Promise<void> {
    const { job, clips } = lease
    const [dir, input] = [join(this.deps.dir, randomUUID()), join(this.deps.dir, randomUUID())]
    for (const each of [dir, input]) await mkdir(each, { recursive: true })
    const stop = new AbortController()
    const onStop = (): void => stop.abort()
    this.#stopping.signal.addEventListener('abort', onStop)
    let progress: EngineProgress | null = null
    const timer = setInterval(() => void report(), pauseMs)
    let reporting = Promise.resolve()
    let shown: number | null = null
    let footage: ({ hasCover: true } & Omit<NonNullable<typeof job.footage>, 'hasCover'>) | undefined
    const report = (): Promise<void> =>
      (reporting = reporting.then(async () => {
        const frame = progress?.previewFrame ?? null
        const files: SwapFile[] = []
        if (progress && frame !== null && frame !== shown) {
          for (const which of ['before', 'after'])
            files.push(await this.#store(`${which}-${String(frame)}.jpg`, join(dir, `${which}.jpg`)))
          if (shown === null) files.push(await this.#store('footage/cover.jpg', join(dir, 'before.jpg')))
          shown = frame
          if (progress.footage) footage = { ...progress.footage, frames: progress.framesTotal, hasCover: true }
        }
        const isMine = await this.#queue.report(lease, {
          live: { progress, previewFrame: shown },
          ...{ files, ...(footage ? { footage } : {}) },
        })
        if (!isMine) stop.abort()
      }))
    try {
      const faces = job.cast.length > 0 ? job.cast : [[job.image, ...job.pictures]]
      const cast = await Promise.all(
        faces.map(async (pictures, at) => ({
          pictures: await Promise.all(pictures.map((each) => this.#input(each, input))),
          clips: job.cast.length > 0 ? (clips.cast[at] ?? []) : null,
        })),
      )
      const onProgress = (next: EngineProgress): void => {
        progress = next
      }
      const { options, range } = job
      const video = await this.#input(job.video, input)
      const swap = {
        id: job.objectId,
        cast,
        stay: clips.stay,
        video,
        range,
        options,
        dir,
        onProgress,
        signal: stop.signal,
      }
      const result = await this.deps.engine.swap(swap)
      clearInterval(timer)
      await report()
      const names = (await readdir(dir)).filter((name) => !/^(?:before|after)\.jpg$/.test(name))
      const files = await Promise.all(names.map((name) => this.#store(`result/${name}`, join(dir, name))))
      await this.#queue.complete(
        lease,
        { ...result, hasAudio: names.includes('audio.m4a'), hasCover: names.includes('cover.jpg') },
        files,
      )
    } catch (error) {
      clearInterval(timer)
      await reporting
      if (stop.signal.aborted) await this.#queue.release(lease)
      else await this.#queue.fail(lease, toErrorBody(error))
    } finally {
      this.#stopping.signal.removeEventListener('abort', onStop)
      for (const each of [dir, input]) await rm(each, { recursive: true, force: true })
    }
  }
}
