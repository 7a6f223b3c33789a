/**
 * @file Swaps parts of finished swaps again, and keeps the files before. The file in the user's folder is replaced at
 * once; `placing` (see swaps/rules/versions.ts) is stored before and cleared after, so the next start finishes what a
 * crash interrupted.
 */
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { EngineProgress, ReRenderResult } from '@shared/engine/engine.ts'
import { checkFace } from '@shared/tasks/consent.ts'
import { MienError } from '@shared/errors.ts'
import { InFlight } from '@shared/in-flight.ts'
import { Turns } from '@shared/turns.ts'
import type { CredentialsState, Task, PartChange, TaskResult } from '@shared/tasks/task.ts'
import type { PartProgress } from '@shared/people/part-progress.ts'
import { saveFailure, fileFailure } from '../../machine/disk/disk-errors.ts'
import { stampOf } from '../../machine/disk/files.ts'
import type { ReRenderInput } from '../../engine/host/engine-host.ts'
import type { MediaStore } from '../../media/media-store.ts'
import type { ModelMethods } from '../../engine/models/model-methods.ts'
import { versionOf } from '../rules/versions.ts'
import type { Log } from '../../machine/log/log.ts'
import type { ResultSigner } from '../../provenance/result-signer.ts'
import type { TaskService } from '../task-service.ts'
import type { StoredClips } from '../store/tables.ts'
import { VersionFiles } from './version-files.ts'

interface VersionServiceDeps {
  tasks: Pick<TaskService, 'get' | 'recordVersion' | 'onDelta'>
  media: Pick<MediaStore, 'path' | 'face'>
  engine: { reRender: (job: ReRenderInput) => Promise<ReRenderResult> }
  methods: Pick<ModelMethods, 'of'>
  signer: Pick<ResultSigner, 'sign'>
  clipsOf: (taskId: string) => StoredClips
  /** Whether such a swap exists, removed or not. */
  has: (taskId: string) => boolean
  dir: string
  log: Log
  now: () => number
}

/** Max time to wait on quit for the engine to stop. */
const disposeMs = 3000

/** A finished swap of a video. */
type Finished = Task & { result: TaskResult }

export class VersionService {
  readonly #files: VersionFiles
  /** Queued work of each swap, and of the engine (''). */
  readonly #turns = new Turns()
  /** Of queued and running work. */
  readonly #aborts = new Set<{ taskId: string; abort: AbortController }>()
  readonly #listeners = new Set<(progress: PartProgress) => void>()
  readonly #inFlight = new InFlight()
  readonly #stopListening: () => void
  #isDisposed = false

