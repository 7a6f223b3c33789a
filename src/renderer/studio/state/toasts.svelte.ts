/** @file Short messages in the corner: at most three, six seconds each, errors until they are closed. */
export type ToastIcon = 'done' | 'removed' | 'problem' | 'copied' | 'folder'

export interface Toast {
  readonly id: number
  readonly icon: ToastIcon
  readonly title: string
  readonly body?: string | undefined
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
  /** An action that ⌘Z takes, too. */
  readonly undo?: boolean
}

const shownMs = 6000
const most = 3

export class Toasts {
  #list = $state.raw<readonly Toast[]>([])
  #nextId = 1
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>()

  get list(): readonly Toast[] {
    return this.#list
  }

  show(toast: Omit<Toast, 'id'>): void {
    const id = this.#nextId++
    const kept = [...this.#list, { ...toast, id }]
    for (const old of kept.slice(0, -most)) this.#stopTimer(old.id)
    this.#list = kept.slice(-most)
    this.resume(id)
  }

  close(id: number): void {
    this.#stopTimer(id)
    this.#list = this.#list.filter((toast) => toast.id !== id)
  }

  /** While it is hovered or has the focus. */
  hold(id: number): void {
    this.#stopTimer(id)
  }

  resume(id: number): void {
    const toast = this.#list.find((entry) => entry.id === id)
    if (toast === undefined || toast.icon === 'problem') return
    this.#stopTimer(id)
    this.#timers.set(
      id,
      setTimeout(() => {
        this.close(id)
      }, shownMs),
    )
  }

  run(toast: Toast): void {
    this.close(toast.id)
    toast.action?.run()
  }

  /** Takes the newest removal back; false when there is none. */
  undo(): boolean {
    const toast = this.#list.findLast((entry) => entry.undo === true)
    if (toast === undefined) return false
    this.run(toast)
    return true
  }

  dispose(): void {
    for (const id of this.#timers.keys()) this.#stopTimer(id)
  }

  #stopTimer(id: number): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }
}
