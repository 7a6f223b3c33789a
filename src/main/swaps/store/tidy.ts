/** @file Cleans up after earlier runs in small steps while idle: removed swaps, unused media, stray folders. */
import { opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../machine/log/log.ts'
import type { MediaStore } from '../../media/media-store.ts'
import type { TaskStore } from './task-store.ts'

interface TidyDeps {
  store: TaskStore
  media: MediaStore
  mediaDir: string
  /** Tidies the people of videos. */
  tidyPeople?: () => Promise<void>
  /** Called after swaps were deleted, because their jobs must be ended. */
  onForgotten: () => void
  log: Log
}

/** A step takes a few ms, then leaves the process idle for `restMs`. */
const stepSize = 50
const restMs = 20

/** `startedAt` (epoch ms): anything removed or added later is still in use. Stops early when `signal` is aborted. */
export async function tidy(deps: TidyDeps, startedAt: number, signal: AbortSignal): Promise<void> {
  const rest = (): Promise<void> => sleep(restMs, undefined, { signal })
  await purgeRemoved(deps, startedAt, rest)
  await dropUnused(deps, startedAt, rest)
  await removeStrayFolders(deps, startedAt, rest)
  await deps.tidyPeople?.()
}

/** Delay, so that startup comes first. */
const afterMs = 5000

/** Starts tidying after a few seconds. Returns a function that stops it, at the latest after the current step. */
export function tidyLater(deps: TidyDeps, startedAt: number): () => Promise<void> {
  const abort = new AbortController()
  const { signal } = abort
  const work = sleep(afterMs, undefined, { signal, ref: false })
    .then(() => tidy(deps, startedAt, signal))
    .catch((error: unknown) => {
      if (!signal.aborted) deps.log('Clearing up after earlier runs failed', error)
    })
  return async () => {
    abort.abort()
    await work
  }
}

type Rest = () => Promise<void>

async function purgeRemoved(
  { store, media, mediaDir, onForgotten }: TidyDeps,
  before: number,
  rest: Rest,
): Promise<void> {
  for (;;) {
    const tasks = store.removedBefore(before, stepSize)
    if (tasks.length === 0) return
    for (const task of tasks) {
      const ids = store.purge(task)
      media.drop(ids)
      for (const id of [task.id, ...ids]) await rm(join(mediaDir, id), { recursive: true, force: true })
    }
    onForgotten()
    await rest()
  }
}

async function dropUnused({ media, mediaDir }: TidyDeps, before: number, rest: Rest): Promise<void> {
  for (;;) {
    const ids = media.unusedBefore(before, stepSize)
    if (ids.length === 0) return
    media.drop(ids)
    for (const id of ids) await rm(join(mediaDir, id), { recursive: true, force: true })
    await rest()
  }
}

/**
 * Folders are named after a swap or media id. A pasted picture has a separate folder, kept while its path is in use.
 */
async function removeStrayFolders({ store, media, mediaDir }: TidyDeps, before: number, rest: Rest): Promise<void> {
  let seen = 0
  for await (const { name } of await opendir(mediaDir)) {
    seen += 1
    if (seen % stepSize === 0) await rest()
    if (store.has(name) || media.has(name)) continue
    const folder = join(mediaDir, name)
    if (media.uses(folder) || (await stat(folder)).mtimeMs >= before) continue
    await rm(folder, { recursive: true, force: true })
  }
}
