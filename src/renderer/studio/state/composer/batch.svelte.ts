/** @file Many swaps at once: each face of the composer goes into each target, except where the user switched it off. */
import { toErrorBody } from '@shared/mien-error.ts'
import { errorText } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import type { FoundFiles } from '@shared/ipc/intake.ts'
import type { Bridge } from '@shared/ipc/contract.ts'
import { batchTitle } from '@shared/files/name-template.ts'
import type { Draft, VideoMedia } from '@shared/tasks/task.ts'
import type { SlotName } from '../../logic/compose/drop.ts'
import type { Composer } from './composer.svelte.ts'
import type { Face } from './faces.svelte.ts'
import type { Toasts } from '../app/toasts.svelte.ts'

interface Found {
  token: string
  name: string
  as: SlotName
}

/** What is still missing before all can be swapped; null: nothing. */
export type BatchMissing = 'reading' | 'face' | 'video' | 'none' | 'withdrawn' | 'consent' | 'key' | null

const maxListed = 5
/** As main allows. */
const maxSwaps = 10_000

const keyOf = (face: Face, target: VideoMedia): string => `${String(face.key)} ${target.id}`

interface Pair {
  face: Face
  target: VideoMedia
}

const titleOf = (template: string, { face, target }: Pair, batch: { number: number; count: number }): string =>
  batchTitle(template, face.pictures[0]?.name ?? '', target.name, batch)

/** The first of `count` problems, one a line. */
export function listedProblems(problems: readonly string[], count: number): string {
  const listed = problems.slice(0, maxListed)
  return [...listed, ...(count > listed.length ? [m.and_more({ count: count - listed.length })] : [])].join('\n')
}

export class Batch {
  readonly #bridge: Bridge
  readonly #composer: Composer
  readonly #toasts: Toasts
  readonly #hasKey: (profileId: string) => boolean
  /** Two or more; empty: the composer's video is the only target. */
  #several = $state.raw<readonly VideoMedia[]>([])
  /** Faces were dropped together, or the user wants one swap for each face of a single video. */
  #isEach = $state(false)
  #off = $state.raw<ReadonlySet<string>>(new Set())
  #estimates = $state.raw<ReadonlyMap<string, number>>(new Map())
  /** Files that are read now; null: none. */
  #reading = $state.raw<{ name: string; done: number; count: number } | null>(null)
  #queue: Found[] = []
  #submitting = $state(false)

