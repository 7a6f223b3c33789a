/** @file Drag and drop of files: which slots are highlighted, and which slot takes each file. */
import { m } from '@shared/i18n/paraglide/messages.js'
import { presetExtension } from '@shared/settings/presets.ts'
import { addressIn, slotFor, type SlotName } from '../logic/compose/drop.ts'
import type { Incoming } from './composer/contents.svelte.ts'
import type { Studio } from './studio.svelte.ts'

const slotUnder = (target: EventTarget | null): SlotName | null => {
  const name = target instanceof Element ? target.closest('[data-slot]')?.getAttribute('data-slot') : null
  return name === 'face' || name === 'video' ? name : null
}

export class DragState {
  readonly #studio: Studio
  #over = $state<ReadonlySet<SlotName>>(new Set())
  #isOverPage = $state(false)

  constructor(studio: Studio) {
    this.#studio = studio
  }

  /** The slots that would take the dragged files. */
  get over(): ReadonlySet<SlotName> {
    return this.#over
  }

  /** Files are dragged over the page that verifies them. */
  get isOverPage(): boolean {
    return this.#isOverPage
  }

  readonly move = (event: DragEvent): void => {
    const { dataTransfer } = event
    // A result on its way to another program.
    if (this.#studio.isDraggingOut) return
    if (dataTransfer === null || !dataTransfer.types.some((type) => type === 'Files' || type === 'text/uri-list'))
      return
    event.preventDefault()
    dataTransfer.dropEffect = 'copy'
    if (this.#studio.routes.route.view === 'verify') {
      this.#isOverPage = dataTransfer.types.includes('Files')
      return
    }
    const items = [...dataTransfer.items].filter((item) => item.kind === 'file')
    const under = slotUnder(event.target)
    const found = items.map(slotFor).filter((mediaSlot) => mediaSlot !== null)
    const isOnSlot =
      under === 'face' ? items.length === 1 && found.length > 0 : found.length > 0 && !found.includes('video')
    const mediaSlots = under !== null && isOnSlot ? [under] : found
    const next = new Set<SlotName>(
      mediaSlots.length > 0 ? mediaSlots : items.length === 0 ? ['video'] : under === null ? [] : [under],
    )
    if (next.symmetricDifference(this.#over).size > 0) this.#over = next
    if (this.#studio.routes.route.view !== 'compose') this.#studio.routes.go({ view: 'compose' })
  }

  readonly leave = (event: DragEvent): void => {
    if (event.relatedTarget === null) this.#ended()
  }

  readonly drop = (event: DragEvent): void => {
    event.preventDefault()
    this.#ended()
    const { dataTransfer } = event
    if (dataTransfer === null || this.#studio.isDraggingOut) return
    const { composer } = this.#studio
    const dropped = [...dataTransfer.files]
    if (this.#studio.routes.route.view === 'verify') {
      this.#verify(dropped)
      return
    }
    const models = dropped.filter(({ name }) => /\.onnx$/i.test(name))
    if (models.length > 0) this.#addModels(models)
    const presets = dropped.filter(({ name }) => name.toLowerCase().endsWith(`.${presetExtension}`))
    if (presets.length > 0) this.#studio.presets.import(presets)
    const files = dropped.filter((file) => !models.includes(file) && !presets.includes(file))
    if (dropped.length > 0 && files.length === 0) return
    const under = slotUnder(event.target)
    const add = event.target instanceof Element && event.target.closest('[data-add]') !== null
    const [first] = files
    const url = first === undefined ? addressIn(dataTransfer.getData('text/uri-list')) : null
    if (url !== null) this.#studio.try(() => composer.openAddress(url))
    else if (first !== undefined) this.#take(files, under, add)
  }

  #ended(): void {
    this.#over = new Set()
    this.#isOverPage = false
  }

  #verify([file, ...more]: readonly File[]): void {
    const { toasts, verify } = this.#studio
    if (file === undefined) return
    if (more.length > 0)
      toasts.show({
        icon: 'info',
        title: m.verify_one_of_many(),
        body: m.verify_one_of_many_body({ name: file.name }),
      })
    void verify.drop(file)
  }

  #addModels(files: readonly File[]): void {
    const { bridge, routes } = this.#studio
    routes.go({ view: 'settings', section: 'models' })
    // Each by itself: one that can't be added doesn't keep the others from it.
    for (const file of files) this.#studio.try(() => bridge.models.drop(file))
  }

  /** @param add adds the pictures to the faces; otherwise they replace the one on the slot */
  #take(files: readonly File[], under: SlotName | null, add: boolean): void {
    const [file, ...more] = files
    this.#studio.try(async () => {
      await this.#studio.batch.take(files, under, add)
      if (file && more.length === 0 && under === 'face' && slotFor(file) === 'video')
        this.#sayFaceOf(file.name, this.#studio.composer.dropped('video', file))
    })
  }

  /** Says that a video gives its face, and offers to swap in it instead. */
  #sayFaceOf(name: string, video: Incoming): void {
    const { composer, toasts } = this.#studio
    const key = composer.faces.latest?.key
    if (composer.face.state !== 'filled' || key === undefined) return
    const run = (): void => {
      composer.contents.removeFace(key)
      this.#studio.try(() => composer.take([video]))
    }
    toasts.show({ icon: 'info', title: m.toast_face_of_video({ name }), action: { label: m.use_as_video(), run } })
  }

  /** Pastes into the slot that matches the content, else into the focused slot. Main reads the clipboard itself. */
  readonly paste = (event: ClipboardEvent): void => {
    if (event.target instanceof HTMLInputElement || this.#studio.routes.route.view !== 'compose') return
    event.preventDefault()
    const under = slotUnder(document.activeElement)
    this.#studio.try(() => this.#paste(under))
  }

  async #paste(under: SlotName | null): Promise<void> {
    const { bridge, composer, toasts } = this.#studio
    const content = await bridge.intake.clipboard()
    switch (content?.kind) {
      case 'file': {
        const mediaSlot = content.mediaSlot ?? under ?? 'video'
        await composer.take(composer.found([{ ...content, mediaSlot }], under))
        const [video] = composer.found([{ ...content, mediaSlot }], null)
        if (under === 'face' && mediaSlot === 'video' && video) this.#sayFaceOf(content.name, video)
        break
      }
      case 'address':
        await composer.openAddress(content.url)
        break
      case undefined:
        toasts.show({ icon: 'info', title: m.toast_nothing_pasted(), body: m.toast_nothing_pasted_body() })
    }
  }
}
