/** @file The people of the composer's video: followed while a scan finds them, corrected with undo and redo. */
import type { Bridge } from '@shared/ipc/contract.ts'
import type { Person, Split, VideoPeople } from '@shared/people/people.ts'
import { pieceId, scannedId } from '@shared/people/split.ts'
import { hasNobody } from '../../logic/compose/people.ts'
import type { PlacesOfClips } from '../../logic/compose/person-places.ts'

const none: readonly Person[] = []

/** What undo brings back. */
interface Corrections {
  readonly people: readonly Person[]
  readonly splits: readonly Split[]
}

export class PeopleState {
  #videoId: string | null = null
  #places = $state.raw<PlacesOfClips>(new Map())
  #video = $state.raw<VideoPeople | null>(null)
  #past = $state.raw<readonly Corrections[]>([])
  #future = $state.raw<readonly Corrections[]>([])
  /** Main hasn't answered yet. */
  #isAsked = $state(false)
  /** The clips whose places are known. */
  #placed: readonly Split[] | null = null
  /** Number of corrections without an answer. Until then, what main reports may be older. */
  #pending = 0
  /** Null until the first answer about the video. */
  readonly video = $derived(this.#video)
  /** The most prominent first; nobody if the scan failed. */
  readonly list = $derived(this.#video === null || this.#video.error ? none : this.#video.people)
  /** Empty until the scan is complete. */
  readonly places = $derived(this.#places)
  /** 0–1 while a scan runs, else null. */
  readonly scanned = $derived(
    this.#video === null || this.#video.error || this.#video.scanned >= 1 ? null : this.#video.scanned,
  )
  /** Only people of a complete scan can be corrected and cast. */
  readonly isComplete = $derived(this.#video !== null && !this.#video.error && this.#video.scanned >= 1)
  /** Whether there may be people who aren't found yet. */
  readonly isLooking = $derived(this.#video === null ? this.#isAsked : this.scanned !== null)
  /** The scan is complete, and there is no face in the video. */
  readonly hasNobody = $derived(this.#video !== null && hasNobody(this.#video))
  readonly canUndo = $derived(this.#past.length > 0)
  readonly canRedo = $derived(this.#future.length > 0)
  readonly #splits = $derived(this.#video?.splits ?? [])

  constructor(private readonly bridge: Bridge['people']) {
    bridge.changed((video) => {
      if (video.videoId !== this.#videoId || this.#pending > 0) return
      this.#video = video
      void this.#loadPlaces()
    })
  }

  /**
   * @param videoId null: no video
   * @returns whether it is another video than before
   */
  follow(videoId: string | null): boolean {
    if (videoId === this.#videoId) return false
    if (this.#videoId !== null) void this.bridge.stop({ videoId: this.#videoId }).catch(() => undefined)
    this.#videoId = videoId
    this.#video = null
    this.#places = new Map()
    this.#placed = null
    this.#past = this.#future = []
    void this.look()
    return true
  }

  /** Asks for the people; repeats a scan that failed. Without an answer, the largest face is swapped. */
  async look(): Promise<void> {
    const videoId = this.#videoId
    if (videoId === null) return
    this.#isAsked = true
    const video = await this.bridge.of({ videoId }).catch(() => null)
    if (videoId === this.#videoId) this.#isAsked = false
    // What changed since then was reported meanwhile.
    if (videoId === this.#videoId && (this.#video === null || this.#video.error)) this.#video = video
    await this.#loadPlaces()
  }

  /** When the scan is complete, and when clips were split. Without places, people aren't marked in the video. */
  async #loadPlaces(): Promise<void> {
    const videoId = this.#videoId
    const splits = this.#splits
    const isKnown = this.#placed !== null && JSON.stringify(this.#placed) === JSON.stringify(splits)
    if (videoId === null || !this.isComplete || this.list.length === 0 || isKnown) return
    this.#placed = splits
    const { clips } = await this.bridge.places({ videoId }).catch(() => ({ clips: [] }))
    if (videoId === this.#videoId) this.#places = new Map(clips.map(({ id, places }) => [id, places]))
  }

  async correct(people: Person[]): Promise<void> {
    const splits = [...this.#splits]
    await this.#change((videoId) => this.bridge.correct({ videoId, people, splits }), people)
  }

  /**
   * Splits a clip at a time inside of it. The rest stays with the same person.
   * @returns the id of the rest; null if it can't be split there
   */
  async split(clipId: number, atMs: number): Promise<number | null> {
    const clip = this.#video?.clips.find(({ id }) => id === clipId)
    if (!clip || atMs <= clip.fromMs || atMs >= clip.toMs) return null
    const split = { clipId: scannedId(clipId), atMs }
    const splits = [...this.#splits, split]
    const rest = pieceId(split)
    const people = this.list.map((person) =>
      person.clipIds.includes(clipId) ? { ...person, clipIds: [...person.clipIds, rest] } : person,
    )
    await this.#change((videoId) => this.bridge.correct({ videoId, people, splits }))
    return rest
  }

  async reset(): Promise<void> {
    await this.#change((videoId) => this.bridge.reset({ videoId }))
  }

  async #change(send: (videoId: string) => Promise<VideoPeople>, people?: Person[]): Promise<void> {
    if (!this.isComplete) return
    this.#past = [...this.#past, this.#now]
    this.#future = []
    await this.#send(send, people)
  }

  async undo(): Promise<void> {
    const before = this.#past.at(-1)
    if (before === undefined) return
    this.#past = this.#past.slice(0, -1)
    this.#future = [...this.#future, this.#now]
    await this.#restore(before)
  }

  async redo(): Promise<void> {
    const after = this.#future.at(-1)
    if (after === undefined) return
    this.#future = this.#future.slice(0, -1)
    this.#past = [...this.#past, this.#now]
    await this.#restore(after)
  }

  get #now(): Corrections {
    return { people: this.list, splits: this.#splits }
  }

  async #restore(corrections: Corrections): Promise<void> {
    const [people, splits] = [[...corrections.people], [...corrections.splits]]
    const areSame = JSON.stringify(splits) === JSON.stringify(this.#splits)
    await this.#send((videoId) => this.bridge.correct({ videoId, people, splits }), areSame ? people : undefined)
  }

  /** Shows `people` at once, and takes them back if main refuses. Without them, waits for the answer. */
  async #send(send: (videoId: string) => Promise<VideoPeople>, people?: Person[]): Promise<void> {
    const before = this.#video
    if (before === null) return
    if (people) this.#video = { ...before, people, isCorrected: true }
    this.#pending += 1
    const answer = await send(before.videoId)
      .catch((error: unknown) => {
        if (this.#videoId === before.videoId) this.#video = before
        throw error
      })
      .finally(() => {
        this.#pending -= 1
      })
    if (answer.videoId !== this.#videoId || this.#pending > 0) return
    this.#video = answer
    await this.#loadPlaces()
  }
}
