/**
 * @file State shared by all views. Created once in main.ts and passed down by context; lives as
 * long as the window. Classes that use all of it lie
 * beside this file; those in the folders know only what they are given.
 */
import { createContext } from 'svelte'
import { toErrorBody } from '@shared/mien-error.ts'
import { errorText } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { TaskSummary } from '@shared/tasks/task-row.ts'
import type { Bridge } from '@shared/ipc/contract.ts'
import type { Settings } from '@shared/settings/settings.ts'
import { Actions } from './app/actions.svelte.ts'
import { AppState } from './app/app.svelte.ts'
import { Batch } from './composer/batch.svelte.ts'
import { Composer } from './composer/composer.svelte.ts'
import { ConsentsState } from './consents.svelte.ts'
import { FilesState } from './library/files.svelte.ts'
import { History } from './app/history.svelte.ts'
import { Intake } from './intake.svelte.ts'
import { LabelsState } from './labels.svelte.ts'
import { LibraryState } from './library/library.svelte.ts'
import { QueueState } from './library/queue.svelte.ts'
import { PartSwaps } from './part-swaps.svelte.ts'
import { Presets } from './presets.svelte.ts'
import { Routes } from './app/routes.svelte.ts'
import { SwapCommands } from './swap-commands.ts'
import { changedToast } from './library/swap-toasts.ts'
import { TasksState } from './library/tasks.svelte.ts'
import { Toasts, type Done } from './app/toasts.svelte.ts'
import { ModelsState } from './models.svelte.ts'
import { VerifyState } from './library/verify.svelte.ts'

export class Studio {
  readonly app: AppState
  readonly actions: Actions
  readonly tasks: TasksState
  readonly composer: Composer
  readonly batch: Batch
  readonly library: LibraryState
  readonly queue: QueueState
  readonly files: FilesState
  readonly consents: ConsentsState
  /** Parts of finished swaps that are swapped again. */
  readonly parts: PartSwaps
  /** The file whose credentials are shown. */
  readonly verify: VerifyState
  readonly presets = new Presets(this)
  readonly models = new ModelsState(this)
  readonly labels = new LabelsState(this)
  readonly intake = new Intake(this)
  readonly swaps = new SwapCommands(this)
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
  /** Results are dragged to another program, see views/library/items/drag-out.ts. */
  isDraggingOut = false
  /** The first frame is on the screen. What it can do without is added afterwards. */
  isPainted = $state(false)
  /** Current time, for labels such as "2 min ago" and "Today". */
  now = $state(Date.now())

  constructor(readonly bridge: Bridge) {
    this.app = new AppState(bridge)
    this.actions = new Actions(this.app)
    this.tasks = new TasksState(bridge)
    this.library = new LibraryState({
      bridge: bridge.library,
      sort: () => this.app.settings.librarySort,
      load: (numbers) => this.tasks.load(numbers),
    })
    this.queue = new QueueState(bridge, this.tasks)
    this.files = new FilesState(bridge.results)
    this.verify = new VerifyState(bridge.credentials)
    this.consents = new ConsentsState(this)
    this.parts = new PartSwaps(this)
    this.composer = new Composer(bridge, this.app)
    this.batch = new Batch(bridge, this.composer)
  }

  async start(): Promise<void> {
    this.bridge.app.command((action) => {
      this.paletteShown = false
      this.actions.run(action)
    })
    this.bridge.app.openTask(({ taskId }) => this.open(taskId))
    this.bridge.intake.opened(() => this.try(() => this.intake.takeOpened()))
    setInterval(() => {
      // Only estimated progress needs a 2 s tick; other labels have minute resolution.
      const moving = this.tasks.active.some(({ expected }) => expected !== null)
      if (moving || Date.now() - this.now >= 20_000) this.now = Date.now()
    }, 2000)
    this.tasks.onTransition = (before, after) => {
      const open = (): void => this.open(after.id)
      const toast = changedToast(before, after, this.routes.route, open)
      if (toast !== null) this.toasts.show(toast)
    }
    this.tasks.onRelisted = () => {
      this.library.changed()
      if (this.queue.isOpen) this.try(() => this.queue.lookForFailed())
    }
    await Promise.all([
      // The library needs how it is sorted, and adds its rows to those of the swaps.
      Promise.all([this.app.start(), this.tasks.start()]).then(() => this.library.start()),
      this.models.start(),
      this.queue.start(),
    ])
    const { lastProfileId, swapOptions } = this.app.settings
    const known = this.app.profile(lastProfileId) ?? this.app.profiles.find((profile) => profile.embedded)
    // The model may have been removed since.
    const { method } = swapOptions
    const isThere = this.models.swappers.some(({ id }) => id === method)
    this.composer.start(known?.id ?? lastProfileId, isThere ? swapOptions : { ...swapOptions, method: null })
    this.presets.start()
    if (this.library.counts.all > 0) this.routes.go({ view: 'library' })
    this.try(() => this.intake.takeOpened())
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

  /** Does something that can be undone, and says so. Rejects as the action does. */
  async perform(action: () => Promise<Done | null>): Promise<void> {
    const done = await this.history.perform(action)
    if (done === null || done.isSeen) return
    const run = (): void => this.try(() => this.history.undo(done))
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
      const run = (): void => this.redo()
      const action = step.redo === null ? undefined : { label: m.redo(), run }
      this.toasts.show({ icon: 'undone', title: m.undone(), body: step.title, action })
    })
  }

  redo(): void {
    this.try(async () => {
      const step = await this.history.redo()
      if (step === null) return
      const run = (): void => this.undo()
      this.toasts.show({ icon: 'undone', title: m.redone(), body: step.title, action: { label: m.undo(), run } })
    })
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

  copy(text: string, said: string): void {
    this.try(async () => {
      await this.bridge.app.copyText({ text })
      this.toasts.show({ icon: 'copied', title: said })
    })
  }
}

export const [getStudio, setStudio] = createContext<Studio>()
