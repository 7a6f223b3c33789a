/** @file The clips that are selected while people are corrected, and the one that keys start from. */
import { SvelteSet } from 'svelte/reactivity'
import type { PersonClip } from '../../logic/compose/people.ts'

export class ClipSelection {
  /** Ids of the selected clips. */
  readonly ids = new SvelteSet<number>()
  #focused = $state<number | null>(null)
  readonly selected = $derived.by(() => this.clips().filter(({ id }) => this.ids.has(id)))
  /** Id of the clip that takes the focus by Tab. */
  readonly current = $derived.by(
    () => (this.clips().find(({ id }) => id === this.#focused) ?? this.clips()[0])?.id ?? null,
  )

  /** @param clips the clips that there are, in order */
  constructor(private readonly clips: () => readonly PersonClip[]) {}

  /** Selects one clip, or adds and removes one. */
  select(id: number, add: boolean): void {
    if (!add) this.ids.clear()
    if (add && this.ids.has(id)) this.ids.delete(id)
    else this.ids.add(id)
    this.#focused = id
  }

  /** Selects a clip as well, and the current one. */
  extend(id: number): void {
    if (this.current !== null) this.ids.add(this.current)
    this.ids.add(id)
    this.#focused = id
  }
}
