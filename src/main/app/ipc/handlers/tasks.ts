/** @file IPC handlers for swaps, and for what happens at the end of their queue. */
import { constants, existsSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { app, shell } from 'electron'
import { MienError, toErrorBody } from '@shared/errors.ts'
import { maxListedFailures } from '@shared/files/file-outcome.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { AddedAgain } from '@shared/ipc/contract.ts'
import { safeName } from '@shared/files/name-template.ts'
import { extensionsOf, resultFormatOf } from '@shared/tasks/output.ts'
import type { Draft, Task } from '@shared/tasks/task.ts'
import { isDiskFull, onDisk } from '../../../machine/disk/disk-errors.ts'
import { chooseTarget, saveWhereChosen } from '../../../machine/system/file-dialogs.ts'
import { draftsWith, type Repeated } from '../../../swaps/drafts.ts'
import { resultName } from '../../../swaps/results/place-file.ts'
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

/** Whole swaps that are read without a break. */
const readAtOnce = 500

export function tasksHandlers({ context, window }: HandlerDeps): GroupHandlers<'tasks'> {
  const { tasks, media, library } = context
  const resultPath = (task: Task): string => {
    const path = task.result ? media.path(task.result.mediaId) : null
    if (path === null) throw new MienError('not-found', { id: task.id })
    return path
  }
  /** Where results were saved last, by swap. */
  const saved = new Map<string, string>()
  return {
    snapshot: () => library.snapshot(),
    get: ({ taskId }) => ({ json: library.whole(taskId) }),
    submit: async (draft) => {
      context.settings.set({ lastProfileId: draft.profileId })
      await tasks.checkService(draft)
      return tasks.submit(draft)
    },
    submitAll: async ({ drafts }) => {
      const check = tasks.serviceCheck()
      for (const draft of drafts) await check(draft)
      return { numbers: library.numbersOf(tasks.submitAll(drafts).taskIds) }
    },
    submitAgain: async ({ numbers, faceId }) => {
      const swaps: Repeated[] = []
      // In between, the window's other requests are answered.
      for (let at = 0; at < numbers.length; at += readAtOnce) {
        swaps.push(...library.repeated(numbers.subarray(at, at + readAtOnce)))
        await setImmediate()
      }
      const all = draftsWith(media.face(faceId), swaps, context.settings.settings.batchTitles)
      const check = tasks.serviceCheck()
      const drafts: Draft[] = []
      const failed: AddedAgain['failed'] = []
      for (const draft of all) {
        try {
          await check(draft)
          tasks.checkDraft(draft)
          drafts.push(draft)
        } catch (thrown) {
          failed.push({ title: draft.title, error: toErrorBody(thrown) })
        }
      }
      const taskIds = drafts.length > 0 ? tasks.submitAll(drafts).taskIds : []
      const listed = { failed: failed.slice(0, maxListedFailures), failedCount: failed.length }
      return { numbers: library.numbersOf(taskIds), ...listed }
    },
    cancel: ({ taskIds }) => tasks.cancel(taskIds),
    pause: ({ taskIds }) => tasks.pauses.pause(taskIds),
    resume: ({ taskIds }) => tasks.pauses.resume(taskIds),
    retry: ({ taskId }) => tasks.retry(taskId),
    decide: ({ taskId, decision, objectId }) => tasks.decide(taskId, decision, objectId),
    rename: ({ taskId, title, withFile }) => tasks.rename(taskId, title, withFile),
    move: ({ taskId, to }) => tasks.move(taskId, to),
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
      const path = await chooseTarget(window(), options)
      if (path === null) return null
      await copyResult(from, path, task)
      saved.set(taskId, path)
      return { fileName: basename(path), folderName: basename(dirname(path)) }
    },
    showSaved: ({ taskId }) => {
      const path = saved.get(taskId)
      if (path === undefined || !existsSync(path)) throw new MienError('file-missing')
      shell.showItemInFolder(path)
    },
    saveFrame: async ({ taskId, side, time }) => {
      const task = tasks.get(taskId)
      const video = side === 'after' ? resultPath(task) : media.path(task.video.id)
      if (video === null) throw new MienError('file-missing', { name: task.video.name })
      const name = safeName(`${task.title} ${frameTime(time)}${side === 'before' ? ` ${m.before()}` : ''}`)
      const options = {
        defaultPath: join(app.getPath('pictures'), `${name}.png`),
        filters: [{ name: m.dialog_pictures(), extensions: ['png'] }],
      }
      return saveWhereChosen(window(), options, async (path) => {
        const dir = await mkdtemp(join(app.getPath('temp'), 'mien-frame-'))
        try {
          await context.engine.extractFrame(video, time, dir)
          const [frame, signed] = [join(dir, 'frame.png'), join(dir, 'signed.png')]
          const isSigned =
            side === 'after' && (await context.credentials.signFrame(task, video, frame, signed)) === 'signed'
          await onDisk(copyFile(isSigned ? signed : frame, path), path)
        } finally {
          await rm(dir, { recursive: true, force: true })
        }
      })
    },
    showInFolder: ({ taskId }) => shell.showItemInFolder(resultPath(tasks.get(taskId))),
    record: ({ taskId }) => ({ json: tasks.record(taskId) }),
    looking: ({ taskId }) => {
      library.looking(taskId)
      tasks.looking(taskId)
    },
  }
}

export const queueHandlers = ({ allDone }: HandlerDeps): GroupHandlers<'queue'> => ({
  whenDone: () => allDone.view,
  chooseWhenDone: ({ action }) => allDone.choose(action),
  cancelSleep: () => allDone.cancelSleep(),
})

export function versionsHandlers({ context: { versions }, send }: HandlerDeps): GroupHandlers<'versions'> {
  versions.onProgress((progress) => send('versions', 'progress', progress))
  return {
    make: async ({ taskId, change }) => ({ number: await versions.make(taskId, change) }),
    stop: ({ taskId }) => versions.stop(taskId),
    goBack: ({ taskId, number }) => versions.goBack(taskId, number),
  }
}

export function libraryHandlers({ context: { library } }: HandlerDeps): GroupHandlers<'library'> {
  return {
    view: (query) => library.view(query),
    rows: ({ numbers }) => ({ json: library.rows(numbers) }),
    sets: ({ numbers }) => ({ json: library.sets(numbers) }),
    remove: ({ numbers }) => library.remove(numbers),
    restore: ({ numbers }) => library.restore(numbers),
    facets: () => library.facets(),
    tag: ({ changes }) => library.labels.tag(changes),
    tagsOf: ({ numbers }) => library.labels.tagsOf(numbers),
    setFavourite: ({ numbers, favourite }) => library.labels.setFavourite(numbers, favourite),
    note: ({ number }) => ({ note: library.labels.note(number) }),
    setNote: ({ number, note }) => ({ before: library.labels.setNote(number, note) }),
  }
}

/** 64.28 → "01-04.280": a time that may be in a file name. */
function frameTime(seconds: number): string {
  const ms = Math.max(0, Math.round(seconds * 1000))
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / 60_000)}-${two((ms % 60_000) / 1000)}.${String(ms % 1000).padStart(3, '0')}`
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