  constructor(private readonly deps: VersionServiceDeps) {
    this.#files = new VersionFiles(deps.dir)
    this.#stopListening = deps.tasks.onDelta(({ removed }) => {
      for (const id of removed) this.stop(id)
    })
  }

  onProgress(listener: (progress: PartProgress) => void): void {
    this.#listeners.add(listener)
  }

  /** Finishes what an earlier run began, and removes what it left. */
  async start(): Promise<void> {
    for (const taskId of await this.#files.taskIds()) {
      await this.#inTurn(taskId, () => this.#tidy(taskId)).catch((error: unknown) => {
        this.deps.log('Putting the version of a swap in its place failed', error)
      })
    }
  }

  async #tidy(taskId: string): Promise<void> {
    if (!this.deps.has(taskId)) return this.#files.removeOthers(taskId, [])
    const task = this.#find(taskId)
    // A removed swap may come back.
    if (task) await this.#removeOthers(await this.#settle(task))
  }

  #find(taskId: string): Finished | null {
    try {
      return finished(this.deps.tasks.get(taskId))
    } catch {
      return null
    }
  }

  /**
   * Swaps a part again, once earlier ones of all swaps are done.
   * @returns the number of the new version
   * @throws MienError `file-missing`, `part-unsupported` (the video or the result has changed), `forbidden`, codes of the engine and
   *   of `saveFailure`, `cancelled`
   */
  make(taskId: string, change: PartChange): Promise<number> {
    const work = { taskId, abort: new AbortController() }
    const { signal } = work.abort
    this.#aborts.add(work)
    const made = this.#inTurn(taskId, async () => {
      try {
        signal.throwIfAborted()
        this.#tell({ taskId, share: null, etaMs: null })
        return await this.#make(await this.#settle(finished(this.deps.tasks.get(taskId))), change, signal)
      } catch (error) {
        throw signal.aborted ? new MienError('cancelled') : error
      }
    })
    return made.finally(() => this.#aborts.delete(work))
  }

  /** Cancels the queued and running work of a swap. */
  stop(taskId: string): void {
    for (const work of this.#aborts) if (work.taskId === taskId) work.abort.abort()
  }

  /** @throws MienError `file-missing`, `part-unsupported`, codes of `saveFailure` */
  goBack(taskId: string, number: number): Promise<void> {
    return this.#inTurn(taskId, async () => {
      const task = await this.#settle(finished(this.deps.tasks.get(taskId)))
      const version = task.versions?.list.find((one) => one.number === number)
      if (!version) throw new MienError('not-found', { id: taskId })
      if (task.versions?.current === number) return
      await this.#check(task, { mayBeGone: true })
      await checkSize(this.#files.path(taskId, number), version.sizeBytes, task.title)
      await this.#place(this.deps.tasks.recordVersion(taskId, { type: 'version-placing', number, made: null }))
    })
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true
    this.#stopListening()
    for (const { abort } of this.#aborts) abort.abort()
    await this.#inFlight.settled(disposeMs)
  }

  #tell(progress: PartProgress): void {
    for (const listener of this.#listeners) listener(progress)
  }

  /** Runs `work` after the earlier work of the same swap, or of the engine. */
  #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.run(name, () => {
      if (this.#isDisposed) throw new MienError('cancelled')
      return work()
    })
    return this.#inFlight.add(turn)
  }

  async #make(task: Finished, { part, faces, options }: PartChange, signal: AbortSignal): Promise<number> {
    const { tasks, media, methods, engine } = this.deps
    const { id, result } = task
    // Use the options of the whole swap, so that the part fits the rest.
    const { size, quality, label, labelLanguage } = task.options
    const file = await this.#check(task)
    const people = this.#people(task, faces)
    const video = media.path(task.video.id)
    if (video === null) throw new MienError('file-missing', { name: task.video.name })
    await checkSize(video, task.video.sizeBytes, task.video.name)
    const isLeft = people.cast.length === 0
    const dir = await this.#files.makeWork(id)
    try {
      const made = await this.#inTurn('', async () => {
        signal.throwIfAborted()
        let furthest: number | null = null
        const method = isLeft ? null : await methods.of(options)
        return engine.reRender({
          ...{ ...people, video, range: task.range, method: method?.files ?? null, signal },
          options: { ...options, size, quality, label, labelLanguage },
          ...{ dir, result: file.path, part, encoder: result.encoder ?? 'software' },
          onProgress: (progress) => {
            const { share, etaMs } = partProgress(progress)
            // An engine that crashed prepares again.
            if (share !== null) furthest = Math.max(furthest ?? 0, share)
            this.#tell({ taskId: id, share: furthest, etaMs })
          },
        })
      })
      signal.throwIfAborted()
      const kind = isLeft ? 'left' : 'swapped'
      const { file: joined, credentials } = await this.#sign(
        task,
        join(dir, 'joined.mp4'),
        { kind, startMs: part.fromMs, endMs: part.toMs },
        signal,
      )
      const { size: sizeBytes } = await stat(joined)
      const version = versionOf(task, result, { kind, ...part }, { ...made, sizeBytes, credentials }, this.deps.now())
      // Meanwhile, the user may have renamed it, or changed it in another program.
      const now = await this.#check(finished(tasks.get(id)))
      if (now.stamp !== file.stamp) throw changed(result.fileName)
      if (!task.versions) await this.#files.keep(now.path, id, 1)
      await this.#files.take(joined, id, version.number)
      await this.#place(tasks.recordVersion(id, { type: 'version-placing', number: version.number, made: version }))
      return version.number
    } catch (error) {
      throw await saveFailure(error, dir)
    } finally {
      await this.#removeOthers(this.deps.tasks.get(id)).catch((error: unknown) => {
        this.deps.log('Removing what a part’s swap left failed', error)
      })
    }
  }

  /** Returns the signed copy of a file that the engine wrote, or the file if it isn't signed. */
  async #sign(
    task: Finished,
    source: string,
    change: NonNullable<Parameters<ResultSigner['sign']>[0]['change']>,
    signal: AbortSignal,
  ): Promise<{ file: string; credentials: CredentialsState }> {
    const target = `${source}.signed`
    const credentials = await this.deps.signer.sign({ task, result: task.result, source, target, change, signal })
    return { file: credentials === 'signed' ? target : source, credentials }
  }

  /** The engine's cast. @throws MienError `not-found`, `file-missing`, `bad-argument`, codes of `checkFace` */
  #people(task: Task, faces: PartChange['faces']): Pick<ReRenderInput, 'cast' | 'stay'> {
    const { media, clipsOf } = this.deps
    const entries = task.cast.length > 0 ? task.cast : [{ face: task.face, pictures: task.pictures, personId: null }]
    if (faces.length !== entries.length) throw new MienError('bad-argument', { field: 'faces' })
    const clips = clipsOf(task.id)
    const stay = [...clips.stay]
    const cast = entries.flatMap(({ personId }, at): ReRenderInput['cast'] => {
      const own = personId === null ? null : (clips.cast[personId] ?? [])
      const index = faces[at] ?? null
      if (index === null) {
        stay.push(...(own ?? []))
        return []
      }
      const entry = typeof index === 'string' ? { face: media.face(index), pictures: [] } : entries[index]
      if (!entry) throw new MienError('bad-argument', { field: 'faces' })
      const pictures = [entry.face, ...entry.pictures].map(({ id, name }) => {
        checkFace(media.face(id))
        const path = media.path(id)
        if (path === null) throw new MienError('file-missing', { name })
        return path
      })
      return [{ pictures, clips: own }]
    })
    return { cast, stay }
  }

  /** Checks that the file in the user's folder is the recorded one. */
  async #check({ result, title }: Finished, { mayBeGone = false } = {}): Promise<{ path: string; stamp: string }> {
    const path = this.deps.media.path(result.mediaId)
    if (path === null) throw new MienError('file-missing', { name: title })
    const isGone = mayBeGone && (await stampOf(path).catch(() => null)) === null
    if (isGone) return { path, stamp: '' }
    await checkSize(path, result.sizeBytes, result.fileName)
    return { path, stamp: await stampOf(path) }
  }

  /** Finishes placing a version after a crash (`placing`), unless the user changed the file since. */
  async #settle(task: Finished): Promise<Finished> {
    const { versions, result, id } = task
    if (!versions?.placing) return task
    const path = this.deps.media.path(result.mediaId) ?? ''
    const own = [versions.current, versions.placing.number]
    const sizes = versions.list.flatMap(({ number, sizeBytes }) => (own.includes(number) ? sizeBytes : []))
    const size = (await stat(path).catch(() => null))?.size ?? null
    if (size === null || sizes.includes(size)) return finished(await this.#place(task))
    return finished(this.deps.tasks.recordVersion(id, { type: 'version-not-placed' }))
  }

  async #place(task: Task): Promise<Task> {
    const { tasks, media } = this.deps
    const { id, versions, result } = task
    const path = result && media.path(result.mediaId)
    if (!versions?.placing || path == null) return task
    try {
      await this.#files.place(id, versions.placing.number, path)
    } catch (error) {
      // Without the folder, nothing shows which file is there.
      if (await stat(dirname(path)).catch(() => null)) tasks.recordVersion(id, { type: 'version-not-placed' })
      throw await saveFailure(error, path, result?.sizeBytes)
    }
    return tasks.recordVersion(id, { type: 'version-placed' })
  }

  async #removeOthers({ id, versions }: Task): Promise<void> {
    await this.#files.removeOthers(id, versions?.list.map(({ number }) => number) ?? [])
  }
}

/** @throws MienError `bad-argument` for other swaps */
function finished(task: Task): Finished {
  const { result, video, state } = task
  if (state !== 'kept' || !result || video.kind === 'picture') throw new MienError('bad-argument', { field: 'taskId' })
  return { ...task, result }
}

/** A file isn't the one that the swap was made from, or that Mien saved. */
const changed = (name: string): MienError => new MienError('part-unsupported', { reason: 'changed', name })

async function checkSize(path: string, sizeBytes: number | null, name: string): Promise<void> {
  const { size } = await stat(path).catch((error: unknown) => {
    const { code, details } = fileFailure(error)
    throw new MienError(code, { ...details, name }, { cause: error })
  })
  if (sizeBytes !== null && size !== sizeBytes) throw changed(name)
}

/** Share of the frames in the whole work. */
const framesShare = 0.9

function partProgress({ stage, framesDone, framesTotal, etaMs }: EngineProgress): Omit<PartProgress, 'taskId'> {
  if (stage === 'finishing') return { share: framesShare, etaMs: null }
  return { share: stage === 'preparing' || !framesTotal ? null : (framesDone / framesTotal) * framesShare, etaMs }
}
