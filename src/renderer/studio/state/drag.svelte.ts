/** @file Files dragged over the window: which well lights up, and where they go. */
import { addressIn, sortFiles, wellFor } from '../logic/drop.ts'
import type { Studio } from './studio.svelte.ts'
import type { WellName } from './composer.svelte.ts'

const wellUnder = (target: EventTarget | null): WellName | null => {
  const name = target instanceof Element ? target.closest('[data-well]')?.getAttribute('data-well') : null
  return name === 'face' || name === 'video' ? name : null
}

export class DragState {
  readonly #studio: Studio
  #over = $state<ReadonlySet<WellName>>(new Set())

  constructor(studio: Studio) {
    this.#studio = studio
  }

  /** The wells that what is dragged would go to. */
  get over(): ReadonlySet<WellName> {
    return this.#over
  }

  readonly move = (event: DragEvent): void => {
    const { dataTransfer } = event
    if (dataTransfer === null || !dataTransfer.types.some((type) => type === 'Files' || type === 'text/uri-list'))
      return
    event.preventDefault()
    dataTransfer.dropEffect = 'copy'
    const items = [...dataTransfer.items].filter((item) => item.kind === 'file')
    const under = wellUnder(event.target)
    const wells = items.map(wellFor).filter((well) => well !== null)
    const next = new Set<WellName>(
      wells.length > 0 ? wells : items.length === 0 ? ['video'] : under === null ? [] : [under],
    )
    if (next.symmetricDifference(this.#over).size > 0) this.#over = next
    if (this.#studio.routes.route.view !== 'compose') this.#studio.routes.go({ view: 'compose' })
  }

  readonly leave = (event: DragEvent): void => {
    if (event.relatedTarget === null) this.#over = new Set()
  }

  readonly drop = (event: DragEvent): void => {
    event.preventDefault()
    this.#over = new Set()
    const { dataTransfer } = event
    if (dataTransfer === null) return
    const { composer } = this.#studio
    const { face, video } = sortFiles([...dataTransfer.files], wellUnder(event.target))
    if (face !== null) this.#studio.try(() => composer.dropFace(face))
    if (video !== null) this.#studio.try(() => composer.dropVideo(video))
    const url = face === null && video === null ? addressIn(dataTransfer.getData('text/uri-list')) : null
    if (url !== null) this.#studio.try(() => composer.openAddress(url))
  }

  /** A paste goes to the well under focus, else where its content belongs. Main reads the clipboard itself. */
  readonly paste = (event: ClipboardEvent): void => {
    if (event.target instanceof HTMLInputElement || this.#studio.routes.route.view !== 'compose') return
    event.preventDefault()
    const items = [...(event.clipboardData?.items ?? [])]
    const belongs = items
      .filter((item) => item.kind === 'file')
      .map(wellFor)
      .find((well) => well !== null)
    const well = wellUnder(document.activeElement) ?? belongs ?? 'video'
    const { composer } = this.#studio
    this.#studio.try(well === 'face' ? composer.pasteFace : composer.pasteVideo)
  }
}
