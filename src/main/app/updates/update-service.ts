/**
 * @file Update service: checks at startup and every six hours, asks before a download (unless set otherwise), and
 * installs on quit, or at once when no swap is running on this computer.
 */
import { gt } from 'semver'
import { toErrorBody, type MienError } from '@shared/errors.ts'
import type { UpdateState } from '@shared/ipc/app-state.ts'
import type { Logger } from '../../machine/log/log.ts'
import { firstCheckMs, isQuiet, nextCheckMs, updateError } from './decide.ts'
import type { SignedFeed } from './feed.ts'
import type { Downloaded, FeedPlace, UpdaterPort } from './updater-port.ts'

export interface UpdateChoices {
  /** Why updates are off; null: they are on. */
  off: Extract<UpdateState, { kind: 'off' }>['reason'] | null
  /** Feeds to check; the newest version wins. */
  places: readonly FeedPlace[]
  /** Downloads without asking. */
  download: boolean
}

interface UpdateDeps {
  port: UpdaterPort
  /** Called at each step, because settings change. */
  choices: () => UpdateChoices
  /** Whether a swap is running on this computer that a restart would interrupt. */
  working: () => boolean
  /** False: the system only installs on request. */
  installsOnQuit: boolean
  onState: (state: UpdateState) => void
  quit: () => void
  log: Logger
}

export class UpdateService {
  private current: UpdateState = { kind: 'idle', checkedAt: null }
  private checkedAt: number | null = null
  private downloaded: Downloaded | null = null
  private restart = false
  private timer: ReturnType<typeof setTimeout> | null = null

  constructor(private readonly deps: UpdateDeps) {}

  get state(): UpdateState {
    return this.current
  }

  start(): void {
    this.plan(firstCheckMs(Math.random()))
    this.settingsChanged()
  }

  dispose(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }

  /** Applies a change of settings; a running or finished download is kept. */
  settingsChanged(): void {
    const { off } = this.deps.choices()
    const { kind } = this.current
    if (off !== null && kind !== 'ready' && kind !== 'downloading') this.show({ kind: 'off', reason: off })
    if (off === null && kind === 'off') this.show({ kind: 'idle', checkedAt: this.checkedAt })
  }

  /** Checks for a newer version. `asked`: on the user's request, who then sees every outcome. */
  async check(asked: boolean): Promise<void> {
    const choices = this.deps.choices()
    const { kind } = this.current
    if (choices.off !== null || kind === 'checking' || kind === 'downloading' || kind === 'ready') return
    const before = this.current
    this.show({ kind: 'checking' })
    try {
      const feed = await this.newest(choices.places)
      this.checkedAt = Date.now()
      if (feed === null) this.show({ kind: 'idle', checkedAt: this.checkedAt })
      else {
        this.show({ kind: 'available', offer: offerOf(feed) })
        if (choices.download) await this.download()
      }
    } catch (thrown) {
      const error = this.note('Looking for an update failed', thrown)
      this.show(isQuiet(error, asked) ? before : { kind: 'failed', error: toErrorBody(error) })
    }
  }

  /** Checks all feeds. An unreachable one is ignored if another answers: there may be no beta version now. */
  private async newest(places: readonly FeedPlace[]): Promise<SignedFeed | null> {
    let best: { feed: SignedFeed; place: FeedPlace } | null = null
    let answered = 0
    let failure: MienError | null = null
    for (const place of places) {
      try {
        const feed = await this.deps.port.check(place)
        answered += 1
        if (feed && (best === null || gt(feed.version, best.feed.version))) best = { feed, place }
      } catch (thrown) {
        failure = updateError(thrown)
        if (failure.code !== 'update-unreachable') throw failure
      }
    }
    if (failure && answered === 0) throw failure
    // The port downloads the result of its last check.
    return best && best.place !== places.at(-1) ? this.deps.port.check(best.place) : (best?.feed ?? null)
  }

  /** Downloads the available version. Errors are shown in the state. */
  async download(): Promise<void> {
    if (this.current.kind !== 'available') return
    const { offer } = this.current
    this.show({ kind: 'downloading', offer, share: 0 })
    try {
      this.downloaded = await this.deps.port.download((share) => {
        if (this.current.kind === 'downloading') this.show({ kind: 'downloading', offer, share })
      })
      this.show({ kind: 'ready', offer, onQuit: this.deps.installsOnQuit, waiting: false })
    } catch (thrown) {
      this.show({ kind: 'failed', error: toErrorBody(this.note('The update was not fetched', thrown)) })
    }
  }

  /** Restarts into the new version: now, or once no swap is running here. */
  restartWhenIdle(): void {
    if (this.current.kind !== 'ready') return
    if (this.deps.working()) {
      this.show({ ...this.current, waiting: true })
      return
    }
    this.restart = true
    this.deps.quit()
  }

  /** Call when a swap has changed. */
  swapsChanged(): void {
    if (this.current.kind === 'ready' && this.current.waiting && !this.deps.working()) this.restartWhenIdle()
  }

  /** Last step of a quit, after all services have stopped. A failure leaves the old version unchanged. */
  async finish(): Promise<void> {
    if (!this.downloaded || !(this.restart || this.deps.installsOnQuit)) return
    try {
      await this.deps.port.install(this.downloaded, this.restart)
      this.deps.log.info(`Updated to ${this.downloaded.feed.version}`)
    } catch (thrown) {
      this.note('The update was not put in place', thrown)
    }
  }

  private note(message: string, thrown: unknown): MienError {
    const error = updateError(thrown)
    this.deps.log.warn(message, error)
    return error
  }

  private show(state: UpdateState): void {
    this.current = state
    this.deps.onState(state)
  }

  private plan(ms: number): void {
    this.timer = setTimeout(() => {
      this.plan(nextCheckMs(Math.random()))
      void this.check(false)
    }, ms)
  }
}

const offerOf = (feed: SignedFeed) => ({
  version: feed.version,
  date: feed.date,
  notes: feed.notes,
  sizeBytes: Math.max(...feed.files.map(({ size }) => size)),
})
