/**
 * @file Short messages: at most three, the newest first, six seconds each, errors until they are closed. No time passes
 * for any of them while one is under the pointer or has the focus, so that none moves from under either.
 */
export type ToastIcon = 'done' | 'removed' | 'problem' | 'copied' | 'folder' | 'info'

export interface Toast {
  readonly id: number
  readonly icon: ToastIcon
  readonly title: string
  /** The user's own words in the title; they may run the other way. */
  readonly name?: string
  readonly body?: string | undefined
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
  /** An action that ⌘Z takes, too. */
  readonly undo?: boolean
}

const shownMs = 6000
const max = 3

export class Toasts {
  #list = $state.raw<readonly Toast[]>([])
  #nextId = 1
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>()
  readonly #holders = new Set<'pointer' | 'focus'>()

  get list(): readonly Toast[] {
    return this.#list
  }

  /** One that says the same as one that is shown takes its place. */
  show(toast: Omit<Toast, 'id'>): void {
    const id = this.#nextId++
    const others = this.#list.filter(
      ({ icon, title, body }) => icon !== toast.icon || title !== toast.title || body !== toast.body,
    )
    this.#keep([{ ...toast, id }, ...others].slice(0, max))
    if (this.#holders.size === 0) this.#startTimer(id)
  }

  close(id: number): void {
    this.#keep(this.#list.filter((toast) => toast.id !== id))
  }

  hold(by: 'pointer' | 'focus'): void {
    this.#holders.add(by)
    for (const id of this.#timers.keys()) this.#stopTimer(id)
  }

  /** Each has its whole time again. */
  release(by: 'pointer' | 'focus'): void {
    if (!this.#holders.delete(by) || this.#holders.size > 0) return
    for (const { id } of this.#list) this.#startTimer(id)
  }

  run(toast: Toast): void {
    this.close(toast.id)
    toast.action?.run()
  }

  /** Takes the newest removal back; false when there is none. */
  undo(): boolean {
    const toast = this.#list.find((entry) => entry.undo === true)
    if (toast === undefined) return false
    this.run(toast)
    return true
  }

  dispose(): void {
    for (const id of this.#timers.keys()) this.#stopTimer(id)
  }

  #keep(list: readonly Toast[]): void {
    for (const { id } of this.#list) if (!list.some((toast) => toast.id === id)) this.#stopTimer(id)
    this.#list = list
    // What is not there is neither under the pointer nor focused.
    if (list.length === 0) this.#holders.clear()
  }

  #startTimer(id: number): void {
    if (this.#list.find((toast) => toast.id === id)?.icon === 'problem') return
    this.#timers.set(
      id,
      setTimeout(() => {
        this.close(id)
      }, shownMs),
    )
  }

  #stopTimer(id: number): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }
}
