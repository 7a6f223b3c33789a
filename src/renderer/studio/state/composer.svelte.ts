/**
 * @file The swap that is being put together. Keeps its content while the window shows something else.
 * After Swap the face stays (people make several videos with one face) and the video goes.
 */
import { mayUseFace } from '@shared/consent.ts'
import { toErrorBody, type ErrorBody } from '@shared/mien-error.ts'
import type { Bridge } from '@shared/ipc.ts'
import { embeddedProfileId } from '@shared/task-states.ts'
import type { Draft, FaceMedia, Task, VideoMedia } from '@shared/task.ts'
import { isUnseen } from '@shared/unseen.ts'
import type { SlotName } from '../logic/drop.ts'
import { titleFromName } from '../logic/title.ts'

export type Source = { readonly file: File } | { readonly address: string } | null

/** What a slot shows. Of what went wrong: the dropped file, to be seen under the shade, or the address, to try again. */
export type SlotState<Media> =
  | { readonly state: 'empty' }
  | { readonly state: 'reading'; readonly name: string; readonly share: number | null }
  | { readonly state: 'filled'; readonly media: Media }
  | { readonly state: 'wrong'; readonly error: ErrorBody; readonly name: string; readonly source: Source }

/** What is still missing for a swap, the first thing first; null: nothing. */
export type Missing = 'face-and-video' | 'face' | 'video' | 'reading' | 'title' | 'unseen' | 'consent' | 'key' | null

const empty = { state: 'empty' } as const

export class Composer {
  readonly #bridge: Bridge
  readonly #hasKey: (profileId: string) => boolean
  #face = $state.raw<SlotState<FaceMedia>>(empty)
  #video = $state.raw<SlotState<VideoMedia>>(empty)
  #title = $state('')
  #titleIsOurs = true
  #profileId = $state(embeddedProfileId)
  #estimateMs = $state<number | null>(null)
  #submitting = $state(false)
  /** Grows with each reading of a slot, so that a late answer to an earlier one is not taken. */
  readonly #turn = { face: 0, video: 0 }
  /** Whether a reading is under way. A chooser that is open is one too, but shows nothing until main reads. */
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
    // Only a service elsewhere can open what this computer could not.
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
    return this.#face.state === 'filled' && mayUseFace(this.#face.media)
  }

  start(profileId: string): void {
    this.#profileId = profileId
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
    // A title that was ours is that of the video in the slot, and of no other.
    if (next !== null && this.#titleIsOurs) this.#title = next.state === 'filled' ? titleFromName(next.media.name) : ''
    await this.estimate()
  }

  chooseFace = (): Promise<void> => this.takeFace('', () => this.#bridge.intake.chooseFace())
  chooseVideo = (): Promise<void> => this.takeVideo('', () => this.#bridge.intake.chooseVideo())
  pasteFace = (): Promise<void> => this.takeFace('', () => this.#bridge.intake.pasteFace())
  pasteVideo = (): Promise<void> => this.takeVideo('', () => this.#bridge.intake.pasteVideo())
  openAddress = (url: string): Promise<void> =>
    this.takeVideo(url, () => this.#bridge.intake.openAddress({ url }), { address: url })

  /** Takes an address that could not be opened here, for an online service. */
  useAddress = (url: string): Promise<void> =>
    this.takeVideo(url, () => this.#bridge.intake.useAddress({ url }), { address: url })

  dropFace = (file: File): Promise<void> => this.takeFace(file.name, () => this.#bridge.intake.dropFace(file), { file })
  dropVideo = (file: File): Promise<void> => this.takeVideo(file.name, () => this.#bridge.intake.dropVideo(file))

  /** Empties a slot; a reading under way is stopped. */
  clear(mediaSlot: SlotName): void {
    this.#turn[mediaSlot] += 1
    if (this.#pending[mediaSlot]) void this.#bridge.intake.stop({ mediaSlot }).catch(() => undefined)
    this.#pending[mediaSlot] = false
    if (mediaSlot === 'face') {
      this.#face = empty
      return
    }
    this.#video = empty
    this.#estimateMs = null
    if (this.#titleIsOurs) this.#title = ''
  }

  async confirm(confirmed: boolean): Promise<void> {
    if (this.#face.state !== 'filled') return
    const media = await this.#bridge.intake.confirmFace({ faceId: this.#face.media.id, confirmed })
    // The slot may hold another face by now (an accessor, so that the compiler does not narrow it away).
    const now = this.face
    if (now.state === 'filled' && now.media.id === media.id) this.#face = { state: 'filled', media }
  }

  async runOn(profileId: string): Promise<void> {
    this.#profileId = profileId
    await this.estimate()
  }

  /** From an earlier swap: the same face and, unless another is wanted, the same video. */
  async prefill(task: Task, parts: readonly SlotName[]): Promise<void> {
    this.clear('face')
    this.clear('video')
    if (parts.includes('face')) this.#face = { state: 'filled', media: task.face }
    if (parts.includes('video')) {
      this.#video = { state: 'filled', media: task.video }
      this.#title = task.title
      this.#titleIsOurs = true
    }
    await this.runOn(task.profileId)
  }

  /** The id of the new swap. Only while nothing is missing. */
  async submit(): Promise<string | null> {
    const { face, video } = this
    if (this.missing !== null || this.#submitting || face.state !== 'filled' || video.state !== 'filled') return null
    const draft: Draft = {
      faceId: face.media.id,
      videoId: video.media.id,
      title: this.#title.trim(),
      profileId: this.#profileId,
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

  /** Asks anew how long a swap would take. */
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

/** What a slot shows again when a reading came to nothing. */
const settled = <Media>(mediaSlot: SlotState<Media>): SlotState<Media> =>
  mediaSlot.state === 'reading' ? empty : mediaSlot
