/**
 * @file What the composer holds: faces, targets, and the places of files that are still read. Everything that comes or
 * goes passes through here. The rule is in docs/architecture/composer.md: what is held since before the last swap is
 * replaced by what comes, and nothing is swapped while a file is read.
 */
import type { Bridge } from '@shared/ipc/contract.ts'
import type { FaceFile } from '@shared/ipc/intake.ts'
import { toErrorBody, type ErrorBody } from '@shared/mien-error.ts'
import type { FaceMedia, VideoMedia } from '@shared/tasks/task.ts'
import type { SlotName } from '@shared/files/media-names.ts'
import { Turns } from '@shared/turns.ts'
import type { Face, FacesState } from './faces.svelte.ts'

export type Source = { readonly file: File } | { readonly address: string } | null

/** A file that comes. */
export type Incoming = { readonly name: string; readonly source?: Source } & (
  | { readonly kind: 'face'; readonly read: () => Promise<FaceFile> }
  | { readonly kind: 'video'; readonly read: () => Promise<VideoMedia> }
)

/**
 * How files come. `take`: dropped, chosen, pasted or by a link. `add`: the user added them to what is there. A number:
 * the user replaces the face with this key.
 */
export type How = 'take' | 'add' | number

/** The place of a file that is read. `share`: 0–1, null if unknown. */
export interface Place {
  readonly key: number
  readonly kind: SlotName
  readonly name: string
  readonly share: number | null
}

/** A file that can't be used. `source` keeps a dropped file to show it dimmed, or a link to try it again. */
export interface Wrong {
  readonly kind: SlotName
  readonly error: ErrorBody
  readonly name: string
  readonly source: Source
}

/** What an arrival changed, by kind, so that Cancel can take it back. */
interface Change {
  readonly removed: readonly ({ readonly index: number } & (
    { readonly face: Face } | { readonly target: VideoMedia }
  ))[]
  /** Keys of faces, ids of targets. */
  readonly added: (number | string)[]
}

/** Files that came together. */
interface Arrival {
  readonly how: How
  readonly counts: Record<SlotName, number>
  readonly changes: Map<SlotName, Change>
  /** The face whose key the only new face gets, and its index. */
  heir: { readonly key: number; readonly index: number } | null
  /** Folders in it are still searched. */
  isSearching: boolean
  /** The grid was shown when its first file got its place; null: none has one. */
  wasGrid: boolean | null
  readonly problems: Wrong[]
}

interface Reading {
  readonly key: number
  readonly file: Incoming
  readonly arrival: Arrival
  /** Settles when it no longer counts. */
  readonly gone: PromiseWithResolvers<null>
  isGone: boolean
}

interface ContentsDeps {
  readonly bridge: Bridge['intake']
  readonly faces: FacesState
  /** Whether faces and targets are shown as a grid, to which files are added. */
  readonly isGrid: () => boolean
  /** After something came or went. */
  readonly onChange: () => void
}

const nobody = { face: null, video: null } as const

