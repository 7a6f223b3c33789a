/**
 * @file Toasts: at most three, newest first. Each closes after six seconds; errors stay until the user closes them.
 * While the pointer or the focus is on a toast, all timers stop, so that no toast moves away from the user.
 */
import { m } from '@shared/i18n/paraglide/messages.js'
import type { Step } from './history.svelte.ts'

/** A new `undone` toast replaces the one before. */
export type ToastIcon = 'done' | 'removed' | 'problem' | 'copied' | 'folder' | 'info' | 'undone'

export interface Toast {
  readonly id: number
  readonly icon: ToastIcon
  readonly title: string
  /** User text within the title; it may have another writing direction. */
  readonly name?: string
  readonly body?: string | undefined
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
  /** Toasts of one group are one, which counts: `titleOf` is its title from the second on. */
  readonly group?: { readonly id: string; readonly count: number; readonly titleOf: (count: number) => string }
  /** The step that the action undoes. */
  readonly step?: Step
}

/** What was done, as its toast says it, and how it is undone. `isSeen`: the page shows it, so that no toast is needed. */
export type Done = Omit<Toast, 'id' | 'step' | 'action'> & Step & { readonly isSeen?: boolean }

const shownMs = 6000
const max = 3
const maxListed = 5

/** The first of `count` problems, one a line. */
export function listedProblems(problems: readonly string[], count: number): string {
  const listed = problems.slice(0, maxListed)
  return [...listed, ...(count > listed.length ? [m.and_more({ count: count - listed.length })] : [])].join('\n')
}

export class Toasts {
  #list = $state.raw<readonly Toast[]>([])
  #nextId = 1
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>()
  readonly #holders = new Set<'pointer' | 'focus'>()
  readonly list = $derived(this.#list)

  /** Replaces a visible toast that has the same content. */
  show(toast: Omit<Toast, 'id'>): void {
    const id = this.#nextId++
    const counted = this.#counted(toast)
    const others = this.#list.filter(
      ({ icon, title, body, group }) =>
        (toast.group === undefined || group?.id !== toast.group.id) &&
        (icon !== toast.icon || (icon !== 'undone' && (title !== toast.title || body !== toast.body))),
    )
    this.#keep([{ ...counted, id }, ...others].slice(0, max))
    if (this.#holders.size === 0) this.#startTimer(id)
  }

  /** With the count of the visible toast of its group. */
  #counted(toast: Omit<Toast, 'id'>): Omit<Toast, 'id'> {
    const { group } = toast
    const before = this.#list.find((other) => group !== undefined && other.group?.id === group.id)?.group
    if (!group || !before) return toast
    const count = before.count + group.count
    const { name: _, ...unnamed } = toast
    return { ...unnamed, title: group.titleOf(count), group: { ...group, count } }
  }

  close(id: number): void {
    this.#keep(this.#list.filter((toast) => toast.id !== id))
  }

  hold(by: 'pointer' | 'focus'): void {
    this.#holders.add(by)
    for (const id of this.#timers.keys()) this.#stopTimer(id)
  }

  /** Restarts all timers with their full time. */
  release(by: 'pointer' | 'focus'): void {
    if (!this.#holders.delete(by) || this.#holders.size > 0) return
    for (const { id } of this.#list) this.#startTimer(id)
  }

  run(toast: Toast): void {
    this.close(toast.id)
    toast.action?.run()
  }

  /** Closes the toast that offers to undo this step. */
  closeOf(step: Step): void {
    this.#keep(this.#list.filter((toast) => toast.step !== step))
  }

  #keep(list: readonly Toast[]): void {
    for (const { id } of this.#list) if (!list.some((toast) => toast.id === id)) this.#stopTimer(id)
    this.#list = list
    // Without toasts, nothing is under the pointer or focused.
    if (list.length === 0) this.#holders.clear()
  }

  #startTimer(id: number): void {
    if (this.#list.find((toast) => toast.id === id)?.icon === 'problem') return
    this.#timers.set(
      id,
      setTimeout(() => this.close(id), shownMs),
    )
  }

  #stopTimer(id: number): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }
}
