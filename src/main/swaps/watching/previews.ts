/** @file Downloads the newest stills of a running swap: about twice a second while its page is open, else every 2 s. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Task } from '@shared/tasks/task.ts'
import type { ServiceTask } from '../../remote/client/parsing/read-task.ts'
import type { Parts } from '../store/parts.ts'
import type { TaskDelta } from '../store/task-board.ts'

type PreviewsDeps = Pick<Parts, 'board' | 'services' | 'mediaDir' | 'media' | 'log' | 'clock'>

export class Previews {
  private readonly last = new Map<string, { frame: number; at: number; hasFailed: boolean }>()
  private lookingAt: string | null = null

  constructor(private readonly deps: PreviewsDeps) {}

  looking(taskId: string | null): void {
    this.lookingAt = taskId
  }

  /** Forgets swaps that are no longer in progress. */
  follow({ changed, removed }: Pick<TaskDelta, 'changed' | 'removed'>): void {
    for (const { id, state } of changed) if (state !== 'processing') this.last.delete(id)
    for (const id of removed) this.last.delete(id)
  }

  /** Called with each answer; downloads newer stills in the background when due. */
  heard(task: Task, answer: ServiceTask): void {
    const preview = answer.work?.preview
    if (!preview || answer.status !== 'processing') {
      this.last.delete(task.id)
      return
    }
    const last = this.last.get(task.id)
    const now = this.deps.clock.ticks()
    if (last && (last.frame === preview.frame || now - last.at < (this.lookingAt === task.id ? 400 : 2000))) return
    const next = { frame: preview.frame, at: now, hasFailed: last?.hasFailed ?? false }
    this.last.set(task.id, next)
    this.fetch(task, preview).then(
      () => {
        next.hasFailed = false
      },
      (error: unknown) => {
        // The next one most likely fails, too.
        if (!next.hasFailed) this.deps.log('Fetching a preview failed', error)
        next.hasFailed = true
      },
    )
  }

  private async fetch(task: Task, preview: { frame: number; beforeUrl: string; afterUrl: string }): Promise<void> {
    const dir = join(this.deps.mediaDir(task.id), 'preview')
    await mkdir(dir, { recursive: true })
    const client = this.deps.services.client(task.profileId)
    const path = (side: string): string => join(dir, `${side}-${String(preview.frame)}.jpg`)
    await Promise.all([
      client.download(preview.beforeUrl, path('before'), { temporary: true }),
      client.download(preview.afterUrl, path('after'), { temporary: true }),
    ])
    const { board, media } = this.deps
    const old = board.get(task.id)?.preview
    board.preview(task.id, {
      frame: preview.frame,
      beforeId: media.addTemporary(path('before')),
      afterId: media.addTemporary(path('after')),
    })
    if (!old) return
    media.dropTemporary(old.beforeId)
    media.dropTemporary(old.afterId)
    for (const side of ['before', 'after']) await rm(join(dir, `${side}-${String(old.frame)}.jpg`), { force: true })
  }
}
