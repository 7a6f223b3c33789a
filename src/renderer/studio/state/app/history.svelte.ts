/** @file What the user did and can undo, and what was undone and can be done again. Lasts while the window is open. */
import { Turns } from '@shared/turns.ts'

export interface Step {
  readonly undo: () => Promise<unknown>
  /** Null: it can't be done again. */
  readonly redo: (() => Promise<unknown>) | null
}

const maxSteps = 100

/** Everything runs in the order of the calls: an undo waits for the action that the user began before it. */
export class History<S extends Step> {
  #done = $state.raw<readonly S[]>([])
  #undone = $state.raw<readonly S[]>([])
  /** Actions that are under way. */
  #pending = $state(0)
  readonly #turns = new Turns()
  /** Also while an action is under way, which can be undone after it. */
  readonly canUndo = $derived(this.#pending > 0 || this.#done.length > 0)
  readonly canRedo = $derived(this.#undone.length > 0)

  /** Runs an action, which returns its step; null: there is nothing to undo. Rejects as the action does. */
  async perform(action: () => Promise<S | null>): Promise<S | null> {
    this.#pending += 1
    const done = this.#turns.run('step', async () => {
      const step = await action()
      if (step === null) return null
      this.#done = [...this.#done, step].slice(-maxSteps)
      this.#undone = []
      return step
    })
    return done.finally(() => {
      this.#pending -= 1
    })
  }

  /**
   * Undoes a step, by default the newest one. A step that can't be undone is dropped.
   * @returns null if there is nothing to undo, or `step` was undone before
   */
  undo(step?: S): Promise<S | null> {
    return this.#turns.run('step', async () => {
      const found = step === undefined ? this.#done.at(-1) : this.#done.find((each) => each === step)
      if (found === undefined) return null
      this.#done = this.#done.filter((each) => each !== found)
      await found.undo()
      if (found.redo !== null) this.#undone = [...this.#undone, found]
      return found
    })
  }

  /** Does the step again that was undone last. Returns null if there is none. */
  redo(): Promise<S | null> {
    return this.#turns.run('step', async () => {
      const step = this.#undone.at(-1)
      if (step === undefined) return null
      this.#undone = this.#undone.slice(0, -1)
      await step.redo?.()
      this.#done = [...this.#done, step]
      return step
    })
  }
}