export class Contents {
  #targets = $state.raw<readonly VideoMedia[]>([])
  #places = $state.raw<readonly Place[]>([])
  #wrong = $state.raw<Readonly<Record<SlotName, Wrong | null>>>(nobody)
  /** Files read since nothing was. */
  #done = $state(0)
  /** Several faces came together, for one swap each. */
  #cameTogether = $state(false)
  /** Files and folders that are searched. */
  #searched = $state(0)
  /** What the last swap was made of: keys of faces, ids of targets. */
  readonly #used = { face: new Set<number>(), video: new Set<string>() }
  readonly #readings = new Map<number, Reading>()
  /** What main reads now. */
  readonly #current: Record<SlotName, Reading | null> = { ...nobody }
  readonly #turns = new Turns()
  #nextKey = 1
  readonly targets = $derived(this.#targets)
  readonly wrong = $derived(this.#wrong)
  readonly cameTogether = $derived(this.#cameTogether)

  constructor(private readonly deps: ContentsDeps) {
    deps.bridge.downloading(({ share }) => this.#showDownloaded(share))
  }

  /** How many files are read already, of how many; null: none is read. */
  get reading(): { readonly done: number; readonly count: number } | null {
    const count = this.#places.length + this.#searched
    return count === 0 ? null : { done: this.#done, count: this.#done + count }
  }
  placesOf(kind: SlotName): readonly Place[] {
    return this.#places.filter((place) => place.kind === kind)
  }

  /** How much of the video that main reads is downloaded. */
  #showDownloaded(share: number | null): void {
    const key = this.#current.video?.key
    this.#places = this.#places.map((place) => (place.key === key ? { ...place, share } : place))
  }

  /**
   * Takes files: gives each its place at once, then reads them.
   * @param found what a search of dropped folders finds; `searched` is the number of these folders
   * @returns those that can't be used, except what a slot shows
   */
  async take(
    files: readonly Incoming[],
    how: How = 'take',
    { found, searched = 1 }: { found?: Promise<readonly Incoming[]>; searched?: number } = {},
  ): Promise<readonly Wrong[]> {
    const counts = { face: 0, video: 0 }
    const isSearching = found !== undefined
    const arrival: Arrival = {
      ...{ how, counts, isSearching, wasGrid: null, heir: null, problems: [] },
      changes: new Map(),
    }
    const first = this.#begin(arrival, files)
    let later: Promise<unknown> = Promise.resolve()
    if (found) {
      this.#searched += searched
      try {
        const more = await found
        arrival.isSearching = false
        later = this.#begin(arrival, more)
      } finally {
        this.#searched -= searched
        if (this.reading === null) this.#done = 0
      }
    }
    await Promise.all([first, later])
    this.#showWrong(arrival)
    return arrival.problems
  }

  /** Stops the readings of a kind. What they replaced comes back. */
  cancel(kind: SlotName): void {
    const readings = this.#readingsOf(kind)
    this.#stop(readings)
    for (const arrival of new Set(readings.map(({ arrival }) => arrival).toReversed())) this.#takeBack(arrival, kind)
  }

  /** Removes what can't be used from its slot. */
  forget(kind: SlotName): void {
    if (this.#wrong[kind] !== null) this.#wrong = { ...this.#wrong, [kind]: null }
  }

  /** Replaces everything by the contents of an earlier swap, which count as used. Returns the faces' keys. */
  reset(faces: readonly (readonly FaceMedia[])[], targets: readonly VideoMedia[]): number[] {
    for (const kind of ['face', 'video'] as const) {
      this.#stop(this.#readingsOf(kind))
      this.forget(kind)
    }
    const keys = this.deps.faces.set(faces)
    this.#targets = targets
    this.#cameTogether = false
    this.markUsed()
    return keys
  }

  /** A swap was made of what is held. */
  markUsed(): void {
    this.#used.face = new Set(this.deps.faces.list.map(({ key }) => key))
    this.#used.video = new Set(this.#targets.map(({ id }) => id))
  }

  clearTargets(): void {
    this.#targets = []
    this.#changed()
  }

  /** @returns brings the face back, where it was */
  removeFace(key: number): () => void {
    const { faces } = this.deps
    const index = faces.list.findIndex((face) => face.key === key)
    const face = faces.list[index]
    faces.remove(key)
    this.#changed()
    return () => {
      if (face) faces.insert(face, index)
      this.#changed()
    }
  }

  /** @returns brings the target back, where it was */
  removeTarget(id: string): () => void {
    const index = this.#targets.findIndex((target) => target.id === id)
    const target = this.#targets[index]
    this.#targets = this.#targets.filter((each) => each.id !== id)
    this.#changed()
    return () => {
      if (target && !this.#targets.some((each) => each.id === id))
        this.#targets = this.#targets.toSpliced(index, 0, target)
      this.#changed()
    }
  }

  #begin(arrival: Arrival, files: readonly Incoming[]): Promise<unknown> {
    if (files.length > 0) arrival.wasGrid ??= this.deps.isGrid()
    for (const { kind } of files) arrival.counts[kind] += 1
    if (arrival.counts.face > 1) this.#cameTogether = true
    const readings = files.map((file): Reading => {
      const gone = Promise.withResolvers<null>()
      return { key: this.#nextKey++, file, arrival, gone, isGone: false }
    })
    for (const reading of readings) this.#show(reading)
    return Promise.all(readings.map((reading) => this.#readInTurn(reading)))
  }

  /** Gives a file its place, in that of what it replaces. */
  #show(reading: Reading): void {
    const { kind, name } = reading.file
    this.#makeRoom(reading.arrival, kind)
    this.#readings.set(reading.key, reading)
    this.#places = [...this.#places, { key: reading.key, kind, name, share: null }]
  }

  /** The rule: removes what an arrival replaces, before its first file of a kind gets its place. */
  #makeRoom(arrival: Arrival, kind: SlotName): void {
    if (arrival.changes.has(kind)) return
    this.forget(kind)
    const { faces } = this.deps
    const others = this.#readingsOf(kind)
    const used: ReadonlySet<number | string> = this.#used[kind]
    const held: readonly ({ id: number | string } & Change['removed'][number])[] =
      kind === 'face'
        ? faces.list.map((face, index) => ({ id: face.key, face, index }))
        : this.#targets.map((target, index) => ({ id: target.id, target, index }))
    const fresh = held.filter(({ id }) => !used.has(id)).length + others.length
    // A slot holds one thing, which is replaced. Several things, and the grid, are a collection, to which files are added.
    const replacesAll = arrival.how === 'take' && !arrival.wasGrid && fresh <= 1
    const removed = held.filter(({ id }) => (arrival.how === 'take' ? replacesAll || used.has(id) : id === arrival.how))
    const [other] = replacesAll ? others : []
    const before = other?.arrival.changes.get(kind)?.removed ?? []
    arrival.changes.set(kind, { removed: [...before, ...removed], added: [] })
    const [only] = removed
    if (other) {
      if (kind === 'face') arrival.heir = other.arrival.heir
      this.#stop(others)
    } else if (only && 'face' in only && removed.length === 1 && arrival.counts.face === 1 && !arrival.isSearching)
      arrival.heir = { key: only.face.key, index: only.index }
    for (const each of removed) if ('face' in each) faces.remove(each.face.key)
    if (kind === 'video') this.#targets = this.#targets.filter(({ id }) => !removed.some((each) => each.id === id))
    this.#changed()
  }

  /** Main reads one file of a kind at a time. Resolves when this one is read. */
  #readInTurn(reading: Reading): Promise<void> {
    const { kind } = reading.file
    return this.#turns.run(kind, async () => {
      this.#current[kind] = reading
      // A face that a dialog reads meanwhile stops this one in main.
      while (!reading.isGone && (await this.#read(reading)) === 'stopped');
      this.#current[kind] = null
    })
  }

  async #read(reading: Reading): Promise<'read' | 'stopped'> {
    try {
      const fill = await Promise.race([this.#open(reading), reading.gone.promise])
      if (!reading.isGone) fill?.()
    } catch (thrown) {
      if (reading.isGone) return 'read'
      const error = toErrorBody(thrown)
      if (error.code === 'cancelled') return 'stopped'
      this.#fail(reading, error)
    }
    return 'read'
  }

  /** @returns puts what was read in its place */
  async #open(reading: Reading): Promise<() => void> {
    const { file, arrival } = reading
    const { faces } = this.deps
    const take = (put: () => number | string | null) => (): void => {
      this.#leave(reading)
      const added = put()
      if (added !== null) arrival.changes.get(file.kind)?.added.push(added)
      this.#changed()
    }
    if (file.kind === 'video') {
      const target = await file.read()
      return take(() => {
        this.#targets = [...this.#targets, target]
        return target.id
      })
    }
    const face = await file.read()
    return take(() => {
      const same = faces.same(face.pictures)
      if (same) {
        faces.showCome(same.key)
        this.#used.face.delete(same.key)
        return null
      }
      const key = faces.put(arrival.heir?.key ?? null, face.pictures, {
        index: arrival.heir?.index,
        people: face.people,
      })
      arrival.heir = null
      this.#used.face.delete(key)
      return key
    })
  }

  #fail(reading: Reading, error: ErrorBody): void {
    const { file, arrival } = reading
    this.#leave(reading)
    const known = error.details['name']
    const name = typeof known === 'string' && known !== '' ? known : file.name
    arrival.problems.push({ kind: file.kind, error, name, source: file.source ?? null })
    if (!arrival.isSearching) this.#showWrong(arrival)
    this.#changed()
  }

  /** The only file for a slot that can't be used is shown there, if the slot holds nothing that is swapped. */
  #showWrong(arrival: Arrival): void {
    for (const wrong of arrival.problems.splice(0)) {
      const { kind } = wrong
      if (arrival.counts[kind] > 1 || this.deps.isGrid() || this.#holds(kind)) arrival.problems.push(wrong)
      else this.#wrong = { ...this.#wrong, [kind]: wrong }
    }
  }

  #holds(kind: SlotName): boolean {
    return kind === 'face' ? this.deps.faces.list.length > 0 : this.#targets.length > 0
  }

  /** What comes back, or is read later, is shown instead of an error. */
  #changed(): void {
    for (const kind of ['face', 'video'] as const) if (this.#holds(kind)) this.forget(kind)
    this.deps.onChange()
  }

  #leave(reading: Reading): void {
    this.#readings.delete(reading.key)
    this.#places = this.#places.filter(({ key }) => key !== reading.key)
    this.#done = this.reading === null ? 0 : this.#done + 1
  }

  #readingsOf(kind: SlotName): Reading[] {
    return [...this.#readings.values()].filter(({ file }) => file.kind === kind)
  }

  #stop(readings: readonly Reading[]): void {
    for (const reading of readings) {
      const { kind } = reading.file
      reading.isGone = true
      reading.gone.resolve(null)
      this.#leave(reading)
      if (this.#current[kind] === reading) void this.deps.bridge.stop({ mediaSlot: kind }).catch(() => undefined)
    }
  }

  #takeBack({ changes }: Arrival, kind: SlotName): void {
    const { removed, added } = changes.get(kind) ?? { removed: [], added: [] }
    const { faces } = this.deps
    for (const { key } of faces.list) if (kind === 'face' && added.includes(key)) faces.remove(key)
    this.#targets = this.#targets.filter(({ id }) => kind === 'face' || !added.includes(id))
    for (const each of removed)
      if ('face' in each) faces.insert(each.face, each.index)
      else this.#targets = this.#targets.toSpliced(each.index, 0, each.target)
    this.#changed()
  }
}
