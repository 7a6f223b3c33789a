/**
 * @file The swap that the user is preparing. Keeps its content while the window shows another view.
 * After Swap, the faces stay (people make several videos with one face) and the video is cleared unless it is pinned.
 * What comes next replaces them, see contents.svelte.ts.
 */
import type { Estimate } from '@shared/tasks/estimated.ts'
import type { Bridge } from '@shared/ipc/contract.ts'
import { defaultOptions, type SwapOptions } from '@shared/options/default-options.ts'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import type { Range } from '@shared/people/people.ts'
import { seenMs } from '@shared/people/range.ts'
import type { Draft, FaceMedia, Task, VideoMedia } from '@shared/tasks/task.ts'
import { isUnseen } from '@shared/tasks/unseen.ts'
import type { SlotName } from '@shared/files/media-names.ts'
import { titleFromName } from '@shared/files/title.ts'
import type { AppState } from '../app/app.svelte.ts'
import { Casting } from './casting.svelte.ts'
import { Contents, type Wrong } from './contents.svelte.ts'
import { Faceless } from './faceless.svelte.ts'
import { FacesState } from './faces.svelte.ts'
import { chooseParts, type ProofPart } from '@shared/people/proof.ts'
import { PeopleState } from './people.svelte.ts'
import { Proof } from './proof.svelte.ts'
import { Trim } from './trim.svelte.ts'

/** State of a media slot. */
export type SlotState<Media> =
  | { readonly state: 'empty' }
  | { readonly state: 'reading'; readonly name: string; readonly share: number | null }
  | { readonly state: 'filled'; readonly media: Media }
  | ({ readonly state: 'wrong' } & Wrong)

