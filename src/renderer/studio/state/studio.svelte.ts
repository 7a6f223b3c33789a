/** @file State shared by all views. Created once in main.ts and passed down by context. */
import { createContext } from 'svelte'
import { toErrorBody } from '@shared/mien-error.ts'
import { errorText } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { TaskSummary } from '@shared/task-row.ts'
import type { Bridge, Command } from '@shared/ipc.ts'
import type { Settings } from '@shared/settings.ts'
import type { ShortcutName } from '../logic/shortcuts.ts'
import { AppState } from './app.svelte.ts'
import { Batch } from './batch.svelte.ts'
import { Composer } from './composer.svelte.ts'
import { LibraryState } from './library.svelte.ts'
import { QueueState } from './queue.svelte.ts'
import { PartSwaps } from './part-swaps.svelte.ts'
import { Routes } from './routes.svelte.ts'
import { cancelledToast, changedToast, partToast, removedToast } from './swap-toasts.ts'
import { TasksState } from './tasks.svelte.ts'
import { Toasts } from './toasts.svelte.ts'
import { ModelsState } from './models.svelte.ts'
import { UpdatesState } from './updates.svelte.ts'

export class Studio {
  readonly bridge: Bridge
  readonly app: AppState
  readonly tasks: TasksState
  readonly composer: Composer
  readonly batch: Batch
  readonly updates: UpdatesState
  readonly models: ModelsState
  readonly library: LibraryState
  readonly queue: QueueState
  /** Parts of finished swaps that are swapped again. */
  readonly parts: PartSwaps
  readonly routes = new Routes()
  readonly toasts = new Toasts()
  /** Id of the swap that the decision dialog asks about. */
  deciding = $state<string | null>(null)
  /** The swap that the rename dialog is about. */
  renaming = $state.raw<TaskSummary | null>(null)
  /** Whether the shortcuts dialog is open. */
  shortcutsShown = $state(false)
  /** Incremented to request focus for the search field. */
  searchWanted = $state(0)
  /** Current time, for labels such as "2 min ago" and "Today". */
  now = $state(Date.now())
  /** Undoes the last removal or part, so that ⌘Z works after the toast has closed. */
  #lastUndo: (() => void) | null = null
  #stops: (() => void)[] = []
  #clock: ReturnType<typeof setInterval> | null = null

