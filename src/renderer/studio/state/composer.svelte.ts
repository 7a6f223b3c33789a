/**
 * @file The swap that the user is preparing. Keeps its content while the window shows another view.
 * After Swap, the face stays (people make several videos with one face) and the video is cleared.
 */
import { mayUseFace } from '@shared/consent.ts'
import { toErrorBody, type ErrorBody } from '@shared/mien-error.ts'
import type { Bridge, PictureImport } from '@shared/ipc.ts'
import { defaultOptions, maxPictures, type SwapOptions } from '@shared/default-options.ts'
import { embeddedProfileId } from '@shared/task-states.ts'
import type { Draft, FaceMedia, Task, VideoMedia } from '@shared/task.ts'
import { isUnseen } from '@shared/unseen.ts'
import type { SlotName } from '../logic/drop.ts'
import { titleFromName } from '../logic/title.ts'

export type Source = { readonly file: File } | { readonly address: string } | null

/** State of a media slot. `wrong` keeps the dropped file to show it dimmed, or the address to retry it. */
export type SlotState<Media> =
  | { readonly state: 'empty' }
  | { readonly state: 'reading'; readonly name: string; readonly share: number | null }
  | { readonly state: 'filled'; readonly media: Media }
  | { readonly state: 'wrong'; readonly error: ErrorBody; readonly name: string; readonly source: Source }

/** The first thing still missing for a swap; null when it is complete. */
export type Missing = 'face-and-video' | 'face' | 'video' | 'reading' | 'title' | 'unseen' | 'consent' | 'key' | null

const empty = { state: 'empty' } as const

export class Composer {
  readonly #bridge: Bridge
  readonly #hasKey: (profileId: string) => boolean
  #face = $state.raw<SlotState<FaceMedia>>(empty)
  #video = $state.raw<SlotState<VideoMedia>>(empty)
  /** More pictures of the person in the face slot. */
  #pictures = $state.raw<readonly FaceMedia[]>([])
  #addingPicture = $state(false)
  #shownId = $state('')
  /** Set from the settings, then by the user. */
  #options = $state.raw<SwapOptions>(defaultOptions)
  #title = $state('')
  #titleIsOurs = true
  #profileId = $state(embeddedProfileId)
  #estimateMs = $state<number | null>(null)
  #submitting = $state(false)
  /** Incremented for each reading of a slot, so that a late answer to an earlier reading is ignored. */
  readonly #turn = { face: 0, video: 0 }
  /** Whether a reading is in progress. An open file chooser counts, but shows nothing until main starts to read. */
  readonly #pending = { face: false, video: false }
  #estimateTurn = 0
  #stop: (() => void) | null = null

