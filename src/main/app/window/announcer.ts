/** @file Tells the user who looks elsewhere how swaps are: notifications, badge, attention, progress on the taskbar. */
import { m } from '@shared/i18n/paraglide/messages.js'
import { overall } from '@shared/tasks/overall.ts'
import type { Settings } from '@shared/settings/settings.ts'
import { isActive, type Task } from '@shared/tasks/task.ts'
import {
  announcementsFor,
  howEnded,
  isInProgress,
  type Announcement,
  type Ended,
  type Wanted,
} from './announcements.ts'

/** What the system can show outside of the window. */
export interface Desktop {
  isFocused: () => boolean
  notify: (notification: { title: string; body: string; silent: boolean; onClick: () => void }) => void
  /** `share`: 0–1; null: none. */
  progress: (share: number | null) => void
  /** Number of swaps that ended since the user last looked. */
  badge: (count: number) => void
  attention: (on: boolean) => void
}

interface AnnouncerDeps {
  desktop: Desktop
  settings: () => Settings
  /** Swaps that may still change. */
  tasks: () => readonly Task[]
  /** Number of swaps finished since the oldest one in progress was added. */
  done: () => number
  /** Whether the end of all swaps is announced. */
  wantsAllFinished: () => boolean
  /** Called when nothing is in progress any more because the last swap has ended. */
  onAllEnded: () => void
  /** Shows a swap, or the library without one. */
  open: (taskId: string | null) => void
}

/** Swaps that end within this time are announced together. */
const togetherMs = 1000
/** Min time between two changes of the taskbar's progress. */
const progressEveryMs = 500

export class Announcer {
  private readonly working = new Set<string>()
  private ended: Ended[] = []
  private unseen = 0
  /** Whether the user was told, until a swap is finished. */
  private saidDiskFull = false
  private timer: NodeJS.Timeout | undefined
  private progressTimer: NodeJS.Timeout | undefined
  private isDisposed = false

  constructor(private readonly deps: AnnouncerDeps) {
    for (const task of deps.tasks()) if (isInProgress(task)) this.working.add(task.id)
    this.showProgress()
  }

  /** Call with each delta. */
  heard(changed: readonly Task[], removed: readonly string[]): void {
    if (this.isDisposed) return
    let hasEnded = false
    if (changed.some(({ state }) => state === 'kept')) this.saidDiskFull = false
    for (const task of changed) {
      if (isInProgress(task)) this.working.add(task.id)
      else if (this.working.delete(task.id)) {
        if (task.pause === 'disk-full') {
          this.diskFull(task)
          continue
        }
        const how = howEnded(task)
        hasEnded ||= how !== null
        if (how !== null && !this.deps.desktop.isFocused()) {
          const { id, title, createdAt } = task
          this.ended.push({ id, title, createdAt, how })
          this.unseen += 1
          this.deps.desktop.badge(this.unseen)
        }
      }
    }
    for (const id of removed) this.working.delete(id)
    if (hasEnded && this.working.size === 0) this.deps.onAllEnded()
    if (this.ended.length > 0)
      this.timer ??= setTimeout(() => {
        this.timer = undefined
        this.announce()
      }, togetherMs)
    this.progressTimer ??= setTimeout(() => {
      this.progressTimer = undefined
      this.showProgress()
    }, progressEveryMs)
  }

  /** Whether a swap is in progress. */
  get isBusy(): boolean {
    return this.working.size > 0
  }

  /** The user looks at the window. */
  seen(): void {
    this.ended = []
    this.unseen = 0
    this.deps.desktop.badge(0)
    this.deps.desktop.attention(false)
  }

  /** Swaps still change while Mien quits; what they change isn't told, as the library may be closed by then. */
  dispose(): void {
    this.isDisposed = true
    clearTimeout(this.timer)
    clearTimeout(this.progressTimer)
  }

  private announce(): void {
    const { desktop, settings, tasks, open } = this.deps
    const { notifyFinished, notifyAttention, notificationSound } = settings()
    const wanted: Wanted = {
      finished: notifyFinished,
      'needs-user': notifyAttention,
      // Paused swaps are not finished.
      'all-finished': this.deps.wantsAllFinished() && !tasks().some(({ state }) => isActive(state)),
    }
    const { now, later } = announcementsFor(this.ended, tasks().filter(isInProgress), wanted)
    this.ended = later
    for (const announcement of now) {
      const [only, ...others] = announcement.swaps
      const onClick = (): void => open(others.length === 0 ? (only?.id ?? null) : null)
      desktop.notify({ ...textOf(announcement), silent: !notificationSound, onClick })
    }
    if (now.length > 0) desktop.attention(true)
  }

  /** A full disk stops all swaps on this computer, so it is said at once, and once. */
  private diskFull({ id }: Task): void {
    const { desktop, settings, open } = this.deps
    const { notifyAttention, notificationSound } = settings()
    if (this.saidDiskFull || desktop.isFocused() || !notifyAttention) return
    this.saidDiskFull = true
    const onClick = (): void => open(id)
    const text = { title: m.error_disk_full(), body: m.paused_disk_full_body() }
    desktop.notify({ ...text, silent: !notificationSound, onClick })
    desktop.attention(true)
  }

  private showProgress(): void {
    const { desktop, tasks, done } = this.deps
    const all = overall(tasks().filter(isInProgress), done(), Date.now())
    desktop.progress(all?.share ?? null)
  }
}

function textOf({ kind, swaps }: Announcement): { title: string; body: string } {
  const count = swaps.length
  const title = swaps[0]?.title ?? ''
  if (kind === 'finished')
    return count === 1
      ? { title: m.notify_finished(), body: title }
      : { title: m.notify_finished_many({ count }), body: titles(swaps) }
  if (kind === 'needs-user')
    return count === 1
      ? { title: m.notify_attention(), body: title }
      : { title: m.notify_attention_many({ count }), body: titles(swaps) }
  const failed = swaps.filter(({ how }) => how === 'needs-user').length
  const body = count === 1 ? title : titles(swaps)
  return { title: m.notify_all_finished(), body: failed > 0 ? m.notify_some_attention({ count: failed }) : body }
}

/** The first titles, for the second line of a notification. */
const titles = (swaps: readonly Ended[]): string =>
  swaps
    .slice(0, 3)
    .map(({ title }) => title)
    .join(', ') + (swaps.length > 3 ? ' …' : '')
