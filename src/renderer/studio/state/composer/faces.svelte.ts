/** @file The faces of the composer, each with photos of one person. */
import { mayUseFace } from '@shared/tasks/consent.ts'
import { maxPictures } from '@shared/options/default-options.ts'
import type { FaceFile, PictureImport } from '@shared/ipc/intake.ts'
import type { Bridge } from '@shared/ipc/contract.ts'
import type { FaceMedia } from '@shared/tasks/task.ts'
import { personFromName } from '@shared/files/title.ts'
import { Turns } from '@shared/turns.ts'

export interface Face {
  /** Stays the same while its photos change. */
  readonly key: number
  /** The main photo first; at least one. */
  readonly pictures: readonly FaceMedia[]
  /** It could be used when it was added. */
  readonly wasConfirmed: boolean
  /** Everybody in the video that the photos come from, if there are several. */
  readonly people: FaceFile['people']
  /** Whose face it is: an index in `people`. */
  readonly person: number
}

const isConfirmed = ({ pictures }: Pick<Face, 'pictures'>): boolean => pictures.every(mayUseFace)
const isSample = ({ pictures }: Face): boolean => pictures.every(({ origin }) => origin === 'sample')

export const faceName = ({ pictures }: Face): string => personFromName(pictures[0]?.name ?? '')

