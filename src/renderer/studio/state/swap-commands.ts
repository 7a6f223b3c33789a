/** @file What the user does with swaps: adds, removes, renames, cancels and repeats them, and uses their files. */
import { errorText } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { TaskSummary } from '@shared/tasks/task-row.ts'
import type { Studio } from './studio.svelte.ts'
import { isComplete, type FileWork } from './library/files.svelte.ts'
import { cancelledToast, filesToast, removedToast } from './library/swap-toasts.ts'
import { listedProblems } from './app/toasts.svelte.ts'

export class SwapCommands {
  constructor(private readonly studio: Studio) {}

  /** Adds the swap of the composer. */
  submit(): void {
    this.studio.try(async () => {
      const { profileId, options: swapOptions, usesOwn } = this.studio.composer
      const taskId = await this.studio.composer.submit()
      if (taskId === null) return
      const { settings } = this.studio.app
      if (!settings.stayInComposer) this.studio.open(taskId)
      else {
        const show = (): void => this.studio.open(taskId)
        this.studio.toasts.show({
          icon: 'done',
          title: m.batch_added({ count: 1 }),
          action: { label: m.show(), run: show },
        })
      }
      const isSame = JSON.stringify(settings.swapOptions) === JSON.stringify(swapOptions)
      if (usesOwn && (settings.lastProfileId !== profileId || !isSame))
        await this.studio.app.set({ lastProfileId: profileId, swapOptions })
    })
  }

  /** Adds all swaps of the batch. The composer stays, with its faces. */
  submitAll(): void {
    this.studio.try(async () => {
      const { profileId, options: swapOptions, usesOwn } = this.studio.composer
      const numbers = await this.studio.batch.submit(this.studio.app.settings.batchTitles)
      if (numbers === null) return
      this.#added(numbers)
      if (usesOwn) await this.studio.app.set({ lastProfileId: profileId, swapOptions })
    })
  }

  /** The sample face ships with Mien, so it needs no consent. */
  async submitSample(): Promise<void> {
    const { face, video, title } = await this.studio.bridge.intake.sample()
    const embedded = this.studio.app.profiles.find((profile) => profile.embedded)
    const { taskId } = await this.studio.bridge.tasks.submit({
      faceId: face.id,
      videoId: video.id,
      title,
      profileId: embedded?.id ?? this.studio.composer.profileId,
    })
    this.studio.open(taskId)
  }

