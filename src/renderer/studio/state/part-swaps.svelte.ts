/** @file Parts of finished swaps that are being swapped again, by swap. Lasts while other pages are open. */
import type { ErrorBody } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { toErrorBody } from '@shared/mien-error.ts'
import type { VideoPart } from '@shared/people/people.ts'
import type { FaceMedia, PartChange, Task } from '@shared/tasks/task.ts'
import type { Step } from './app/history.svelte.ts'
import type { Studio } from './studio.svelte.ts'
import { partToast } from './library/swap-toasts.ts'

/** A part that is swapped again, or what went wrong. */
export interface PartSwap {
  readonly part: VideoPart
  /** 0–1; null: unknown. */
  readonly share: number | null
  readonly etaMs: number | null
  /** Null while it works. */
  readonly error: ErrorBody | null
}

/** How parts of a swap are swapped again. */
export type PartChoice = Omit<PartChange, 'part'>

type Swapped = Pick<Task, 'id' | 'versions'>

export class PartSwaps {
  #swaps = $state.raw<ReadonlyMap<string, PartSwap>>(new Map())
  #choices = $state.raw<ReadonlyMap<string, PartChoice>>(new Map())
  /** Pictures that the user chose for parts, by swap. */
  #added = $state.raw<ReadonlyMap<string, readonly FaceMedia[]>>(new Map())
  /** What was swapped again last, by swap, and the number of its version. */
  readonly #made = new Map<string, { change: string; number: number }>()

  constructor(private readonly studio: Studio) {
    studio.bridge.versions.progress(({ taskId, ...progress }) => {
      const known = this.of(taskId)
      if (known && known.error === null) this.#set(taskId, { ...known, ...progress })
    })
  }

  /** Null: no part of the swap is swapped again, and nothing went wrong. */
  of(taskId: string): PartSwap | null {
    return this.#swaps.get(taskId) ?? null
  }

  /** What was chosen last; at first as the swap was made. */
  choiceOf({ id, cast, options }: Pick<Task, 'id' | 'cast' | 'options'>): PartChoice {
    return this.#choices.get(id) ?? { options, faces: cast.length > 0 ? cast.map((_, at) => at) : [0] }
  }

  choose(taskId: string, choice: PartChoice): void {
    this.#choices = new Map(this.#choices).set(taskId, choice)
  }

  addedFaces(taskId: string): readonly FaceMedia[] {
    return this.#added.get(taskId) ?? []
  }

  /** Adds a picture, or replaces it. */
  addFace(taskId: string, face: FaceMedia): void {
    const others = this.addedFaces(taskId).filter(({ id }) => id !== face.id)
    this.#added = new Map(this.#added).set(taskId, [...others, face])
  }

  /** Whether the current version was just made by this change: again, it would look the same. */
  isMade({ id, versions }: Swapped, change: PartChange): boolean {
    const made = this.#made.get(id)
    return made?.number === versions?.current && made?.change === JSON.stringify(change)
  }

  /** Does nothing while another part of the swap works. */
  async make({ id, versions }: Swapped, change: PartChange): Promise<void> {
    if (this.of(id)?.error === null) return
    const { part } = change
    this.#set(id, { part, share: null, etaMs: null, error: null })
    const before = versions?.current ?? 1
    try {
      const { number } = await this.studio.bridge.versions.make({ taskId: id, change })
      this.#made.set(id, { change: JSON.stringify(change), number })
      this.#set(id, null)
      const step = this.#between(id, before, number)
      this.studio.do(() => Promise.resolve({ ...partToast(change), ...step }))
    } catch (thrown) {
      const error = toErrorBody(thrown)
      this.#set(id, error.code === 'cancelled' ? null : { part, share: null, etaMs: null, error })
    }
  }

  cancel(taskId: string): void {
    this.studio.try(() => this.studio.bridge.versions.stop({ taskId }))
  }

  goBack({ id, versions }: Swapped, number: number): void {
    const step = this.#between(id, versions?.current ?? 1, number)
    this.studio.do(async () => {
      await this.studio.bridge.versions.goBack({ taskId: id, number })
      return { icon: 'undone', title: m.event_went_back({ number }), ...step, isSeen: true }
    })
  }

  /** The way from one version to another, and back. */
  #between(taskId: string, before: number, after: number): Step {
    const use = (number: number) => (): Promise<void> => this.studio.bridge.versions.goBack({ taskId, number })
    return { undo: use(before), redo: use(after) }
  }

  #set(taskId: string, swap: PartSwap | null): void {
    const swaps = new Map(this.#swaps)
    if (swap) swaps.set(taskId, swap)
    else swaps.delete(taskId)
    this.#swaps = swaps
  }
}
