/** @file State shared by all views. Created once in main.ts and passed down by context. */
import { createContext } from 'svelte'
import { toErrorBody } from '@shared/mien-error.ts'
import { errorText } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { TaskRow, TaskSummary } from '@shared/task-row.ts'
import type { Bridge } from '@shared/ipc.ts'
import type { Settings } from '@shared/settings.ts'
import { Actions, type Runs } from './actions.svelte.ts'
import { AppState } from './app.svelte.ts'
import { Batch, listedProblems } from './batch.svelte.ts'
import { Composer } from './composer.svelte.ts'
import { ConsentsState } from './consents.svelte.ts'
import { FilesState, isComplete, type FileWork } from './files.svelte.ts'
import { History } from './history.svelte.ts'
import { LabelsState } from './labels.svelte.ts'
import { LibraryState } from './library.svelte.ts'
import { QueueState } from './queue.svelte.ts'
import { PartSwaps } from './part-swaps.svelte.ts'
import { Presets } from './presets.svelte.ts'
import { Routes, type Route } from './routes.svelte.ts'
import { cancelledToast, changedToast, filesToast, partToast, removedToast } from './swap-toasts.ts'
import { TasksState } from './tasks.svelte.ts'
import { Toasts, type Done } from './toasts.svelte.ts'
import { ModelsState } from './models.svelte.ts'
import { UpdatesState } from './updates.svelte.ts'
import { VerifyState } from './verify.svelte.ts'

type Numbered = Pick<TaskRow, 'number'>

export class Studio {
  readonly bridge: Bridge
  readonly app: AppState
  readonly actions: Actions
  readonly tasks: TasksState
  readonly composer: Composer
  readonly batch: Batch
  readonly presets: Presets
  readonly updates: UpdatesState
  readonly models: ModelsState
  readonly library: LibraryState
  readonly labels: LabelsState
  readonly queue: QueueState
  readonly files: FilesState
  /** The file whose credentials are shown. */
  readonly verify: VerifyState
  readonly consents: ConsentsState
  /** Parts of finished swaps that are swapped again. */
  readonly parts: PartSwaps
  readonly routes = new Routes()
  readonly toasts = new Toasts()
  readonly history = new History<Done>()
  /** Id of the swap that the decision dialog asks about. */
  deciding = $state<string | null>(null)
  /** The swap that the rename dialog is about. */
  renaming = $state.raw<TaskSummary | null>(null)
  /** Swaps that a dialog asks about, by number. */
  asking = $state.raw<{ about: 'trash' | 'face'; numbers: Uint32Array } | null>(null)
  /** Whether the shortcuts dialog is open. */
  shortcutsShown = $state(false)
  paletteShown = $state(false)
  /** Incremented to request focus for the search field. */
  searchWanted = $state(0)
  /** Results are dragged to another program, see views/library/drag-out.ts. */
  isDraggingOut = false
  /** Current time, for labels such as "2 min ago" and "Today". */
  now = $state(Date.now())
  #stops: (() => void)[] = []
  #clock: ReturnType<typeof setInterval> | null = null

