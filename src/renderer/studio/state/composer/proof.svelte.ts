/** @file The proof in the composer: begun, followed while its moments are swapped, and shown. */
import { MienError } from '@shared/mien-error.ts'
import type { Bridge } from '@shared/ipc/contract.ts'
import type { ProofMoment, ProofState } from '@shared/people/proof.ts'
import type { Draft } from '@shared/tasks/task.ts'

export class Proof {
  #state = $state.raw<ProofState | null>(null)
  /** What it is a proof of. */
  #of = $state.raw<string | null>(null)
  /** Start of the moment that the user chose, in ms. */
  #chosenMs = $state<number | null>(null)
  /** The original is shown instead. */
  held = $state(false)
  paused = $state(false)
  #count = 0
  /** Settles `begin`. */
  #done: { resolve: () => void; reject: (error: Error) => void } | null = null
  /** Null: there is no proof. */
  readonly state = $derived(this.#state)
  readonly moments = $derived(this.#state?.moments ?? [])

  constructor(private readonly bridge: Bridge['proof']) {
    bridge.changed((state) => {
      if (state.id !== this.#state?.id) return
      if (state.error) this.#end(new MienError(state.error.code, state.error.details))
      else this.#state = state
      if (state.stage === 'ready') this.#done?.resolve()
    })
  }

  /** The moment to show: the chosen one, or the first that is swapped. Null: none is swapped yet. */
  readonly shown = $derived.by(() => {
    const made = this.moments.filter(({ mediaId }) => mediaId !== null)
    return made.find(({ fromMs }) => fromMs === this.#chosenMs) ?? made[0] ?? null
  })
  /** Length of all moments. */
  readonly lengthMs = $derived(this.moments.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0))

  /** Resolves when all moments are swapped, or the proof was left. @throws MienError why it failed; it is left then */
  async begin(draft: Draft): Promise<void> {
    this.leave()
    this.#count += 1
    const id = String(this.#count)
    this.#of = contentOf(draft)
    this.#state = { id, stage: 'looking', share: 0, moments: [] }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    this.paused = isStill()
    this.#done = {
      resolve: () => resolve(undefined),
      reject,
    }
    this.bridge.begin({ id, draft }).catch((error: unknown) => {
      if (this.#state?.id === id) this.#end(error instanceof Error ? error : new Error(String(error)))
    })
    await promise
  }

  /** Ends the proof; what was swapped for it is removed. */
  leave(): void {
    if (this.#state === null) return
    this.#end(null)
    void this.bridge.stop().catch(() => undefined)
  }

  /** Whether it shows something else than this swap would now become. */
  isOutdated(draft: Draft | null): boolean {
    return this.#state !== null && (draft === null || contentOf(draft) !== this.#of)
  }

  show({ fromMs }: ProofMoment): void {
    this.#chosenMs = fromMs
    this.paused = isStill()
  }

  /** Shows the next or the previous moment that is swapped. */
  step(direction: 1 | -1): void {
    const made = this.moments.filter(({ mediaId }) => mediaId !== null)
    const at = made.findIndex((moment) => moment === this.shown)
    const next = made[(at + direction + made.length) % made.length]
    if (next) this.show(next)
  }

  #end(error: Error | null): void {
    this.#state = this.#of = this.#chosenMs = null
    this.held = this.paused = false
    if (error) this.#done?.reject(error)
    else this.#done?.resolve()
    this.#done = null
  }
}

/** Without motion, a moment plays when it is asked to. */
const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

/** The title changes nothing in the picture. */
const contentOf = (draft: Draft): string => JSON.stringify({ ...draft, title: '' })
