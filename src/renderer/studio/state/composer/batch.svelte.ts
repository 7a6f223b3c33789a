/** @file Many swaps at once: each face of the composer goes into each target, except where the user switched it off. */
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import type { Bridge } from '@shared/ipc/contract.ts'
import { batchTitle } from '@shared/files/name-template.ts'
import type { Draft, VideoMedia } from '@shared/tasks/task.ts'
import type { Composer } from './composer.svelte.ts'
import type { Face } from './faces.svelte.ts'

/** What is still missing before all can be swapped; null: nothing. */
export type BatchMissing = 'reading' | 'face' | 'video' | 'no-face' | 'none' | 'withdrawn' | 'consent' | 'key' | null

/** As main allows. */
const maxSwaps = 10_000

const keyOf = (face: Face, target: VideoMedia): string => `${String(face.key)} ${target.id}`

interface Pair {
  face: Face
  target: VideoMedia
}

const titleOf = (template: string, { face, target }: Pair, batch: { number: number; count: number }): string =>
  batchTitle(template, face.pictures[0]?.name ?? '', target.name, batch)

export class Batch {
  #off = $state.raw<ReadonlySet<string>>(new Set())
  #estimates = $state.raw<ReadonlyMap<string, number>>(new Map())
  #submitting = $state(false)

  /** Faces and targets of the swaps, one face after the other. */
  readonly pairs = $derived.by((): Pair[] =>
    this.composer.faces.list.flatMap((face) =>
      this.#targets.filter((target) => this.isOn(face, target)).map((target) => ({ face, target })),
    ),
  )
  /** Faces that are swapped at least once. */
  readonly used = $derived.by((): readonly Face[] => [...new Set(this.pairs.map(({ face }) => face))])
  /** Sum in ms; null if a part is unknown. */
  readonly estimateMs = $derived.by(() => {
    const each = this.pairs.map(({ target }) => this.#estimates.get(target.id))
    return each.includes(undefined) ? null : each.reduce<number>((sum, ms) => sum + (ms ?? 0), 0)
  })
  readonly missing = $derived.by((): BatchMissing => {
    if (this.composer.contents.reading !== null) return 'reading'
    if (this.composer.faces.list.length === 0) return 'face'
    if (this.#targets.length === 0) return 'video'
    if (this.#targets.every((target) => this.composer.hasNobody(target))) return 'no-face'
    if (this.pairs.length === 0) return 'none'
    if (!this.composer.hasKey) return 'key'
    const { faces } = this.composer
    if (faces.withdrawn(this.used).length > 0) return 'withdrawn'
    return faces.areConfirmed(this.used) ? null : 'consent'
  })
  readonly #targets = $derived.by(() => this.composer.contents.targets)
  readonly submitting = $derived(this.#submitting)

  constructor(
    private readonly bridge: Bridge,
    private readonly composer: Composer,
  ) {}

  isOn(face: Face, target: VideoMedia): boolean {
    return !this.#off.has(keyOf(face, target)) && !this.composer.hasNobody(target)
  }

  /** Switches swaps on or off: all of these, unless all of them are on already. */
  toggle(faces: readonly Face[], targets: readonly VideoMedia[]): void {
    const usable = targets.filter((target) => !this.composer.hasNobody(target))
    this.set(faces, usable, !faces.every((face) => usable.every((target) => this.isOn(face, target))))
  }

  set(faces: readonly Face[], targets: readonly VideoMedia[], isOn: boolean): void {
    const off = new Set(this.#off)
    for (const key of faces.flatMap((face) => targets.map((target) => keyOf(face, target)))) {
      if (isOn) off.delete(key)
      else off.add(key)
    }
    this.#off = off
  }

  /** Estimate for one swap into a target, in ms. */
  estimateOf(target: VideoMedia): number | null {
    return this.#estimates.get(target.id) ?? null
  }

  /** Estimates each target's swap; the service or the speed of this computer may have changed. */
  async estimate(): Promise<void> {
    const { profileId, options } = this.composer
    const { method } = options
    const model = method === null || profileId !== embeddedProfileId ? {} : { model: { id: method, seenMs: null } }
    const known = new Map<string, number>()
    for (const { id } of this.composer.isGrid ? this.#targets : []) {
      const answer = await this.bridge.intake.estimate({ videoId: id, profileId, ...model }).catch(() => null)
      if (answer) known.set(id, answer.ms)
    }
    if (profileId === this.composer.profileId && method === this.composer.options.method) this.#estimates = known
  }

  /** The first title by a template. */
  exampleTitle(template: string): string {
    const [first] = this.pairs
    return first ? titleOf(template, first, { number: 1, count: this.pairs.length }) : ''
  }

  /** @returns numbers of the new swaps; null while something is missing */
  async submit(template: string): Promise<Uint32Array | null> {
    if (this.missing !== null || this.#submitting || !this.composer.isGrid) return null
    const { profileId, options, trim } = this.composer
    const { pairs } = this
    const drafts = pairs.slice(0, maxSwaps).map((pair, index): Draft => {
      const { face, target } = pair
      const [first, ...more] = face.pictures
      return {
        ...{ faceId: first?.id ?? '', pictureIds: more.map(({ id }) => id), videoId: target.id, profileId, options },
        title: titleOf(template, pair, { number: index + 1, count: pairs.length }),
        range: this.#targets.length === 1 ? (trim?.range ?? null) : null,
      }
    })
    this.#submitting = true
    try {
      const { numbers } = await this.bridge.tasks.submitAll({ drafts })
      this.#off = new Set()
      this.composer.submitted()
      return numbers
    } finally {
      this.#submitting = false
    }
  }
}