  readonly missing = $derived.by((): Missing => {
    const { state: face } = this.#face
    const { state: video } = this.#video
    if (face === 'reading' || video === 'reading') return 'reading'
    if (face !== 'filled') return video === 'filled' ? 'face' : 'face-and-video'
    if (video !== 'filled') return 'video'
    if (this.#title.trim() === '') return 'title'
    // Only a remote service can open an address that this computer couldn't open.
    if (this.#profileId === embeddedProfileId && (isUnseen(this.#face.media) || isUnseen(this.#video.media)))
      return 'unseen'
    if (!this.#hasKey(this.#profileId)) return 'key'
    return this.confirmed ? null : 'consent'
  })

  constructor(bridge: Bridge, hasKey: (profileId: string) => boolean) {
    this.#bridge = bridge
    this.#hasKey = hasKey
  }

  get face(): SlotState<FaceMedia> {
    return this.#face
  }
  get video(): SlotState<VideoMedia> {
    return this.#video
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
    return this.#estimateMs
  }
  get submitting(): boolean {
    return this.#submitting
  }
  get untouched(): boolean {
    return this.#face.state === 'empty' && this.#video.state === 'empty'
  }
  get confirmed(): boolean {
    return this.#face.state === 'filled' && this.pictures.every(mayUseFace)
  }
  /** All pictures of the person, the main one first; empty without a face. */
  get pictures(): readonly FaceMedia[] {
    return this.#face.state === 'filled' ? [this.#face.media, ...this.#pictures] : []
  }
  /** The picture on the slot; null without a face. */
  get shownPicture(): FaceMedia | null {
    return this.pictures.find(({ id }) => id === this.#shownId) ?? this.pictures[0] ?? null
  }
  show(pictureId: string): void {
    this.#shownId = pictureId
  }
  get addingPicture(): boolean {
    return this.#addingPicture
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
      if (mediaSlot === 'face' && this.#pending.face) this.#face = { state: 'reading', name, share }
      if (mediaSlot === 'video' && this.#pending.video) this.#video = { state: 'reading', name, share }
    })
  }

  dispose(): void {
    this.#stop?.()
  }

  async takeFace(name: string, read: () => Promise<FaceMedia | null>, source: Source = null): Promise<void> {
    const before = this.#face
    const turn = ++this.#turn.face
    this.#pending.face = true
    if (name !== '') this.#face = { state: 'reading', name, share: null }
    const next = await this.#outcome(read, name, source)
    if (turn !== this.#turn.face) return
    this.#pending.face = false
    if (next !== null) this.#pictures = []
    this.#face = next ?? settled(before)
  }

  async takeVideo(name: string, read: () => Promise<VideoMedia | null>, source: Source = null): Promise<void> {
    const before = this.#video
    const turn = ++this.#turn.video
    this.#pending.video = true
    if (name !== '') this.#video = { state: 'reading', name, share: null }
    const next = await this.#outcome(read, name, source)
    if (turn !== this.#turn.video) return
    this.#pending.video = false
    this.#video = next ?? settled(before)
    // A generated title follows the video in the slot.
    if (next !== null && this.#titleIsOurs) this.#title = next.state === 'filled' ? titleFromName(next.media.name) : ''
    await this.estimate()
  }

  chooseFace = (): Promise<void> => this.takeFace('', () => this.#bridge.intake.chooseFace())
  chooseVideo = (): Promise<void> => this.takeVideo('', () => this.#bridge.intake.chooseVideo())
  pasteFace = (): Promise<void> => this.takeFace('', () => this.#bridge.intake.pasteFace())
  pasteVideo = (): Promise<void> => this.takeVideo('', () => this.#bridge.intake.pasteVideo())
  openAddress = (url: string): Promise<void> =>
    this.takeVideo(url, () => this.#bridge.intake.openAddress({ url }), { address: url })

  /** Uses an address that couldn't be opened here; an online service will open it. */
  useAddress = (url: string): Promise<void> =>
    this.takeVideo(url, () => this.#bridge.intake.useAddress({ url }), { address: url })

  dropFace = (file: File): Promise<void> => this.takeFace(file.name, () => this.#bridge.intake.dropFace(file), { file })
  dropVideo = (file: File): Promise<void> => this.takeVideo(file.name, () => this.#bridge.intake.dropVideo(file))

  /** Empties a slot and stops its reading. */
  clear(mediaSlot: SlotName): void {
    this.#turn[mediaSlot] += 1
    if (this.#pending[mediaSlot]) void this.#bridge.intake.stop({ mediaSlot }).catch(() => undefined)
    this.#pending[mediaSlot] = false
    if (mediaSlot === 'face') {
      this.#face = empty
      this.#pictures = []
      return
    }
    this.#video = empty
    this.#estimateMs = null
    if (this.#titleIsOurs) this.#title = ''
  }

  async confirm(confirmed: boolean): Promise<void> {
    const asked = this.pictures.filter(({ origin }) => origin !== 'sample')
    for (const { id } of asked) this.#replace(await this.#bridge.intake.confirmFace({ faceId: id, confirmed }))
  }

  /** Updates a picture, unless the slot holds another face by now. */
  #replace(media: FaceMedia): void {
    const { face } = this
    if (face.state === 'filled' && face.media.id === media.id) this.#face = { state: 'filled', media }
    this.#pictures = this.#pictures.map((picture) => (picture.id === media.id ? media : picture))
  }

  /**
   * Lets the user choose more pictures of the person. Pictures of a person that may be used are confirmed with it.
   * @returns those that can't be used, and the number of those that were too many
   */
  async addPictures(): Promise<Omit<PictureImport, 'added'>> {
    const { face } = this
    const max = maxPictures - this.pictures.length
    if (face.state !== 'filled' || max < 1 || this.#addingPicture) return { failed: [], left: 0 }
    this.#addingPicture = true
    try {
      const { added, ...rest } = await this.#bridge.intake.choosePictures({ faceId: face.media.id, max })
      await this.#add(face.media.id, added)
      return rest
    } finally {
      this.#addingPicture = false
    }
  }

  async #add(faceId: string, added: readonly FaceMedia[]): Promise<void> {
    const wasConfirmed = this.confirmed
    const { face } = this
    // The user chose another face meanwhile.
    if (face.state !== 'filled' || face.media.id !== faceId) return
    this.#pictures = [...this.#pictures, ...added]
    if (wasConfirmed) await this.confirm(true)
  }

  /** Removes one picture. If it is the main one, the next takes its place. */
  removePicture(id: string): void {
    const [first, ...more] = this.pictures.filter((picture) => picture.id !== id)
    if (!first) {
      this.clear('face')
      return
    }
    this.#face = { state: 'filled', media: first }
    this.#pictures = more
  }

  async runOn(profileId: string): Promise<void> {
    this.#profileId = profileId
    await this.estimate()
  }

  /** Fills the slots with the given parts of an earlier swap and selects its service. */
  async prefill(task: Task, parts: readonly SlotName[]): Promise<void> {
    this.clear('face')
    this.clear('video')
    if (parts.includes('face')) {
      this.#face = { state: 'filled', media: task.face }
      this.#pictures = task.pictures
    }
    this.#options = task.options
    if (parts.includes('video')) {
      this.#video = { state: 'filled', media: task.video }
      this.#title = task.title
      this.#titleIsOurs = true
    }
    await this.runOn(task.profileId)
  }

  /** Returns the id of the new swap; null while something is missing. */
  async submit(): Promise<string | null> {
    const { face, video } = this
    if (this.missing !== null || this.#submitting || face.state !== 'filled' || video.state !== 'filled') return null
    const draft: Draft = {
      faceId: face.media.id,
      pictureIds: this.#pictures.map(({ id }) => id),
      videoId: video.media.id,
      title: this.#title.trim(),
      profileId: this.#profileId,
      options: this.#options,
    }
    this.#submitting = true
    try {
      const { taskId } = await this.#bridge.tasks.submit(draft)
      this.#titleIsOurs = true
      this.clear('video')
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
  async estimate(): Promise<void> {
    const turn = ++this.#estimateTurn
    const video = this.#video
    if (video.state !== 'filled') {
      this.#estimateMs = null
      return
    }
    const answer = await this.#bridge.intake
      .estimate({ videoId: video.media.id, profileId: this.#profileId })
      .catch(() => null)
    if (turn === this.#estimateTurn) this.#estimateMs = answer?.ms ?? null
  }
}

/** The state to restore after a cancelled reading. */
const settled = <Media>(mediaSlot: SlotState<Media>): SlotState<Media> =>
  mediaSlot.state === 'reading' ? empty : mediaSlot
