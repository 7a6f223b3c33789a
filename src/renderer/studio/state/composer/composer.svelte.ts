/**
 * @file The swap that the user is preparing. Keeps its content while the window shows another view.
 * After Swap, the faces stay (people make several videos with one face) and the video is cleared unless it is pinned.
 */
import { toErrorBody, type ErrorBody } from '@shared/mien-error.ts'
import type { Estimate } from '@shared/tasks/estimated.ts'
import type { Bridge } from '@shared/ipc/contract.ts'
import { defaultOptions, type SwapOptions } from '@shared/options/default-options.ts'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import type { Range } from '@shared/people/people.ts'
import { seenMs } from '@shared/people/range.ts'
import type { Draft, FaceMedia, Task, VideoMedia } from '@shared/tasks/task.ts'
import { isUnseen } from '@shared/tasks/unseen.ts'
import type { SlotName } from '../../logic/compose/drop.ts'
import { titleFromName } from '@shared/files/title.ts'
import { Casting } from './casting.svelte.ts'
import { FacesState, type Face } from './faces.svelte.ts'
import { chooseParts, type ProofPart } from '@shared/people/proof.ts'
import { PeopleState } from './people.svelte.ts'
import { Proof } from './proof.svelte.ts'
import { Trim } from './trim.svelte.ts'

export type Source = { readonly file: File } | { readonly address: string } | null

/** State of a media slot. `wrong` keeps the dropped file to show it dimmed, or the address to retry it. */
export type SlotState<Media> =
  | { readonly state: 'empty' }
  | { readonly state: 'reading'; readonly name: string; readonly share: number | null }
  | { readonly state: 'filled'; readonly media: Media }
  | { readonly state: 'wrong'; readonly error: ErrorBody; readonly name: string; readonly source: Source }

/** The first thing still missing for a swap; null when it is complete. */
export type Missing =
  | 'face-and-video'
  | 'face'
  | 'video'
  | 'reading'
  | 'title'
  | 'nobody'
  | 'unseen'
  | 'withdrawn'
  | 'consent'
  | 'people'
  | 'key'
  | null

const empty = { state: 'empty' } as const

export class Composer {
  readonly #bridge: Bridge
  readonly #hasKey: (profileId: string) => boolean
  readonly faces: FacesState
  readonly people: PeopleState
  readonly casting: Casting
  readonly proof: Proof
  /** A face that is being read or is wrong; empty: the slot shows one of `faces`. */
  #newFace = $state.raw<Exclude<SlotState<FaceMedia>, { state: 'filled' }>>(empty)
  /** The face that `#newFace` replaces; null: it is added. */
  #newFaceKey: number | null = null
  #video = $state.raw<SlotState<VideoMedia>>(empty)
  /** The part of the video; null without a video that was opened here. */
  #trim = $state.raw<Trim | null>(null)
  /** Set from the settings, then by the user. */
  #options = $state.raw<SwapOptions>(defaultOptions)
  #title = $state('')
  #titleIsOurs = true
  #profileId = $state(embeddedProfileId)
  #estimated = $state.raw<Estimate | null>(null)
  #submitting = $state(false)
  /** The video stays after Swap. */
  videoPinned = $state(false)
  /** Incremented for each reading of a slot, so that a late answer to an earlier reading is ignored. */
  readonly #turn = { face: 0, video: 0 }
  /** Whether a reading is in progress. An open file chooser counts, but shows nothing until main starts to read. */
  readonly #pending = { face: false, video: false }
  #estimateTurn = 0
  #stop: (() => void) | null = null

  /** State of the face slot. */
  readonly face = $derived.by((): SlotState<FaceMedia> => {
    const [media] = this.faces.pictures
    return this.#newFace.state === 'empty' && media !== undefined ? { state: 'filled', media } : this.#newFace
  })