/** The first thing still missing for a swap; null when it is complete. */
export type Missing =
  | 'face-and-video'
  | 'face'
  | 'video'
  | 'reading'
  | 'no-face'
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
  readonly faces: FacesState
  readonly people: PeopleState
  readonly #faceless: Faceless
  readonly casting: Casting
  readonly proof: Proof
  readonly contents: Contents
  /** The video in the slot. */
  #media: VideoMedia | null = null
  /** The part of the video; null without a video that was opened here. */
  #trim = $state.raw<Trim | null>(null)
  /** Set from the settings, then by the user. */
  options = $state.raw<SwapOptions>(defaultOptions)
  #title = $state('')
  #titleIsOurs = true
  #profileId = $state(embeddedProfileId)
  #estimated = $state.raw<Estimate | null>(null)
  #submitting = $state(false)
  /** The video stays after Swap. */
  videoPinned = $state(false)
  /** The user wants one swap for each face, or all faces in one swap; null: the user didn't say. */
  #wantsEach = $state<boolean | null>(null)
  /** What the user had chosen for the last video in the slot, in case it comes back. */
  #left: { mediaId: string; range: Range | null; choices: Casting['choices']; title: string } | null = null
  /** The options and the service that the user has for new swaps, while those of an earlier swap are used. */
  #own: { options: SwapOptions; profileId: string; faceIds: readonly string[]; videoId: string | null } | null = null
  #estimateTurn = 0

  /** State of the face slot. */
  readonly face = $derived.by((): SlotState<FaceMedia> => this.#slotOf('face', this.faces.pictures[0]))
  /** State of the video slot; with several targets, the grid shows them instead. */
  readonly video = $derived.by((): SlotState<VideoMedia> => {
    const { targets } = this.contents
    return this.#slotOf('video', targets.length === 1 ? targets[0] : undefined)
  })
  /** Faces and targets are shown as a grid, in place of the two slots. */
  readonly isGrid = $derived.by(() => {
    const { targets } = this.contents
    if (targets.length + this.contents.placesOf('video').length > 1) return true
    const [target] = targets
    if (target === undefined || this.faceCount < 2) return false
    if (this.#wantsEach !== null) return this.#wantsEach
    // If there is somebody for each face, all of them in one swap is the likelier wish.
    const people = Math.max(this.people.list.length, target.faces.length)
    return this.contents.cameTogether && this.faceCount > people
  })

  readonly missing = $derived.by((): Missing => {
    const face = this.face.state
    const { video } = this
    if (this.contents.reading !== null) return 'reading'
    if (face !== 'filled') return video.state === 'filled' ? 'face' : 'face-and-video'
    if (this.faces.withdrawn(this.casting.used).length > 0) return 'withdrawn'
    if (video.state !== 'filled') return 'video'
    if (this.hasNobody(video.media)) return 'no-face'
    if (this.#title.trim() === '') return 'title'
    // Only a remote service can open an address that this computer couldn't open.
    const pictures = this.casting.used.flatMap((used) => used.pictures)
    if (this.#profileId === embeddedProfileId && [video.media, ...pictures].some(isUnseen)) return 'unseen'
    if (this.casting.used.length === 0) return 'nobody'
    if (!this.hasKey) return 'key'
    if (!this.faces.areConfirmed(this.casting.used)) return 'consent'
    if (this.casting.isSent(this.#sendsDefaults)) return this.people.isComplete ? null : 'people'
    return this.faces.list.length > 1 && this.people.isLooking ? 'people' : null
  })

  /** What Swap would start; null while something is missing. */
  readonly draft = $derived.by((): Draft | null => {
    const { video } = this
    if (this.missing !== null || video.state !== 'filled' || this.isGrid) return null
    return {
      ...this.casting.draft(this.#sendsDefaults),
      videoId: video.media.id,
      title: this.#title.trim(),
      profileId: this.#profileId,
      options: this.options,
      range: this.#trim?.range ?? null,
    }
  })

  /** The parts that a proof would show; empty if the video has none, because it is a picture or was never opened. */
  readonly proofParts = $derived.by((): readonly ProofPart[] => {
    const { video } = this.people
    const media = this.video.state === 'filled' ? this.video.media : null
    if (video === null || !media?.durationMs || media.kind === 'picture') return []
    const cast = this.casting.isSent(true) ? this.casting.entries.map(({ person }) => person.id) : []
    return chooseParts(media.durationMs, this.#trim?.range ?? null, video, cast)
  })
  /** What a model of the user's adds to the estimate. Other services use their own method. */
  readonly modelWork = $derived.by((): { model?: { id: string; seenMs: number | null } } => {
    const { method: id } = this.options
    if (id === null || this.#profileId !== embeddedProfileId) return {}
    const clipIds = new Set(this.casting.entries.flatMap(({ person }) => person.clipIds))
    const clips = this.people.video?.clips.filter((clip) => clipIds.has(clip.id)) ?? []
    const isKnown = this.people.isComplete && clips.length > 0
    return { model: { id, seenMs: isKnown ? seenMs(this.#trim?.range ?? null, clips) : null } }
  })
  /** Only this computer makes proofs. */
  readonly hasProof = $derived(this.proofParts.length > 0 && this.#profileId === embeddedProfileId)
  /** An online service may not know casts. As long as the user chose nothing, let it take the largest face. */
  readonly #sendsDefaults = $derived(this.#profileId === embeddedProfileId)
  readonly trim = $derived(this.#trim)
  readonly profileId = $derived(this.#profileId)
  readonly hasKey = $derived.by(() => this.app.hasKey(this.#profileId))
  readonly estimateMs = $derived(this.#estimated?.ms ?? null)
  readonly estimated = $derived(this.#estimated)
  readonly submitting = $derived(this.#submitting)
  /** Number of faces, with those that are still read. */
  readonly faceCount = $derived.by(() => this.faces.list.length + this.contents.placesOf('face').length)
  /** Several faces could go into one video, one after the other. */
  readonly canSplit = $derived.by(() => !this.isGrid && this.faceCount > 1 && this.video.state === 'filled')

  constructor(
    private readonly bridge: Bridge,
    private readonly app: AppState,
  ) {
    this.faces = new FacesState(bridge.intake)
    this.people = new PeopleState(bridge.people)
    this.#faceless = new Faceless(bridge.people)
    this.casting = new Casting(this.people, this.faces)
    this.proof = new Proof(bridge.proof)
    this.faces.onRemove = () => this.casting.keep()
    this.faces.onReturn = (face) => this.casting.release(face)
    this.faces.isUsed = (face) => this.casting.used.includes(face)
    this.contents = new Contents({
      ...{ bridge: bridge.intake, faces: this.faces },
      isGrid: () => this.isGrid,
      onChange: () => this.#changed(),
    })
  }

  get title(): string {
    return this.#title
  }
  set title(title: string) {
    this.#title = title
    this.#titleIsOurs = title === ''
  }
  get untouched(): boolean {
    const { reading, targets } = this.contents
    return reading === null && targets.length === 0 && this.face.state === 'empty' && this.video.state === 'empty'
  }
  /** The search for faces in a target has ended without one. */
  hasNobody({ id, faces }: VideoMedia): boolean {
    if (faces.length > 0) return false
    return this.contents.targets.length === 1 ? this.people.hasNobody : this.#faceless.has(id)
  }
  /** One swap for each face; otherwise, with one video, all faces go into one swap. */
  set wantsEach(wantsEach: boolean) {
    this.#wantsEach = wantsEach
  }
  /** The user looks at a face that the swap doesn't use. */
  get looksAtUnused(): boolean {
    const { shown } = this.faces
    return this.face.state === 'filled' && shown !== null && !this.casting.used.includes(shown)
  }

  /** Begins with the service and the options of the settings. */
  start(profileId: string, options: SwapOptions): void {
    this.#profileId = profileId
    this.options = options
  }

  #slotOf<Media>(kind: SlotName, media: Media | undefined): SlotState<Media> {
    const wrong = this.contents.wrong[kind]
    const [place] = this.contents.placesOf(kind)
    if (place) return { state: 'reading', name: place.name, share: place.share }
    if (wrong) return { state: 'wrong', ...wrong }
    return media === undefined ? empty : { state: 'filled', media }
  }

  /** Follows the contents: the people, the parts and the title are those of the only target. */
  #changed(): void {
    const { targets, wrong } = this.contents
    const media = targets.length === 1 && wrong.video === null ? (targets[0] ?? null) : null
    if (this.#own !== null && !this.#holdsAny(this.#own)) this.#useOwn()
    // In this order, because main ends the search of what is no longer followed.
    if (targets.length < 2) this.#faceless.follow([])
    if (media?.id !== this.#media?.id) this.#follow(media)
    if (targets.length > 1) this.#faceless.follow(targets)
  }

  #follow(media: VideoMedia | null, kept = this.#left): void {
    if (this.#media !== null)
      this.#left = {
        ...{ mediaId: this.#media.id, range: this.#trim?.range ?? null },
        ...{ choices: this.casting.choices, title: this.#titleIsOurs ? this.#title : '' },
      }
    this.#media = media
    const left = kept?.mediaId === media?.id ? kept : null
    if (this.people.follow(media === null || isUnseen(media) ? null : media.id)) this.casting.clear(left?.choices)
    this.#trim?.dispose()
    const durationMs = media?.kind === 'video' ? media.durationMs : null
    this.#trim = media === null || durationMs === null ? null : new Trim(media, durationMs, left?.range ?? null)
    // A generated title follows the video in the slot.
    if (this.#titleIsOurs) this.#title = media === null ? '' : (left?.title ?? '') || titleFromName(media.name)
    if (media === null) this.#estimated = null
  }

  /** Whether something of an earlier swap is still held. */
  #holdsAny({ faceIds, videoId }: { faceIds: readonly string[]; videoId: string | null }): boolean {
    const { targets } = this.contents
    return (
      targets.some(({ id }) => id === videoId) ||
      this.faces.list.some(({ pictures }) => pictures.some(({ id }) => faceIds.includes(id)))
    )
  }

  /** Goes back to the options and the service that the user has for new swaps. */
  #useOwn(): void {
    if (this.#own === null) return
    this.options = this.#own.options
    this.#profileId = this.#own.profileId
    this.#own = null
  }

  /** Empties a slot. If a file is read for it, stops that instead. */
  clear(mediaSlot: SlotName): void {
    const { wrong, targets } = this.contents
    if (this.contents.placesOf(mediaSlot).length > 0) this.contents.cancel(mediaSlot)
    else if (wrong[mediaSlot] !== null) this.contents.forget(mediaSlot)
    else if (mediaSlot === 'face' && this.faces.shown) this.contents.removeFace(this.faces.shown.key)
    else if (mediaSlot === 'video' && targets.length > 0) this.contents.clearTargets()
  }

  async runOn(profileId: string): Promise<void> {
    this.#profileId = profileId
    await this.estimate()
  }

  /** Swaps in the built-in way if the chosen model isn't one of these. @returns whether that changed */
  forgetModels(known: readonly string[]): boolean {
    const isGone = ({ method }: SwapOptions): boolean => method !== null && !known.includes(method)
    if (this.#own && isGone(this.#own.options))
      this.#own = { ...this.#own, options: { ...this.#own.options, method: null } }
    if (!isGone(this.options)) return false
    this.options = { ...this.options, method: null }
    return true
  }

  /** Keeps the present options for new swaps, too. */
  keepOptions(): void {
    if (this.#own) this.#own = { ...this.#own, options: this.options }
  }

  /** Whether options and service are those of new swaps, not of an earlier swap. */
  get usesOwn(): boolean {
    return this.#own === null
  }

  /** Fills the slots with the given parts of an earlier swap and selects its options and service for one swap. */
  async prefill(task: Task, parts: readonly SlotName[]): Promise<void> {
    const own = this.#own ?? { options: this.options, profileId: this.#profileId }
    this.#own = null
    const cast = task.cast.length > 0 ? task.cast : [task]
    const pictures = new Map(cast.map((entry) => [entry.face.id, [entry.face, ...entry.pictures]]))
    this.#titleIsOurs = true
    this.#wantsEach = null
    const keys = this.contents.reset(
      parts.includes('face') ? [...pictures.values()] : [],
      parts.includes('video') ? [task.video] : [],
    )
    this.#faceless.follow([])
    this.#follow(null)
    const faceIds = [...pictures.keys()]
    const choices = new Map(
      parts.length < 2 ? [] : task.cast.map((each) => [each.personId, keys[faceIds.indexOf(each.face.id)] ?? null]),
    )
    if (parts.includes('video'))
      this.#follow(task.video, { mediaId: task.video.id, range: task.range, choices, title: task.title })
    this.#own = { ...own, faceIds, videoId: parts.includes('video') ? task.video.id : null }
    this.options = task.options
    await this.runOn(task.profileId)
  }

  /** Returns the id of the new swap; null while something is missing. */
  async submit(): Promise<string | null> {
    const { draft } = this
    if (draft === null || this.#submitting) return null
    this.#submitting = true
    try {
      const { taskId } = await this.bridge.tasks.submit(draft)
      this.#titleIsOurs = true
      this.submitted()
      return taskId
    } finally {
      this.#submitting = false
    }
  }

  /** After Swap: what was used is replaced by what comes next. */
  submitted(): void {
    this.contents.markUsed()
    this.#useOwn()
    this.#wantsEach = null
    if (!this.videoPinned) this.contents.clearTargets()
  }

  /** Updates the estimate of how long the swap takes. */
  async estimate(): Promise<void> {
    const turn = ++this.#estimateTurn
    const { video } = this
    const range = this.#trim?.range ?? null
    if (video.state !== 'filled') {
      this.#estimated = null
      return
    }
    const answer = await this.bridge.intake
      .estimate({ videoId: video.media.id, profileId: this.#profileId, ...(range && { range }), ...this.modelWork })
      .catch(() => null)
    if (turn === this.#estimateTurn) this.#estimated = answer
  }
}
