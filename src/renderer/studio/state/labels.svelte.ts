/** @file Tags, favourites and notes of swaps: changes and their undo. */
import { formatList } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { TagChange } from '@shared/tasks/library-view.ts'
import type { Studio } from './studio.svelte.ts'

export class LabelsState {
  /** The swaps that the tag dialog is about; null: it is closed. */
  tagging = $state.raw<ReadonlySet<number> | null>(null)
  /** Increments when a note is put back, so that its field reads it again. */
  notesPutBack = $state(0)

  constructor(private readonly studio: Studio) {}

  /** @throws MienError `tag-invalid`, `too-many-tags` */
  async tag(changes: TagChange[]): Promise<void> {
    await this.studio.perform(async () => {
      const { changes: undo, count } = await this.#tag(changes)
      if (count === 0) return null
      const names = undo.toReversed().map(({ tag }) => tag)
      return {
        ...{ icon: 'done', title: m.toast_tags({ count }), body: formatList(names.slice(0, 5)) },
        undo: () => this.#tag(undo),
        redo: () => this.#tag(changes),
      }
    })
  }

  /** Returns the changes that undo it, and the number of changed swaps. */
  async #tag(changes: TagChange[]): Promise<{ changes: TagChange[]; count: number }> {
    const undo = await this.studio.bridge.library.tag({ changes })
    const numbers = new Set(undo.flatMap((change) => [...change.numbers]))
    if (numbers.size > 0) await this.#changed(numbers)
    return { changes: undo, count: numbers.size }
  }

  setFavourite(swaps: ReadonlySet<number>, favourite: boolean): void {
    const set = async (numbers: Uint32Array, isFavourite: boolean): Promise<Uint32Array> => {
      const changed = await this.studio.bridge.library.setFavourite({ numbers, favourite: isFavourite })
      if (changed.length > 0) await this.#changed(new Set(changed))
      return changed
    }
    this.studio.do(async () => {
      const changed = await set(Uint32Array.from(swaps), favourite)
      if (changed.length === 0) return null
      const said = favourite ? m.toast_favourite : m.toast_favourite_removed
      return {
        ...{ icon: 'done', title: said({ count: changed.length }) },
        undo: () => set(changed, !favourite),
        redo: () => set(changed, favourite),
      }
    })
  }

  async setNote(number: number, note: string): Promise<void> {
    await this.studio.bridge.library.setNote({ number, note })
    this.studio.library.changed()
  }

  /** Offers to put back the note as it was before. */
  noteSaved(number: number, before: string): void {
    const undo = async (): Promise<void> => {
      await this.setNote(number, before)
      this.notesPutBack += 1
    }
    this.studio.do(() => Promise.resolve({ icon: 'done', title: m.toast_note(), undo, redo: null }))
  }

  async #changed(numbers: ReadonlySet<number>): Promise<void> {
    await this.studio.tasks.readAgain(numbers)
    this.studio.library.changed()
  }
}
