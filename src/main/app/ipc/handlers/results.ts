/** @file IPC handlers for the files of finished swaps: copies, trash, clipboard, drag, default program. */
import { basename, dirname, join } from 'node:path'
import { app, clipboard, nativeImage, shell, type NativeImage } from 'electron'
import { MienError } from '@shared/errors.ts'
import type { DragIcon, FileOutcome, FileProgress } from '@shared/files/file-outcome.ts'
import { exists, folderName } from '../../../machine/disk/files.ts'
import { copyFiles } from '../../../media/copy-files.ts'
import { chooseFiles } from '../../../machine/system/file-dialogs.ts'
import { forEachFile, saveCopies, type FileRun } from '../../../swaps/results/save-copies.ts'
import { atMostEvery } from '../../../machine/transfer/throttle.ts'
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

const progressMs = 100
/** Swaps that are removed in one transaction. */
const removedAtOnce = 50

export function resultsHandlers({ context, window, resourcesDir, send }: HandlerDeps): GroupHandlers<'results'> {
  const { library, tasks, media } = context
  let running: AbortController | null = null

  /** One run at a time; the studio doesn't offer another meanwhile. */
  async function run<T>(work: (run: FileRun) => Promise<T>): Promise<T> {
    if (running) throw new MienError('forbidden')
    const abort = new AbortController()
    running = abort
    const tell = atMostEvery(
      progressMs,
      () => performance.now(),
      (progress: FileProgress) => send('results', 'progress', progress),
    )
    try {
      return await work({ signal: abort.signal, onProgress: tell })
    } finally {
      running = null
    }
  }

  /** Paths of the files that exist. @throws MienError `file-missing` if none does */
  async function pathsOf(numbers: Uint32Array): Promise<[string, ...string[]]> {
    const files = library.files(numbers).map(({ path }) => path)
    const found = await Promise.all(files.map(exists))
    const [first, ...more] = files.filter((_, index) => found[index])
    if (first === undefined)
      throw new MienError('file-missing', files[0] === undefined ? {} : { name: basename(files[0]) })
    return [first, ...more]
  }

  async function trash(numbers: Uint32Array): Promise<FileOutcome> {
    const files = library.files(numbers)
    const withFile = new Set(files.map(({ number }) => number))
    const others = numbers.filter((number) => !withFile.has(number))
    if (others.length > 0) library.remove(others)
    let trashed: number[] = []
    const remove = (): void => {
      if (trashed.length > 0) library.remove(Uint32Array.from(trashed))
      trashed = []
    }
    const outcome = await run((options) =>
      forEachFile(
        files,
        async ({ number, path }) => {
          const details = { name: basename(path) }
          if (await exists(path)) {
            await shell.trashItem(path).catch((error: unknown) => {
              throw new MienError('trash-failed', details, { cause: error })
            })
            // Its drive isn't connected: the file is not gone.
          } else if (!(await exists(dirname(path)))) throw new MienError('file-missing', details)
          trashed.push(number)
          if (trashed.length >= removedAtOnce) remove()
        },
        options,
      ),
    ).finally(remove)
    return { ...outcome, unfinished: others.length, folder: null }
  }

  return {
    saveCopies: async ({ numbers }) => {
      const files = library.files(numbers)
      const unfinished = numbers.length - files.length
      if (files.length === 0)
        return { done: 0, failed: [], failedCount: 0, unfinished, left: 0, problem: null, folder: null }
      const [chosen] = await chooseFiles(window(), {
        defaultPath: app.getPath('downloads'),
        properties: ['openDirectory', 'createDirectory'],
      })
      if (chosen === undefined) return null
      const outcome = await run((options) => saveCopies(files, chosen, options))
      const folder = folderName(chosen)
      const { problem } = outcome
      return {
        ...outcome,
        problem: problem && { ...problem, details: { folder, ...problem.details } },
        ...{ unfinished, folder },
      }
    },
    trash: ({ numbers }) => trash(numbers),
    stop: () => running?.abort(),
    open: async ({ taskId }) => {
      const { result } = tasks.get(taskId)
      const path = result && media.path(result.mediaId)
      if (path === null) throw new MienError('not-found', { id: taskId })
      const name = basename(path)
      if (!(await exists(path))) throw new MienError('file-missing', { name })
      const problem = await shell.openPath(path)
      if (problem !== '') throw new MienError('open-failed', { name }, { cause: problem })
    },
    copyFiles: async ({ numbers }) => {
      const paths = await pathsOf(numbers)
      await copyFiles(paths)
      return { count: paths.length }
    },
    copyPaths: async ({ numbers }) => {
      const paths = library.files(numbers).map(({ path }) => path)
      await clipboard.writeText(paths.join('\n'))
      return { count: paths.length }
    },
    drag: async ({ numbers, icon }) => {
      const files = await pathsOf(numbers)
      window()?.webContents.startDrag({
        file: files[0],
        files,
        icon: icon ? pictureOf(icon) : join(resourcesDir, 'icons', 'linux', '32x32.png'),
      })
    },
  }
}

/** No file is decoded in this process: the page sends pixels. */
function pictureOf({ width, height, pixels: rgba }: DragIcon): NativeImage {
  const pixels = Buffer.from(rgba)
  for (let at = 0; at < pixels.length; at += 4) pixels.subarray(at, at + 3).reverse()
  return nativeImage.createFromBitmap(pixels, { width, height })
}
