/** @file Files that come into the window: dragged over it, dropped, pasted, chosen, opened by the system, or linked. */
import { on } from 'svelte/events'
import { errorText } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { addressIn, mediaKindOf, type SlotName } from '@shared/files/media-names.ts'
import { maxTaken, type FoundFiles } from '@shared/ipc/intake.ts'
import { presetExtension } from '@shared/settings/presets.ts'
import { listedProblems } from './app/toasts.svelte.ts'
import type { Contents, How, Incoming } from './composer/contents.svelte.ts'
import type { Studio } from './studio.svelte.ts'

const slotUnder = (target: EventTarget | null): SlotName | null => {
  const name = target instanceof Element ? target.closest('[data-slot]')?.getAttribute('data-slot') : null
  return name === 'face' || name === 'video' ? name : null
}

/** The slots of files: those of their kinds, except pictures alone on the video, and a single file on the face. */
function slotsOf(kinds: readonly SlotName[], under: SlotName | null): readonly SlotName[] {
  const isUnder = under === 'face' ? kinds.length === 1 : !kinds.includes('video')
  return under !== null && isUnder ? kinds.map(() => under) : kinds
}

export class Intake {
  #over = $state<ReadonlySet<SlotName>>(new Set())
  #isOverPage = $state(false)
  /** The slots that would take the dragged files. */
  readonly over = $derived(this.#over)
  /** Files are dragged over the page that verifies them. */
  readonly isOverPage = $derived(this.#isOverPage)

  constructor(private readonly studio: Studio) {}

  /** Listens for what is dragged, dropped and pasted. @returns ends it */
  listen(): () => void {
    const stops = [
      on(window, 'dragenter', (event) => this.#drag(event)),
      on(window, 'dragover', (event) => this.#drag(event)),
      on(window, 'dragleave', ({ relatedTarget }) => {
        if (relatedTarget === null) this.#endDrag()
      }),
      on(window, 'drop', (event) => this.#drop(event)),
      on(window, 'paste', (event) => this.#paste(event)),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  #drag(event: DragEvent): void {
    const { dataTransfer } = event
    // A result on its way to another program.
    if (this.studio.isDraggingOut) return
    if (dataTransfer === null || !dataTransfer.types.some((type) => type === 'Files' || type === 'text/uri-list'))
      return
    event.preventDefault()
    dataTransfer.dropEffect = 'copy'
    if (this.studio.routes.route.view === 'verify') {
      this.#isOverPage = dataTransfer.types.includes('Files')
      return
    }
    const items = [...dataTransfer.items].filter((item) => item.kind === 'file')
    const under = slotUnder(event.target)
    const kinds = items.map(({ type }) => mediaKindOf('', type)).filter((kind) => kind !== null)
    const slots = slotsOf(kinds, kinds.length === items.length ? under : null)
    const next = new Set<SlotName>(
      slots.length > 0 ? slots : items.length === 0 ? ['video'] : under === null ? [] : [under],
    )
    if (next.symmetricDifference(this.#over).size > 0) this.#over = next
    if (this.studio.routes.route.view !== 'compose') this.studio.routes.go({ view: 'compose' })
  }

  #endDrag(): void {
    this.#over = new Set()
    this.#isOverPage = false
  }

  #drop(event: DragEvent): void {
    event.preventDefault()
    this.#endDrag()
    const { dataTransfer, target } = event
    const { isDraggingOut, presets, routes } = this.studio
    if (dataTransfer === null || isDraggingOut) return
    const dropped = [...dataTransfer.files]
    if (routes.route.view === 'verify') {
      this.#verify(dropped)
      return
    }
    const models = dropped.filter(({ name }) => /\.onnx$/i.test(name))
    if (models.length > 0) this.#addModels(models)
    const presetFiles = dropped.filter(({ name }) => name.toLowerCase().endsWith(`.${presetExtension}`))
    if (presetFiles.length > 0) presets.import(presetFiles)
    const files = dropped.filter((file) => !models.includes(file) && !presetFiles.includes(file))
    const isAdded = target instanceof Element && target.closest('[data-add]') !== null
    if (files.length > 0) this.studio.try(() => this.takeDropped(files, slotUnder(target), isAdded))
    if (dropped.length > 0) return
    const url = addressIn(dataTransfer.getData('text/uri-list'))
    if (url !== null) this.studio.try(() => this.openAddress(url))
  }

  #verify([file, ...more]: readonly File[]): void {
    const { toasts, verify } = this.studio
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
    const { bridge, routes } = this.studio
    routes.go({ view: 'settings', section: 'models' })
    // Each by itself: one that can't be added doesn't keep the others from it.
    for (const file of files) this.studio.try(() => bridge.models.drop(file))
  }

  /** Pastes into the slot that matches the content, else into the focused slot. Main reads the clipboard itself. */
  #paste(event: ClipboardEvent): void {
    if (event.target instanceof HTMLInputElement || this.studio.routes.route.view !== 'compose') return
    event.preventDefault()
    const under = slotUnder(document.activeElement)
    this.studio.try(() => this.#takePasted(under))
  }

  async #takePasted(under: SlotName | null): Promise<void> {
    const { bridge, toasts } = this.studio
    const content = await bridge.intake.clipboard()
    if (content === null)
      toasts.show({ icon: 'info', title: m.toast_nothing_pasted(), body: m.toast_nothing_pasted_body() })
    else if (content.kind === 'address') await this.openAddress(content.url)
    else {
      const mediaSlot = content.mediaSlot ?? under ?? 'video'
      await this.takeFound([{ ...content, mediaSlot }], under)
      if (under === 'face' && mediaSlot === 'video') this.#sayFaceOf(this.#found('video', content))
    }
  }

  /**
   * Takes dropped files, each in its place at once, and what is in dropped folders.
   * @param under the slot on which they were dropped
   * @param isAdded adds the faces to those that are there
   */
  async takeDropped(files: readonly File[], under: SlotName | null, isAdded = false): Promise<void> {
    const { intake } = this.studio.bridge
    const how = isAdded ? 'add' : 'take'
    const media = files.flatMap((file) => {
      const kind = mediaKindOf(file.name, file.type)
      return kind === null ? [] : [{ file, kind }]
    })
    const taken = media.slice(0, maxTaken)
    if (taken.length < media.length) this.#sayTooMany(maxTaken)
    const folders = files.filter((file) => !media.some((each) => each.file === file))
    const slots = slotsOf(
      taken.map(({ kind }) => kind),
      folders.length === 0 ? under : null,
    )
    const incoming = taken.map(({ file, kind }, index) => this.#dropped(slots[index] ?? kind, file))
    const [first] = files
    if (folders.length === 0) {
      await this.take(incoming, how)
      if (first && files.length === 1 && under === 'face' && media[0]?.kind === 'video')
        this.#sayFaceOf(this.#dropped('video', first))
      return
    }
    const found = intake.find(folders).then((all) => {
      // A file of an unknown kind shows its error on its slot.
      if (all.files.length === 0 && first && files.length === 1) return [this.#dropped(under ?? 'video', first)]
      return this.#sorted(all, taken.length === 0 ? under : null)
    })
    await this.take(incoming, how, { found, searched: folders.length })
  }

  /** Takes the files that the system asked to open, as a drop does. */
  async takeOpened(): Promise<void> {
    const { bridge, routes } = this.studio
    const found = await bridge.intake.takeOpened()
    if (found === null) return
    routes.go({ view: 'compose' })
    await this.take(this.#sorted(found, null))
  }

  /**
   * Asks for files and takes them, each into the slot of its kind.
   * @param mediaSlot what the dialog shows first; null: both kinds
   */
  async choose(mediaSlot: SlotName | null, how: How = 'take', several = false): Promise<void> {
    const found = await this.studio.bridge.intake.chooseFiles({ mediaSlot, several })
    await this.take(this.#sorted(found, mediaSlot), how)
  }

  /** Asks for a face in place of the one on the slot; in the grid, for one more. */
  async chooseFace(): Promise<void> {
    const { faces, isGrid } = this.studio.composer
    await this.choose('face', isGrid ? 'add' : faces.list.length > 1 && faces.shown ? faces.shown.key : 'take')
  }

  async addFace(): Promise<void> {
    await this.choose('face', 'add')
  }

  async chooseVideo(): Promise<void> {
    await this.choose('video')
  }

  async openAddress(url: string): Promise<void> {
    const read = () => this.studio.bridge.intake.openAddress({ url })
    await this.take([{ kind: 'video', name: url, read, source: { address: url } }])
  }

  /** Uses an address that couldn't be opened here; an online service will open it. */
  async useAddress(url: string): Promise<void> {
    const read = () => this.studio.bridge.intake.useAddress({ url })
    await this.take([{ kind: 'video', name: url, read, source: { address: url } }])
  }

  /** Takes files that main knows by tokens. @param under the slot on which the user puts them */
  async takeFound(files: FoundFiles['files'], under: SlotName | null): Promise<void> {
    await this.take(this.#sorted({ files, unusable: [], max: null }, under))
  }

  /** Takes files into the composer, see `Contents.take`. Says which can't be used. */
  async take(...[files, how, search]: Parameters<Contents['take']>): Promise<void> {
    const { batch, composer } = this.studio
    const unused = await composer.contents.take(files, how, search)
    this.#sayUnused(unused.map(({ name, error }) => `${name}: ${errorText(error).title}`))
    await (composer.isGrid ? batch : composer).estimate()
  }

  /** Files that main found, with the slots that they go into. Says what is left out. */
  #sorted({ files, unusable, max }: FoundFiles, under: SlotName | null): Incoming[] {
    this.#sayUnused(unusable)
    if (max !== null) this.#sayTooMany(max)
    const kinds = files.map(({ mediaSlot }) => mediaSlot)
    const slots = slotsOf(kinds, under)
    return files.map((file, index) => this.#found(slots[index] ?? file.mediaSlot, file))
  }

  #found(kind: SlotName, { token, name }: { token: string; name: string }): Incoming {
    const { intake } = this.studio.bridge
    return kind === 'face'
      ? { kind, name, read: () => intake.foundFace({ token }) }
      : { kind, name, read: () => intake.foundVideo({ token }) }
  }

  #dropped(kind: SlotName, file: File): Incoming {
    const { intake } = this.studio.bridge
    const facts = { name: file.name, source: { file } }
    return kind === 'face'
      ? { kind, ...facts, read: () => intake.dropFace(file) }
      : { kind, ...facts, read: () => intake.dropVideo(file) }
  }

  #sayUnused(all: readonly string[]): void {
    if (all.length === 0) return
    const body = listedProblems(all, all.length)
    this.studio.toasts.show({ icon: 'problem', title: m.batch_unused({ count: all.length }), body })
  }

  #sayTooMany(count: number): void {
    this.studio.toasts.show({ icon: 'info', title: m.batch_too_many({ count }) })
  }

  /** Says that a video gives its face, and offers to swap in it instead. */
  #sayFaceOf(video: Incoming): void {
    const { composer, toasts } = this.studio
    const key = composer.faces.latest?.key
    if (composer.face.state !== 'filled' || key === undefined) return
    const run = (): void => {
      composer.contents.removeFace(key)
      this.studio.try(() => this.take([video]))
    }
    const title = m.toast_face_of_video({ name: video.name })
    toasts.show({ icon: 'info', title, action: { label: m.use_as_video(), run } })
  }
}