  /** A removed swap has no page. The library shows that it is gone. */
  #leavePage(): void {
    if (this.studio.routes.route.view === 'task') this.studio.routes.go({ view: 'library' })
  }

  /** @param swaps numbers of the swaps */
  remove(swaps: Iterable<number>): void {
    const numbers = Uint32Array.from(swaps)
    this.#leavePage()
    this.studio.library.clear()
    const { library } = this.studio.bridge
    this.studio.do(async () => {
      const removed = await library.remove({ numbers })
      if (removed.count === 0) return null
      return {
        ...removedToast(removed),
        undo: () => library.restore({ numbers }),
        redo: () => library.remove({ numbers }),
      }
    })
  }

  /** The partial work of a local swap is kept for a while, so that cancelling can be undone. */
  cancel(tasks: readonly TaskSummary[]): void {
    const taskIds = tasks.map(({ id }) => id)
    const [first] = tasks
    const canUndo = tasks.every(
      ({ profileId, objectId }) => objectId === null || this.studio.app.profile(profileId)?.embedded,
    )
    const { tasks: bridge } = this.studio.bridge
    this.studio.do(async () => {
      await bridge.cancel({ taskIds })
      if (!first || !canUndo) return null
      return {
        ...cancelledToast(first, tasks.length),
        undo: () => Promise.all(taskIds.map((taskId) => bridge.retry({ taskId }))),
        redo: () => bridge.cancel({ taskIds }),
      }
    })
  }

  /** Swaps were added together. */
  #added(numbers: Uint32Array): void {
    const undo = (): Promise<unknown> => this.studio.bridge.library.remove({ numbers })
    const title = m.batch_added({ count: numbers.length })
    // Removing stops the swaps, so adding them again would not bring them back as they were.
    this.studio.do(() => Promise.resolve({ icon: 'done', title, body: m.batch_added_body(), undo, redo: null }))
  }

  /** @param withFile rename the result's file, too */
  rename({ id, title: before }: TaskSummary, title: string, withFile: boolean): void {
    const rename = (name: string) => (): Promise<void> =>
      this.studio.bridge.tasks.rename({ taskId: id, title: name, withFile })
    this.studio.do(async () => {
      await rename(title)()
      const done = { icon: 'done', title: m.renamed({ title: before }), name: before, isSeen: true } as const
      return { ...done, undo: rename(before), redo: rename(title) }
    }, m.file_not_renamed())
  }

  /** Copies the files of finished swaps into a folder, or moves them to the trash with their swaps. */
  withFiles(work: FileWork, swaps: Iterable<number>): void {
    const numbers = Uint32Array.from(swaps)
    if (work === 'trash') {
      this.#leavePage()
      this.studio.library.clear()
    }
    this.studio.try(async () => {
      const outcome = await this.studio.files.run(work, numbers)
      if (outcome !== null && isComplete(outcome)) this.studio.toasts.show(filesToast(work, outcome))
    })
  }

  copyFiles(swaps: Iterable<number>): void {
    this.studio.try(async () => {
      const { count } = await this.studio.bridge.results.copyFiles({ numbers: Uint32Array.from(swaps) })
      this.studio.toasts.show({ icon: 'copied', title: m.files_copied({ count }) })
    })
  }

  copyPaths(swaps: Iterable<number>): void {
    this.studio.try(async () => {
      const { count } = await this.studio.bridge.results.copyPaths({ numbers: Uint32Array.from(swaps) })
      this.studio.toasts.show({ icon: 'copied', title: m.paths_copied({ count }) })
    })
  }

  openInPlayer({ id }: TaskSummary): void {
    this.studio.try(() => this.studio.bridge.results.open({ taskId: id }))
  }

  /** Adds swaps like these with a face that may be used. */
  async submitAgain(numbers: Uint32Array, faceId: string): Promise<void> {
    const { numbers: added, failed, failedCount } = await this.studio.bridge.tasks.submitAgain({ numbers, faceId })
    if (added.length > 0) this.#added(added)
    if (failedCount === 0) return
    const problems = failed.map(({ title, error }) => `${title}: ${errorText(error).title}`)
    const body = listedProblems(problems, failedCount)
    this.studio.toasts.show({ icon: 'problem', title: m.swaps_not_repeated({ count: failedCount }), body })
  }

  saveAs(task: TaskSummary): void {
    this.studio.try(
      async () => {
        const saved = await this.studio.bridge.tasks.saveAs({ taskId: task.id })
        if (saved === null) return
        const { fileName, folderName } = saved
        const show = (): void => this.studio.try(() => this.studio.bridge.tasks.showSaved({ taskId: task.id }))
        this.studio.toasts.show({
          ...{ icon: 'done', title: m.toast_saved({ title: fileName }), name: fileName },
          body: m.toast_finished_in({ folder: folderName }),
          action: { label: m.show_in_folder(), run: show },
        })
      },
      m.toast_not_saved({ title: task.title }),
    )
  }

  showInFolder(task: TaskSummary): void {
    this.studio.try(() => this.studio.bridge.tasks.showInFolder({ taskId: task.id }))
  }

  /** Shows the credentials of a finished swap's file. */
  checkCredentials({ id }: TaskSummary): void {
    this.studio.routes.go({ view: 'verify' })
    void this.studio.verify.ofSwap(id)
  }

  /** Fills the slots with the media of a swap. The slot named by `without` stays empty and opens its file chooser. */
  again({ id }: TaskSummary, without?: 'face' | 'video'): void {
    const parts = (['face', 'video'] as const).filter((mediaSlot) => mediaSlot !== without)
    this.studio.try(async () => {
      const filled = this.studio.composer.prefill(await this.studio.tasks.whole(id), parts)
      this.studio.routes.go({ view: 'compose' })
      await filled
      if (without === 'video') await this.studio.intake.chooseVideo()
      if (without === 'face') await this.studio.intake.chooseFace()
    })
  }

  /** Resumes a paused swap, or its whole service queue if that is paused. */
  resume(task: TaskSummary): void {
    const { id, profileId, pause } = task
    this.studio.try(async () => {
      if (pause === 'service') await this.studio.bridge.profiles.pause({ profileId, paused: false })
      else await this.studio.bridge.tasks.resume({ taskIds: [id] })
    })
  }

  retry(task: TaskSummary): void {
    this.studio.try(() => this.studio.bridge.tasks.retry({ taskId: task.id }))
  }
}