  readonly missing = $derived.by((): Missing => {
    const { state: face } = this.face
    const { state: video } = this.#video
    if (face === 'reading' || video === 'reading') return 'reading'
    if (face !== 'filled') return video === 'filled' ? 'face' : 'face-and-video'
    if (this.faces.withdrawn(this.casting.used).length > 0) return 'withdrawn'
    if (video !== 'filled') return 'video'
    if (this.#title.trim() === '') return 'title'
    // Only a remote service can open an address that this computer couldn't open.
    const pictures = this.casting.used.flatMap((used) => used.pictures)
    if (this.#profileId === embeddedProfileId && [this.#video.media, ...pictures].some(isUnseen)) return 'unseen'
    if (this.casting.used.length === 0) return 'nobody'
    if (!this.#hasKey(this.#profileId)) return 'key'
    if (!this.confirmed) return 'consent'
    return this.casting.isSent(this.#sendsDefaults) && !this.people.isComplete ? 'people' : null
  })

  /** What Swap would start; null while something is missing. */
  readonly draft = $derived.by((): Draft | null => {
    const video = this.#video
    if (this.missing !== null || video.state !== 'filled') return null
    return {
      ...this.casting.draft(this.#sendsDefaults),
      videoId: video.media.id,
      title: this.#title.trim(),
      profileId: this.#profileId,
      options: this.#options,
      range: this.#trim?.range ?? null,
    }
  })

  /** The parts that a proof would show; empty if the video has none, because it is a picture or was never opened. */
  readonly proofParts = $derived.by((): readonly ProofPart[] => {
    const { video } = this.people
    const media = this.#video.state === 'filled' ? this.#video.media : null
    if (video === null || !media?.durationMs || media.kind === 'picture') return []
    const cast = this.casting.isSent(true) ? this.casting.entries.map(({ person }) => person.id) : []
    return chooseParts(media.durationMs, this.#trim?.range ?? null, video, cast)
  })
  /** What a model of the user's adds to the estimate. Other services use their own method. */
  readonly modelWork = $derived.by((): { model?: { id: string; seenMs: number | null } } => {
    const { method: id } = this.#options
    if (id === null || this.#profileId !== embeddedProfileId) return {}
    const clipIds = new Set(this.casting.entries.flatMap(({ person }) => person.clipIds))
    const clips = this.people.video?.clips.filter((clip) => clipIds.has(clip.id)) ?? []
    const isKnown = this.people.isComplete && clips.length > 0
    return { model: { id, seenMs: isKnown ? seenMs(this.#trim?.range ?? null, clips) : null } }
  })
  /** Only this computer makes proofs. */
  readonly hasProof = $derived(this.proofParts.length > 0 && this.#profileId === embeddedProfileId)

  constructor(bridge: Bridge, hasKey: (profileId: string) => boolean) {
    this.#bridge = bridge
    this.#hasKey = hasKey
    this.faces = new FacesState(bridge.intake)
    this.people = new PeopleState(bridge.people)
    this.casting = new Casting(this.people, this.faces)
    this.proof = new Proof(bridge.proof)
    this.faces.onRemove = () => {
      this.casting.keep()
    }
  }

  /** An online service may not know casts. As long as the user chose nothing, let it take the largest face. */
  get #sendsDefaults(): boolean {
    return this.#profileId === embeddedProfileId
  }
  get video(): SlotState<VideoMedia> {
    return this.#video
  }
  get trim(): Trim | null {
    return this.#trim
  }
  get title(): string {
    return this.#title
  }
  set title(title: string) {
    this.#title = title
    this.#titleIsOurs = title === ''
  }
  get profileId(): string {
    return this.#profileId
  }
  get estimateMs(): number | null {
    return this.#estimated?.ms ?? null
  }
  get estimated(): Estimate | null {
    return this.#estimated
  }
  get submitting(): boolean {
    return this.#submitting
  }
  get untouched(): boolean {
    return this.face.state === 'empty' && this.#video.state === 'empty'
  }
  /** Whether all faces of the swap may be used. */
  get confirmed(): boolean {
    return this.faces.areConfirmed(this.casting.used)
  }
  /** The faces that the user is asked about. */
  get asked(): readonly Face[] {
    return this.faces.toConfirm(this.casting.used)
  }
  get options(): SwapOptions {
    return this.#options
  }
  set options(options: SwapOptions) {
    this.#options = options
  }

  start(profileId: string, options: SwapOptions): void {
    this.#profileId = profileId
    this.#options = options
    this.#stop = this.#bridge.intake.reading(({ mediaSlot, name, share }) => {
      if (mediaSlot === 'face' && this.#pending.face) this.#newFace = { state: 'reading', name, share }
      if (mediaSlot === 'video' && this.#pending.video) this.#video = { state: 'reading', name, share }
    })
    this.people.start()
    this.proof.start()
  }

  dispose(): void {
    this.#stop?.()
    this.people.dispose()
    this.proof.dispose()
  }

  /** @param add adds a face; otherwise it replaces the one on the slot */
  async takeFace(
    name: string,
    read: () => Promise<FaceMedia | null>,
    source: Source = null,
    add = false,
  ): Promise<void> {
    const before = this.#newFace
    const turn = ++this.#turn.face
    this.#pending.face = true
    if (before.state === 'empty') this.#newFaceKey = this.faces.shown?.key ?? null
    if (add) this.#newFaceKey = null
    if (name !== '') this.#newFace = { state: 'reading', name, share: null }
    const next = await this.#outcome(read, name, source)
    if (turn !== this.#turn.face) return
    this.#pending.face = false
    if (next?.state === 'filled') {
      this.faces.put(this.#newFaceKey, [next.media])
      this.#newFace = empty
    } else {
      if (next !== null && this.#newFaceKey !== null) this.faces.remove(this.#newFaceKey)
      this.#newFace = next ?? settled(before)
    }
  }

  async takeVideo(name: string, read: () => Promise<VideoMedia | null>, source: Source = null): Promise<void> {
    const before = this.#video
    const turn = ++this.#turn.video
    this.#pending.video = true
    if (name !== '') this.#video = { state: 'reading', name, share: null }
    const next = await this.#outcome(read, name, source)
    if (turn !== this.#turn.video) return
    this.#pending.video = false
    this.#setVideo(next ?? settled(before))
    // A generated title follows the video in the slot.
    if (next !== null && this.#titleIsOurs) this.#title = next.state === 'filled' ? titleFromName(next.media.name) : ''
    await this.estimate()
  }

  /** Shows a face on the slot, in place of one that is wrong. */
  showFace(key: number): void {
    if (this.#newFace.state === 'wrong') this.#newFace = empty
    this.faces.show(key)
  }

  #setVideo(video: SlotState<VideoMedia>, range: Range | null = null): void {
    this.#video = video
    const videoId = video.state === 'filled' && !isUnseen(video.media) ? video.media.id : null
    if (this.people.follow(videoId)) this.casting.clear()
    const media = video.state === 'filled' ? video.media : null
    if (media !== null && media.id === this.#trim?.mediaId) return
    this.#trim?.dispose()
    const durationMs = media?.kind === 'video' ? media.durationMs : null
    this.#trim = media === null || durationMs === null ? null : new Trim(media, durationMs, range)
  }

  chooseFace = (): Promise<void> => this.takeFace('', () => this.#bridge.intake.chooseFace())
  addFace = (): Promise<void> => this.takeFace('', () => this.#bridge.intake.chooseFace(), null, true)
  chooseVideo = (): Promise<void> => this.takeVideo('', () => this.#bridge.intake.chooseVideo())
  pasteFace = (): Promise<void> => this.takeFace('', () => this.#bridge.intake.pasteFace())
  pasteVideo = (): Promise<void> => this.takeVideo('', () => this.#bridge.intake.pasteVideo())
  openAddress = (url: string): Promise<void> =>
    this.takeVideo(url, () => this.#bridge.intake.openAddress({ url }), { address: url })

  /** Uses an address that couldn't be opened here; an online service will open it. */
  useAddress = (url: string): Promise<void> =>
    this.takeVideo(url, () => this.#bridge.intake.useAddress({ url }), { address: url })

  dropFace = (file: File, add = false): Promise<void> =>
    this.takeFace(file.name, () => this.#bridge.intake.dropFace(file), { file }, add)
  dropVideo = (file: File): Promise<void> => this.takeVideo(file.name, () => this.#bridge.intake.dropVideo(file))

  /** Empties a slot and stops its reading. */
  clear(mediaSlot: SlotName): void {
    this.#turn[mediaSlot] += 1
    if (this.#pending[mediaSlot]) void this.#bridge.intake.stop({ mediaSlot }).catch(() => undefined)
    this.#pending[mediaSlot] = false
    if (mediaSlot === 'face') {
      const gone = this.#newFace.state === 'empty' ? this.faces.shown?.key : this.#newFaceKey
      if (gone != null) this.faces.remove(gone)
      this.#newFace = empty
      return
    }
    this.#setVideo(empty)
    this.#estimated = null
    if (this.#titleIsOurs) this.#title = ''
  }

  confirm = (confirmed: boolean): Promise<void> => this.faces.confirm(this.asked, confirmed)

  async runOn(profileId: string): Promise<void> {
    this.#profileId = profileId
    await this.estimate()
  }

  /** Fills the slots with the given parts of an earlier swap and selects its service. */
  async prefill(task: Task, parts: readonly SlotName[]): Promise<void> {
    this.clear('face')
    this.clear('video')
    const cast = task.cast.length > 0 ? task.cast : [task]
    const pictures = new Map(cast.map((entry) => [entry.face.id, [entry.face, ...entry.pictures]]))
    const keys = this.faces.set(parts.includes('face') ? [...pictures.values()] : [])
    this.#options = task.options
    if (parts.includes('video')) {
      this.#setVideo({ state: 'filled', media: task.video }, task.range)
      this.#title = task.title
      this.#titleIsOurs = true
    }
    if (parts.length === 2) {
      const faceIds = [...pictures.keys()]
      this.casting.clear(new Map(task.cast.map((each) => [each.personId, keys[faceIds.indexOf(each.face.id)] ?? null])))
    }
    await this.runOn(task.profileId)
  }

  /** Returns the id of the new swap; null while something is missing. */
  async submit(): Promise<string | null> {
    const { draft } = this
    if (draft === null || this.#submitting) return null
    this.#submitting = true
    try {
      const { taskId } = await this.#bridge.tasks.submit(draft)
      this.#titleIsOurs = true
      if (!this.videoPinned) this.clear('video')
      return taskId
    } finally {
      this.#submitting = false
    }
  }

  async #outcome<Media>(
    read: () => Promise<Media | null>,
    name: string,
    source: Source,
  ): Promise<SlotState<Media> | null> {
    try {
      const media = await read()
      return media === null ? null : { state: 'filled', media }
    } catch (thrown) {
      const error = toErrorBody(thrown)
      if (error.code === 'cancelled') return null
      const known = error.details['name']
      return { state: 'wrong', error, name: typeof known === 'string' && known !== '' ? known : name, source }
    }
  }

  /** Updates the estimate of how long the swap takes. */
  async estimate(range = this.#trim?.range ?? null): Promise<void> {
    const turn = ++this.#estimateTurn
    const video = this.#video
    if (video.state !== 'filled') {
      this.#estimated = null
      return
    }
    const answer = await this.#bridge.intake
      .estimate({ videoId: video.media.id, profileId: this.#profileId, ...(range && { range }), ...this.modelWork })
      .catch(() => null)
    if (turn === this.#estimateTurn) this.#estimated = answer
  }
}

/** The state to restore after a cancelled reading. */
const settled = <State extends { state: string }>(mediaSlot: State): State | typeof empty =>
  mediaSlot.state === 'reading' ? empty : mediaSlot