  constructor(bridge: Bridge) {
    this.bridge = bridge
    this.app = new AppState(bridge)
    this.tasks = new TasksState(bridge)
    this.library = new LibraryState({
      bridge: bridge.library,
      sort: () => this.app.settings.librarySort,
      load: (numbers) => this.tasks.load(numbers),
    })
    this.queue = new QueueState(bridge, this.tasks)
    this.parts = new PartSwaps(bridge.versions, {
      onDone: (change, goBack) => {
        this.toasts.show(partToast(change, this.#undoable(goBack)))
      },
      run: (action) => {
        this.try(action)
      },
    })
    this.updates = new UpdatesState(bridge.updates)
    this.models = new ModelsState(bridge.models)
    const hasKey = (profileId: string): boolean => {
      const profile = this.app.profile(profileId)
      return profile === undefined || profile.embedded || (profile.key.kept !== 'none' && !profile.key.refused)
    }
    this.composer = new Composer(bridge, hasKey)
    this.batch = new Batch(bridge, { composer: this.composer, toasts: this.toasts, hasKey })
  }

  async start(): Promise<void> {
    this.#stops = [
      this.bridge.app.command((command) => {
        this.command(command)
      }),
      this.bridge.app.openTask(({ taskId }) => {
        this.open(taskId)
      }),
    ]
    this.#clock = setInterval(() => {
      // Only estimated progress needs a 2 s tick; other labels have minute resolution.
      const moving = this.tasks.active.some(({ expected }) => expected !== null)
      if (moving || Date.now() - this.now >= 20_000) this.now = Date.now()
    }, 2000)
    this.tasks.onTransition = (before, after) => {
      const open = (): void => {
        this.open(after.id)
      }
      const toast = changedToast(before, after, this.routes.route, open)
      if (toast !== null) this.toasts.show(toast)
    }
    this.tasks.onRelisted = () => {
      this.library.changed()
      if (this.queue.isOpen) this.try(() => this.queue.lookForFailed())
    }
    this.parts.start()
    await Promise.all([
      this.app.start(),
      this.tasks.start(),
      this.updates.start(),
      this.models.start(),
      this.queue.start(),
    ])
    await this.library.start()
    const { lastProfileId, swapOptions } = this.app.settings
    const known = this.app.profile(lastProfileId) ?? this.app.profiles.find((profile) => profile.embedded)
    // The model may have been removed since.
    const { method } = swapOptions
    const isThere = this.models.swappers.some(({ id }) => id === method)
    this.composer.start(known?.id ?? lastProfileId, isThere ? swapOptions : { ...swapOptions, method: null })
    if (this.library.counts.all > 0) this.routes.go({ view: 'library' })
  }

  dispose(): void {
    for (const stop of this.#stops) stop()
    if (this.#clock !== null) clearInterval(this.#clock)
    this.app.dispose()
    this.tasks.dispose()
    this.parts.dispose()
    this.library.dispose()
    this.updates.dispose()
    this.queue.dispose()
    this.models.dispose()
    this.composer.dispose()
    this.toasts.dispose()
  }

  command(command: Command): void {
    if (command === 'new-swap') this.routes.go({ view: 'compose' })
    if (command === 'library') this.routes.go({ view: 'library' })
    if (command === 'settings') this.routes.go({ view: 'settings', section: 'services' })
    if (command === 'queue') this.queue.isOpen = !this.queue.isOpen
    if (command === 'undo') this.#undo()
    if (command === 'search') {
      this.routes.go({ view: 'library' })
      this.searchWanted += 1
    }
  }

  /** Clears the request, so that returning to the library later doesn't focus the search field again. */
  searchTaken(): void {
    this.searchWanted = 0
  }

  serviceName(profileId: string): string {
    return this.app.profile(profileId)?.name ?? m.the_service()
  }

  /** Runs an action and shows a failure as a toast. For click and key handlers. */
  try(action: () => Promise<unknown>, title?: string): void {
    action().catch((thrown: unknown) => {
      const error = toErrorBody(thrown)
      if (error.code === 'cancelled') return
      const text = errorText(error)
      this.toasts.show({
        icon: 'problem',
        title: title ?? text.title,
        body: title === undefined ? text.body : m.title_and_body(text),
      })
    })
  }

  open(taskId: string): void {
    this.routes.go({ view: 'task', taskId })
  }

  settings(profileId?: string): void {
    this.routes.go({ view: 'settings', section: 'services', ...(profileId === undefined ? {} : { profileId }) })
  }

  swap(): void {
    this.try(async () => {
      const { profileId, options: swapOptions } = this.composer
      const taskId = await this.composer.submit()
      if (taskId === null) return
      const { settings } = this.app
      if (!settings.stayInComposer) this.open(taskId)
      else {
        const show = (): void => {
          this.open(taskId)
        }
        this.toasts.show({ icon: 'done', title: m.batch_added({ count: 1 }), action: { label: m.show(), run: show } })
      }
      const isSame = JSON.stringify(settings.swapOptions) === JSON.stringify(swapOptions)
      if (settings.lastProfileId !== profileId || !isSame) await this.app.set({ lastProfileId: profileId, swapOptions })
    })
  }

  /** Adds all swaps of the batch. The composer stays, with its faces. */
  swapAll(): void {
    this.try(async () => {
      const { profileId, options: swapOptions } = this.composer
      const taskIds = await this.batch.submit(this.app.settings.batchTitles)
      if (taskIds === null) return
      if (!this.composer.videoPinned) this.batch.clearTargets()
      const undo = (): void => {
        this.remove(taskIds.flatMap((id) => this.tasks.get(id)?.number ?? []))
      }
      const added = { title: m.batch_added({ count: taskIds.length }), body: m.batch_added_body() }
      this.toasts.show({ icon: 'done', ...added, action: { label: m.undo(), run: undo }, undo: true })
      await this.app.set({ lastProfileId: profileId, swapOptions })
    })
  }

  /** The sample face ships with Mien, so it needs no consent. */
  async trySample(): Promise<void> {
    const { face, video, title } = await this.bridge.intake.sample()
    const embedded = this.app.profiles.find((profile) => profile.embedded)
    const { taskId } = await this.bridge.tasks.submit({
      faceId: face.id,
      videoId: video.id,
      title,
      profileId: embedded?.id ?? this.composer.profileId,
    })
    this.open(taskId)
  }

  /** @param swaps numbers of the swaps */
  remove(swaps: Iterable<number>): void {
    const numbers = Uint32Array.from(swaps)
    const { route } = this.routes
    if (route.view === 'task') this.routes.back()
    this.library.clear()
    this.try(async () => {
      const removed = await this.bridge.library.remove({ numbers })
      if (removed.count === 0) return
      const undo = this.#undoable(() => {
        this.try(() => this.bridge.library.restore({ numbers }))
      })
      this.toasts.show(removedToast(removed, undo))
    })
  }

  /** The partial work of a local swap is kept for a while, so that cancelling can be undone. */
  cancel(tasks: readonly TaskSummary[]): void {
    const taskIds = tasks.map(({ id }) => id)
    const [first] = tasks
    const canUndo = tasks.every(({ profileId, objectId }) => objectId === null || this.app.profile(profileId)?.embedded)
    this.try(async () => {
      await this.bridge.tasks.cancel({ taskIds })
      if (!first || !canUndo) return
      const undo = (): void => {
        for (const taskId of taskIds) this.try(() => this.bridge.tasks.retry({ taskId }))
      }
      this.toasts.show(cancelledToast(first, tasks.length, undo))
    })
  }

  /** Returns `undo` for a toast; it works once. */
  #undoable(undo: () => void): () => void {
    const once = (): void => {
      if (this.#lastUndo === once) this.#lastUndo = null
      undo()
    }
    this.#lastUndo = once
    return once
  }

  /** Sets the sort order of the library. */
  sort(librarySort: Settings['librarySort']): void {
    this.try(async () => {
      const set = this.app.set({ librarySort })
      await Promise.all([set, this.library.refresh()])
    })
  }

  #undo(): void {
    if (!this.toasts.undo()) this.#lastUndo?.()
  }

  saveAs(task: TaskSummary): void {
    this.try(
      async () => {
        const { saved } = await this.bridge.tasks.saveAs({ taskId: task.id })
        if (saved) this.toasts.show({ icon: 'done', title: m.toast_saved({ title: task.title }), name: task.title })
      },
      m.toast_not_saved({ title: task.title }),
    )
  }

  /** Runs a shortcut on a swap. @returns whether it can be run */
  shortcut(name: ShortcutName<'swap'>, task: TaskSummary): boolean {
    if (name === 'rename') this.renaming = task
    else if (task.state !== 'kept') return false
    else if (name === 'save-as') this.saveAs(task)
    else this.showInFolder(task)
    return true
  }

  showInFolder(task: TaskSummary): void {
    this.try(() => this.bridge.tasks.showInFolder({ taskId: task.id }))
  }

  /** Fills the slots with the media of a swap. The slot named by `without` stays empty and opens its file chooser. */
  swapAgain({ id }: TaskSummary, without?: 'face' | 'video'): void {
    const parts = (['face', 'video'] as const).filter((mediaSlot) => mediaSlot !== without)
    this.try(async () => {
      const filled = this.composer.prefill(await this.tasks.whole(id), parts)
      this.routes.go({ view: 'compose' })
      await filled
      if (without === 'video') await this.composer.chooseVideo()
      if (without === 'face') await this.composer.chooseFace()
    })
  }

  /** Resumes a paused swap, or its whole service queue if that is paused. */
  resume(task: TaskSummary): void {
    const { id, profileId, pause } = task
    this.try(async () => {
      if (pause === 'service') await this.bridge.profiles.pause({ profileId, paused: false })
      else await this.bridge.tasks.resume({ taskIds: [id] })
    })
  }

  retry(task: TaskSummary): void {
    this.try(() => this.bridge.tasks.retry({ taskId: task.id }))
  }

  copy(text: string, said: string): void {
    this.try(async () => {
      await this.bridge.app.copyText({ text })
      this.toasts.show({ icon: 'copied', title: said })
    })
  }
}

export const [getStudio, setStudio] = createContext<Studio>()