export class FacesState {
  /** Called before a face is removed. */
  onRemove: () => void = () => undefined
  /** Called before a removed face comes back. */
  onReturn: (face: Face) => void = () => undefined
  /** Whether a face would be swapped. */
  isUsed: (face: Face) => boolean = () => true
  #list = $state.raw<readonly Face[]>([])
  /** The face that came last, or that the user looks at. */
  #shownKey = $state<number | null>(null)
  /** The user asked for the face on the slot. */
  #isAsked = $state(false)
  #shownPictureId = $state('')
  #addingPicture = $state(false)
  #nextKey = 1
  readonly #turns = new Turns()
  readonly list = $derived(this.#list)
  readonly addingPicture = $derived(this.#addingPicture)
  /** The face that came last, or that the user looks at; the one that is swapped if there is nobody to choose from. */
  readonly latest = $derived(this.#list.find(({ key }) => key === this.#shownKey) ?? this.#list[0] ?? null)

  constructor(private readonly bridge: Bridge['intake']) {}

  /** The face on the slot: one that would be swapped, unless the user looks at another one. */
  get shown(): Face | null {
    const { latest } = this
    if (latest === null || this.#isAsked || this.isUsed(latest)) return latest
    return this.#list.find(this.isUsed) ?? latest
  }
  /** Photos of the face on the slot. */
  get pictures(): readonly FaceMedia[] {
    return this.shown?.pictures ?? []
  }
  /** The photo on the slot; null without a face. */
  get shownPicture(): FaceMedia | null {
    return this.pictures.find(({ id }) => id === this.#shownPictureId) ?? this.pictures[0] ?? null
  }

  show(key: number): void {
    this.#shownKey = key
    this.#isAsked = true
  }

  showPicture(id: string): void {
    this.#shownPictureId = id
  }

  /** Replaces all faces. Returns their keys. */
  set(faces: readonly (readonly FaceMedia[])[]): number[] {
    this.#list = []
    return faces.map((pictures) => this.put(null, pictures))
  }

  /** Adds a face, and shows it. `key`: that of the face whose place it takes. Returns its key. */
  put(
    key: number | null,
    pictures: readonly FaceMedia[],
    { index = this.#list.length, people = [] }: { index?: number | undefined; people?: FaceFile['people'] } = {},
  ): number {
    const face = { key: key ?? this.#nextKey++, pictures, wasConfirmed: isConfirmed({ pictures }), people, person: 0 }
    this.#insert(face, index)
    this.showCome(face.key)
    return face.key
  }

  /** The face with the same main photo, by its content. */
  same([main]: readonly FaceMedia[]): Face | null {
    const sha256 = main?.sha256 ?? null
    return (sha256 !== null && this.#list.find(({ pictures }) => pictures[0]?.sha256 === sha256)) || null
  }

  /** Shows a face that came, now or again. */
  showCome(key: number): void {
    this.#shownKey = key
    this.#isAsked = false
  }

  /** Brings a face back that was removed, unless it came again meanwhile. */
  insert(face: Face, index: number): void {
    if (this.same(face.pictures) !== null) return
    this.onReturn(face)
    this.#insert(face, index)
  }

  #insert(face: Face, index: number): void {
    this.#list = this.#list.filter(({ key }) => key !== face.key).toSpliced(index, 0, face)
  }

  remove(key: number): void {
    this.onRemove()
    this.#list = this.#list.filter((face) => face.key !== key)
  }

  /** Whether the user confirmed all of them. */
  areConfirmed(faces: readonly Face[]): boolean {
    return faces.length > 0 && faces.every(isConfirmed)
  }

  /** Those to ask about: the ones not confirmed earlier, else all. Sample faces need no consent. */
  toConfirm(faces: readonly Face[]): readonly Face[] {
    const own = faces.filter((face) => !isSample(face))
    const asked = own.filter((face) => !face.wasConfirmed || !isConfirmed(face))
    return asked.length > 0 ? asked : own
  }

  confirm(faces: readonly Face[], confirmed: boolean): Promise<void> {
    return this.#turns.run('consent', async () => {
      for (const faceId of this.ownPictures(faces)) this.#replace(await this.bridge.confirmFace({ faceId, confirmed }))
    })
  }

  /** Resolves when the consents given so far are stored, or failed to be. */
  settled(): Promise<void> {
    return this.#turns.run('consent', () => undefined)
  }

  /** Media ids of the pictures that need a consent. */
  ownPictures(faces: readonly Face[]): string[] {
    const own = faces.flatMap(({ pictures }) => pictures).filter(({ origin }) => origin !== 'sample')
    return [...new Set(own.map(({ id }) => id))]
  }

  /** Those that can't be used, because a consent was withdrawn. */
  withdrawn(faces: readonly Face[]): readonly Face[] {
    return faces.filter(({ pictures }) => pictures.some((each) => each.withdrawnAt != null && !mayUseFace(each)))
  }

  /** Reads the consents again. */
  async refresh(): Promise<void> {
    const faceIds = this.ownPictures(this.#list)
    if (faceIds.length === 0) return
    for (const media of await this.bridge.faces({ faceIds })) this.#replace(media)
  }

  /** Updates a picture wherever it still is. */
  #replace(media: FaceMedia): void {
    this.#list = this.#list.map((face) => ({
      ...face,
      pictures: face.pictures.map((picture) => (picture.id === media.id ? media : picture)),
    }))
  }

  /**
   * Lets the user choose more pictures of the person. Pictures of a person that may be used are confirmed with it.
   * @returns those that can't be used, and the number of those that were too many
   */
  async addPictures(): Promise<Omit<PictureImport, 'added'>> {
    const { shown } = this
    const max = maxPictures - this.pictures.length
    const [main] = shown?.pictures ?? []
    if (shown === null || !main || max < 1 || this.#addingPicture) return { failed: [], left: 0 }
    this.#addingPicture = true
    try {
      const { added, ...rest } = await this.bridge.choosePictures({ faceId: main.id, max })
      await this.#add(shown, added)
      return rest
    } finally {
      this.#addingPicture = false
    }
  }

  /** Takes the face of somebody else in the same video. @param person index in `people` */
  async takePerson({ key, people }: Face, person: number): Promise<void> {
    const { token } = people[person] ?? {}
    if (token === undefined || this.#addingPicture) return
    this.#addingPicture = true
    try {
      const { pictures } = await this.bridge.foundFace({ token })
      const other = { pictures, person, wasConfirmed: isConfirmed({ pictures }) }
      // The user may have removed the face meanwhile.
      this.#list = this.#list.map((face) => (face.key === key && face.people === people ? { ...face, ...other } : face))
    } finally {
      this.#addingPicture = false
    }
  }

  async #add({ key, pictures: [main] }: Face, added: readonly FaceMedia[]): Promise<void> {
    const face = this.#list.find((each) => each.key === key)
    // The user chose another face meanwhile.
    if (face === undefined || face.pictures[0]?.id !== main?.id) return
    const isNew = ({ sha256 }: FaceMedia): boolean =>
      sha256 == null || !face.pictures.some((picture) => picture.sha256 === sha256)
    const next = { ...face, pictures: [...face.pictures, ...added.filter(isNew)] }
    this.#list = this.#list.map((each) => (each.key === key ? next : each))
    if (isConfirmed(face)) await this.confirm([next], true)
  }

  /** Removes one picture of the face on the slot. If it is the main one, the next takes its place. */
  removePicture(id: string): void {
    const { shown } = this
    if (shown === null) return
    const pictures = shown.pictures.filter((picture) => picture.id !== id)
    if (pictures.length === 0) this.remove(shown.key)
    else this.#list = this.#list.map((face) => (face.key === shown.key ? { ...face, pictures } : face))
  }
}