  readonly targets = $derived.by((): readonly VideoMedia[] => {
    if (this.#several.length > 0) return this.#several
    const { video } = this.#composer
    return video.state === 'filled' ? [video.media] : []
  })
  /** The grid is shown in place of the two slots. */
  readonly active = $derived.by(() => {
    const { faces, video } = this.#composer
    return this.#several.length > 0 || (this.#isEach && faces.list.length > 1 && video.state === 'filled')
  })
  /** Faces and targets of the swaps, one face after the other. */
  readonly pairs = $derived.by((): Pair[] =>
    this.#composer.faces.list.flatMap((face) =>
      this.targets.filter((target) => this.isOn(face, target)).map((target) => ({ face, target })),
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
    if (this.#reading !== null) return 'reading'
    if (this.#composer.faces.list.length === 0) return 'face'
    if (this.targets.length === 0) return 'video'
    if (this.pairs.length === 0) return 'none'
    if (!this.#hasKey(this.#composer.profileId)) return 'key'
    const { faces } = this.#composer
    if (faces.withdrawn(this.used).length > 0) return 'withdrawn'
    return faces.areConfirmed(this.used) ? null : 'consent'
  })

  constructor(
    bridge: Bridge,
    { composer, toasts, hasKey }: { composer: Composer; toasts: Toasts; hasKey: (profileId: string) => boolean },
  ) {
    this.#bridge = bridge
    this.#composer = composer
    this.#toasts = toasts
    this.#hasKey = hasKey
  }

  get reading(): { name: string; done: number; count: number } | null {
    return this.#reading
  }
  get submitting(): boolean {
    return this.#submitting
  }
  /** Several faces could go into one video, one after the other. */
  get canSplit(): boolean {
    const { faces, video } = this.#composer
    return !this.active && faces.list.length > 1 && video.state === 'filled'
  }
  /** One swap for each face; otherwise, with one video, all faces go into one swap. */
  set isEach(isEach: boolean) {
    this.#isEach = isEach
    void this.estimate()
  }

  isOn(face: Face, target: VideoMedia): boolean {
    return !this.#off.has(keyOf(face, target))
  }

  /** Switches swaps on or off: all of these, unless all of them are on already. */
  toggle(faces: readonly Face[], targets: readonly VideoMedia[]): void {
    this.set(faces, targets, !faces.every((face) => targets.every((target) => this.isOn(face, target))))
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

  /**
   * Takes dropped files and folders: pictures become faces and videos targets. Pictures dropped on the videos are targets.
   * @returns the number of files that are pictures or videos
   */
  async take(files: readonly File[], under: SlotName | null): Promise<number> {
    return this.takeFound(await this.#bridge.intake.find(files), under)
  }

  async choose(mediaSlot: SlotName): Promise<void> {
    await this.takeFound(await this.#bridge.intake.chooseMany({ mediaSlot }), mediaSlot)
  }

  removeTarget(id: string): void {
    void this.#setTargets(this.targets.filter((target) => target.id !== id))
  }

  /** Back to an empty composer. */
  clearTargets(): void {
    void this.#setTargets([])
  }

  /** @param isShown a single file that can't be used is shown on its slot */
  async takeFound({ files, unusable, max }: FoundFiles, under: SlotName | null, isShown = true): Promise<number> {
    if (!isShown || files.length > 0 || unusable.length > 1) this.#sayUnused(unusable)
    if (max !== null) this.#toasts.show({ icon: 'info', title: m.batch_too_many({ count: max }) })
    const onVideos = under === 'video' && files.every(({ mediaSlot }) => mediaSlot === 'face')
    const taken = files.map(({ token, name, mediaSlot }): Found => ({
      ...{ token, name },
      as: onVideos ? 'video' : mediaSlot,
    }))
    const faces = taken.filter(({ as }) => as === 'face')
    const videos = taken.filter(({ as }) => as === 'video')
    if (faces.length > 1) this.#isEach = true
    const [face, video] = [faces[0], videos[0]]
    if (faces.length > 1 || videos.length > 1 || this.active) {
      this.#queue.push(...faces, ...videos)
      await this.#readAll()
    } else {
      // One of each goes to its slot.
      if (face) await this.#composer.takeFace(face.name, () => this.#bridge.intake.foundFace({ token: face.token }))
      if (video)
        await this.#composer.takeVideo(video.name, () => this.#bridge.intake.foundVideo({ token: video.token }))
    }
    return files.length
  }

  /** Opens the files one after the other. */
  async #readAll(): Promise<void> {
    if (this.#reading !== null) return
    const problems: string[] = []
    let done = 0
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      this.#reading = { name: next.name, done, count: done + this.#queue.length + 1 }
      try {
        await this.#read(next)
      } catch (thrown) {
        const error = toErrorBody(thrown)
        // A single file that the user added meanwhile has stopped this one.
        if (error.code === 'cancelled') this.#queue.push(next)
        else problems.push(`${next.name}: ${errorText(error).title}`)
      }
      done += 1
    }
    this.#reading = null
    this.#sayUnused(problems)
    await this.estimate()
  }

  async #read({ token, as }: Found): Promise<void> {
    if (as === 'face') this.#composer.faces.put(null, [await this.#bridge.intake.foundFace({ token })])
    else await this.#setTargets([...this.targets, await this.#bridge.intake.foundVideo({ token })])
  }

  /** A single target is the composer's video. */
  async #setTargets(targets: readonly VideoMedia[]): Promise<void> {
    const [only] = targets
    if (targets.length > 1) {
      this.#several = targets
      return
    }
    this.#several = []
    if (!only) this.#composer.clear('video')
    else await this.#composer.takeVideo('', () => Promise.resolve(only))
  }

  #sayUnused(all: readonly string[]): void {
    if (all.length === 0) return
    const body = listedProblems(all, all.length)
    this.#toasts.show({ icon: 'problem', title: m.batch_unused({ count: all.length }), body })
  }

  /** Estimates each target's swap; the service or the speed of this computer may have changed. */
  async estimate(): Promise<void> {
    const { profileId, options } = this.#composer
    const { method } = options
    const model = method === null || profileId !== embeddedProfileId ? {} : { model: { id: method, seenMs: null } }
    const known = new Map<string, number>()
    for (const { id } of this.active ? this.targets : []) {
      const answer = await this.#bridge.intake.estimate({ videoId: id, profileId, ...model }).catch(() => null)
      if (answer) known.set(id, answer.ms)
    }
    if (profileId === this.#composer.profileId && method === this.#composer.options.method) this.#estimates = known
  }

  /** The first title by a template. */
  exampleTitle(template: string): string {
    const [first] = this.pairs
    return first ? titleOf(template, first, { number: 1, count: this.pairs.length }) : ''
  }

  /** @returns numbers of the new swaps; null while something is missing */
  async submit(template: string): Promise<Uint32Array | null> {
    if (this.missing !== null || this.#submitting) return null
    const { profileId, options, trim } = this.#composer
    const { pairs } = this
    const drafts = pairs.slice(0, maxSwaps).map((pair, index): Draft => {
      const { face, target } = pair
      const [first, ...more] = face.pictures
      return {
        ...{ faceId: first?.id ?? '', pictureIds: more.map(({ id }) => id), videoId: target.id, profileId, options },
        title: titleOf(template, pair, { number: index + 1, count: pairs.length }),
        range: this.targets.length === 1 ? (trim?.range ?? null) : null,
      }
    })
    this.#submitting = true
    try {
      const { numbers } = await this.#bridge.tasks.submitAll({ drafts })
      this.#off = new Set()
      return numbers
    } finally {
      this.#submitting = false
    }
  }
}