  constructor(bridge: Bridge) {
    this.bridge = bridge
    this.app = new AppState(bridge)
    this.actions = new Actions({
      mac: () => this.app.info.platform === 'mac',
      own: () => this.app.settings.shortcuts,
    })
    this.actions.offer('anywhere', () => this.#anywhere())
    this.tasks = new TasksState(bridge)
    this.library = new LibraryState({
      bridge: bridge.library,
      sort: () => this.app.settings.librarySort,
      load: (numbers) => this.tasks.load(numbers),
    })
    this.labels = new LabelsState({
      ...{ bridge: bridge.library, tasks: this.tasks, library: this.library },
      perform: (action) => this.perform(action),
      run: (action) => {
        this.try(action)
      },
    })
    this.queue = new QueueState(bridge, this.tasks)
    this.files = new FilesState(bridge.results)
    this.verify = new VerifyState(bridge.credentials)
    this.parts = new PartSwaps(bridge.versions, {
      onDone: (change, step) => {
        this.do(() => Promise.resolve({ ...partToast(change), ...step }))
      },
      onBack: (number, goBack) => {
        this.do(async () => ({
          icon: 'undone',
          title: m.event_went_back({ number }),
          ...(await goBack()),
          isSeen: true,
        }))
      },
      run: (action) => {
        this.try(action)
      },
    })
    this.consents = new ConsentsState({
      bridge,
      onChanged: () => this.composer.faces.refresh(),
      run: (action) => {
        this.try(action)
      },
      do: (action) => {
        this.do(action)
      },
      show: (toast) => {
        this.toasts.show(toast)
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
    const { app, composer, models, toasts } = this
    models.onChange = () => {
      const { method } = composer.options
      if (method === null || models.swappers.some(({ id }) => id === method)) return
      composer.options = { ...composer.options, method: null }
      toasts.show({ icon: 'info', title: m.chosen_model_lost(), body: m.preset_no_model_body() })
    }
    const run = (action: () => Promise<unknown>): void => {
      this.try(action)
    }
    const doAndKeep = (action: () => Promise<Done>): void => {
      this.do(action)
    }
    this.presets = new Presets({ bridge: bridge.presets, app, composer, models, toasts, run, do: doAndKeep })
  }

  async start(): Promise<void> {
    this.#stops = [
      this.bridge.app.command((action) => {
        this.paletteShown = false
        this.actions.run(action)
      }),
      this.bridge.app.openTask(({ taskId }) => {
        this.open(taskId)
      }),
      this.bridge.intake.opened(() => {
        this.#openFiles()
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
    this.files.start()
    this.consents.start()
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
    this.presets.start()
    if (this.library.counts.all > 0) this.routes.go({ view: 'library' })
    this.#openFiles()
  }

  /** Takes the files that the system asked to open into the composer, as a drop does. */
  #openFiles(): void {
    this.try(async () => {
      const found = await this.bridge.intake.takeOpened()
      if (found === null) return
      this.routes.go({ view: 'compose' })
      await this.batch.takeFound(found, null, false)
    })
  }

  dispose(): void {
    for (const stop of this.#stops) stop()
    if (this.#clock !== null) clearInterval(this.#clock)
    this.app.dispose()
    this.tasks.dispose()
    this.parts.dispose()
    this.files.dispose()
    this.consents.dispose()
    this.library.dispose()
    this.updates.dispose()
    this.queue.dispose()
    this.models.dispose()
    this.composer.dispose()
    this.toasts.dispose()
  }

  #anywhere(): Runs<'anywhere'> {
    const goTo = (route: Route) => () => {
      this.routes.go(route)
    }
    return {
      'new-swap': goTo({ view: 'compose' }),
      library: goTo({ view: 'library' }),
      verify: goTo({ view: 'verify' }),
      settings: goTo({ view: 'settings', section: 'services' }),
      queue: () => {
        this.queue.isOpen = !this.queue.isOpen
      },
      search: () => {
        this.routes.go({ view: 'library' })
        this.searchWanted += 1
      },
      undo:
        (this.#hasPartsToUndo || this.history.canUndo) &&
        (() => {
          if (this.#hasPartsToUndo) this.composer.trim?.undo()
          else this.undo()
        }),
      redo:
        (this.#hasPartsToRedo || this.history.canRedo) &&
        (() => {
          if (this.#hasPartsToRedo) this.composer.trim?.redo()
          else this.redo()
        }),
      back: () => {
        this.#back()
        return false
      },
      palette: () => {
        this.paletteShown = true
      },
      shortcuts: () => {
        this.shortcutsShown = true
      },
    }
  }

  /** A toast offers to undo what happened last. Without one, the composer undoes changes of its parts. */
  get #hasPartsToUndo(): boolean {
    const isShown = this.routes.route.view === 'compose' && !this.toasts.list.some(({ step }) => step !== undefined)
    return isShown && this.composer.trim?.canUndo === true
  }
  get #hasPartsToRedo(): boolean {
    const isShown = this.routes.route.view === 'compose' && !this.toasts.list.some(({ icon }) => icon === 'undone')
    return isShown && this.composer.trim?.canRedo === true
  }

  #back(): void {
    const { view } = this.routes.route
    if (document.fullscreenElement) void document.exitFullscreen()
    else if (this.queue.isOpen) this.queue.isOpen = false
    else if (view === 'library' && this.library.chosen.size > 0) this.library.clear()
    else if (view === 'task' || view === 'settings' || view === 'verify' || view === 'consents') this.routes.back()
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

  /** Shows the consent for a picture, by media id. */
  showConsent(faceId: string): void {
    this.try(async () => {
      const [consent] = await this.bridge.consents.of({ faceIds: [faceId] })
      this.routes.go({ view: 'consents', find: consent?.name ?? '' })
    })
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
      const numbers = await this.batch.submit(this.app.settings.batchTitles)
      if (numbers === null) return
      if (!this.composer.videoPinned) this.batch.clearTargets()
      this.#added(numbers)
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
    const { library } = this.bridge
    this.do(async () => {
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
    const canUndo = tasks.every(({ profileId, objectId }) => objectId === null || this.app.profile(profileId)?.embedded)
    const { tasks: bridge } = this.bridge
    this.do(async () => {
      await bridge.cancel({ taskIds })
      if (!first || !canUndo) return null
      return {
        ...cancelledToast(first, tasks.length),
        undo: () => Promise.all(taskIds.map((taskId) => bridge.retry({ taskId }))),
        redo: () => bridge.cancel({ taskIds }),
      }
    })
  }

  /** Does something that can be undone, and says so. Rejects as the action does. */
  async perform(action: () => Promise<Done | null>): Promise<void> {
    const done = await this.history.perform(action)
    if (done === null || done.isSeen) return
    const run = (): void => {
      this.try(() => this.history.undo(done))
    }
    this.toasts.show({ ...done, step: done, action: { label: m.undo(), run } })
  }

  /** As `perform`, and shows a failure. */
  do(action: () => Promise<Done | null>, problem?: string): void {
    this.try(() => this.perform(action), problem)
  }

  /** Undoes the newest step, and says which. */
  undo(): void {
    this.try(async () => {
      const step = await this.history.undo()
      if (step === null) return
      this.toasts.closeOf(step)
      const run = (): void => {
        this.redo()
      }
      const action = step.redo === null ? undefined : { label: m.redo(), run }
      this.toasts.show({ icon: 'undone', title: m.undone(), body: step.title, action })
    })
  }

  redo(): void {
    this.try(async () => {
      const step = await this.history.redo()
      if (step === null) return
      const run = (): void => {
        this.undo()
      }
      this.toasts.show({ icon: 'undone', title: m.redone(), body: step.title, action: { label: m.undo(), run } })
    })
  }

  /** Swaps were added together. */
  #added(numbers: Uint32Array): void {
    const undo = (): Promise<unknown> => this.bridge.library.remove({ numbers })
    const title = m.batch_added({ count: numbers.length })
    // Removing stops the swaps, so adding them again would not bring them back as they were.
    this.do(() => Promise.resolve({ icon: 'done', title, body: m.batch_added_body(), undo, redo: null }))
  }

  /** @param withFile rename the result's file, too */
  rename({ id, title: before }: TaskSummary, title: string, withFile: boolean): void {
    const rename = (name: string) => (): Promise<void> =>
      this.bridge.tasks.rename({ taskId: id, title: name, withFile })
    this.do(async () => {
      await rename(title)()
      const done = { icon: 'done', title: m.renamed({ title: before }), name: before, isSeen: true } as const
      return { ...done, undo: rename(before), redo: rename(title) }
    }, m.file_not_renamed())
  }

  /** Sets the sort order of the library. */
  sort(librarySort: Settings['librarySort']): void {
    this.try(async () => {
      const set = this.app.set({ librarySort })
      await Promise.all([set, this.library.refresh()])
    })
  }

  /** Asks before files are moved to the trash, or for another face. */
  ask(about: 'trash' | 'face', swaps: Iterable<number>): void {
    this.asking = { about, numbers: Uint32Array.from(swaps) }
  }

  /** Copies the files of finished swaps into a folder, or moves them to the trash with their swaps. */
  withFiles(work: FileWork, swaps: Iterable<number>): void {
    const numbers = Uint32Array.from(swaps)
    if (work === 'trash') {
      if (this.routes.route.view === 'task') this.routes.back()
      this.library.clear()
    }
    this.try(async () => {
      const outcome = await this.files.run(work, numbers)
      if (outcome !== null && isComplete(outcome)) this.toasts.show(filesToast(work, outcome))
    })
  }

  copyFiles(swaps: Iterable<number>): void {
    this.try(async () => {
      const { count } = await this.bridge.results.copyFiles({ numbers: Uint32Array.from(swaps) })
      this.toasts.show({ icon: 'copied', title: m.files_copied({ count }) })
    })
  }

  copyPaths(swaps: Iterable<number>): void {
    this.try(async () => {
      const { count } = await this.bridge.results.copyPaths({ numbers: Uint32Array.from(swaps) })
      this.toasts.show({ icon: 'copied', title: m.paths_copied({ count }) })
    })
  }

  openInPlayer({ id }: TaskSummary): void {
    this.try(() => this.bridge.results.open({ taskId: id }))
  }

  /** Adds swaps like these with a face that may be used. */
  async submitAgain(numbers: Uint32Array, faceId: string): Promise<void> {
    const { numbers: added, failed, failedCount } = await this.bridge.tasks.submitAgain({ numbers, faceId })
    if (added.length > 0) this.#added(added)
    if (failedCount === 0) return
    const problems = failed.map(({ title, error }) => `${title}: ${errorText(error).title}`)
    const body = listedProblems(problems, failedCount)
    this.toasts.show({ icon: 'problem', title: m.swaps_not_repeated({ count: failedCount }), body })
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

  /** What an action on a swap acts on: in the library the whole selection, if the swap is in it. */
  targets({ number }: Numbered): ReadonlySet<number> {
    return this.routes.route.view === 'library' ? this.library.targets(number) : new Set([number])
  }

  /** Actions on a swap. */
  swapActions(task: TaskRow): Runs<'swap'> {
    const isKept = task.state === 'kept'
    const targets = this.targets(task)
    return {
      rename: () => {
        this.renaming = task
      },
      'save-as':
        isKept &&
        (() => {
          this.saveAs(task)
        }),
      reveal:
        isKept &&
        (() => {
          this.showInFolder(task)
        }),
      'open-in-player':
        isKept &&
        (() => {
          this.openInPlayer(task)
        }),
      ...this.manyActions(targets, task.favourite, isKept || targets.size > 1),
    }
  }

  /** Actions on any number of swaps. */
  manyActions(targets: ReadonlySet<number>, favourite: boolean, hasFile: boolean): Runs<'swap'> {
    return {
      tag: () => {
        this.labels.tagging = targets
      },
      favourite: () => {
        this.labels.setFavourite(targets, !favourite)
      },
      'copy-files':
        hasFile &&
        ((event) => {
          // The key copies text if some is selected.
          if (event && getSelection()?.isCollapsed === false) return false
          this.copyFiles(targets)
          return true
        }),
      'copy-paths':
        hasFile &&
        (() => {
          this.copyPaths(targets)
        }),
      'save-copies':
        hasFile &&
        (() => {
          this.withFiles('save', targets)
        }),
      trash:
        hasFile &&
        (() => {
          this.ask('trash', targets)
        }),
      'another-face': () => {
        this.ask('face', targets)
      },
    }
  }

  showInFolder(task: TaskSummary): void {
    this.try(() => this.bridge.tasks.showInFolder({ taskId: task.id }))
  }

  /** Shows the credentials of a finished swap's file. */
  checkCredentials({ id }: TaskSummary): void {
    this.routes.go({ view: 'verify' })
    void this.verify.ofSwap(id)
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
