/** @file IPC handlers for swaps. */
import { constants } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { app, dialog, shell, type BrowserWindow } from 'electron'
import { MienError } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { PartProgress } from '@shared/part-progress.ts'
import { extensionsOf, resultFormatOf } from '@shared/result-format.ts'
import type { Task } from '@shared/task.ts'
import { isDiskFull } from '../../data/disk-full.ts'
import type { AppContext } from '../../app/app-context.ts'
import { resultName } from '../../tasks/results/result-name.ts'
import type { GroupHandlers } from '../register.ts'

export interface TasksContext {
  context: AppContext
  window: () => BrowserWindow | null
  /** Called when the first snapshot is requested: the window is usable. */
  onFirstSnapshot: () => void
}

export function tasksHandlers({ context, window, onFirstSnapshot }: TasksContext): GroupHandlers<'tasks'> {
  const { tasks, media, library } = context
  const resultPath = (task: Task): string => {
    const path = task.result ? media.path(task.result.mediaId) : null
    if (path === null) throw new MienError('not-found', { id: task.id })
    return path
  }
  return {
    snapshot: () => {
      onFirstSnapshot()
      return library.snapshot()
    },
    get: ({ taskId }) => ({ json: library.whole(taskId) }),
    submit: async (draft) => {
      context.settings.set({ lastProfileId: draft.profileId })
      await tasks.checkService(draft)
      return tasks.submit(draft)
    },
    submitAll: async ({ drafts }) => {
      for (const draft of drafts) await tasks.checkService(draft)
      return tasks.submitAll(drafts)
    },
    cancel: ({ taskIds }) => {
      tasks.cancel(taskIds)
    },
    pause: ({ taskIds }) => {
      tasks.pauses.pause(taskIds)
    },
    resume: ({ taskIds }) => {
      tasks.pauses.resume(taskIds)
    },
    retry: ({ taskId }) => {
      tasks.retry(taskId)
    },
    decide: ({ taskId, decision, objectId }) => {
      tasks.decide(taskId, decision, objectId)
    },
    rename: ({ taskId, title, withFile }) => tasks.rename(taskId, title, withFile),
    move: ({ taskId, to }) => {
      tasks.move(taskId, to)
    },
    saveAs: async ({ taskId }) => {
      const task = tasks.get(taskId)
      const from = resultPath(task)
      const format = resultFormatOf(task.video)
      const options = {
        defaultPath: join(
          app.getPath('downloads'),
          `${resultName(task, context.settings.settings.fileName, Date.now())}.${format}`,
        ),
        filters: [
          { name: format === 'mp4' ? m.dialog_videos() : m.dialog_pictures(), extensions: [...extensionsOf(format)] },
        ],
      }
      const parent = window()
      const chosen = await (parent ? dialog.showSaveDialog(parent, options) : dialog.showSaveDialog(options))
      if (chosen.canceled || chosen.filePath === '') return { saved: false }
      await copyResult(from, chosen.filePath, task)
      return { saved: true }
    },
    showInFolder: ({ taskId }) => {
      shell.showItemInFolder(resultPath(tasks.get(taskId)))
    },
    record: ({ taskId }) => ({ json: tasks.record(taskId) }),
    looking: ({ taskId }) => {
      library.looking(taskId)
      tasks.looking(taskId)
    },
  }
}

export function versionsHandlers(
  { versions }: AppContext,
  onProgress: (progress: PartProgress) => void,
): GroupHandlers<'versions'> {
  versions.onProgress(onProgress)
  return {
    make: ({ taskId, change }) => versions.make(taskId, change),
    stop: ({ taskId }) => {
      versions.stop(taskId)
    },
    goBack: ({ taskId, number }) => versions.goBack(taskId, number),
  }
}

export function libraryHandlers({ library }: AppContext): GroupHandlers<'library'> {
  return {
    view: (query) => library.view(query),
    rows: ({ numbers }) => ({ json: library.rows(numbers) }),
    remove: ({ numbers }) => library.remove(numbers),
    restore: ({ numbers }) => {
      library.restore(numbers)
    },
  }
}

/**
 * Copies a result; the system's dialog already asked about overwriting. @throws MienError `file-missing`, `disk-full`,
 * `folder-read-only`
 */
async function copyResult(from: string, to: string, task: Task): Promise<void> {
  if (from === to) return
  try {
    // Use a copy-on-write clone where the file system supports it.
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    const name = task.result?.fileName ?? task.title
    if (code === 'ENOENT') throw new MienError('file-missing', { name }, { cause: error })
    if (isDiskFull(error)) throw new MienError('disk-full', {}, { cause: error })
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
      throw new MienError('folder-read-only', {}, { cause: error })
    throw error
  }
}
