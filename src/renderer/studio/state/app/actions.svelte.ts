/** @file The actions that are possible now, and the keys that run them. */
import { untrack } from 'svelte'
import { actionList, actionOf, keysFor, type ActionId, type ActionName, type Place } from '@shared/actions/actions.ts'
import { keysOf, typesText } from '@shared/settings/keys.ts'
import { ariaKeys, keysText } from '../../logic/words/keys-text.ts'
import type { AppState } from './app.svelte.ts'

/** Runs an action, by a key press or without. False: the key press isn't for it. */
type Run = (event?: KeyboardEvent) => unknown
export type Runs<P extends Place> = Partial<Record<ActionName<P>, Run | false>>

/** Controls that use these keys themselves, except those whose handlers prevent the default. */
const users: Readonly<Record<string, string>> = {
  space: 'button:not([role=slider]), a, summary, input, [role=radio]',
  enter: 'button, a, summary, input',
  ...Object.fromEntries(
    ['left', 'right', 'up', 'down', 'home', 'end'].map((key) => [key, 'input, [role=radiogroup], [role=grid]']),
  ),
}

/** Whether an element, such as the target of a key press, accepts typing. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && !['checkbox', 'radio', 'range', 'button'].includes(target.type))

interface Offer {
  readonly place: Place
  readonly runs: () => Readonly<Record<string, Run | false | undefined>>
}

export class Actions {
  /** The user chooses keys, so none run an action. */
  recording = $state(false)
  #offers = $state.raw<readonly Offer[]>([])
  #modals = $state(0)
  /** By id, those of later places first. */
  readonly #possible = $derived.by(() => {
    const runs = new Map(
      this.#offers.flatMap((offer) =>
        Object.entries(offer.runs()).flatMap(([name, run]): [string, Run][] =>
          run ? [[`${offer.place}.${name}`, run]] : [],
        ),
      ),
    )
    return new Map(
      actionList.toReversed().flatMap(({ id }): [ActionId, Run][] => {
        const run = this.#modals > 0 ? undefined : runs.get(id)
        return run ? [[id, run]] : []
      }),
    )
  })
  readonly #isMac = $derived.by(() => this.app.info.platform === 'mac')

  constructor(private readonly app: AppState) {}

  /** The possible actions. */
  get possible(): ActionId[] {
    return [...this.#possible.keys()]
  }

  /**
   * Offers the actions of a place, until the returned function is called. `runs` is reactive; what it leaves out, or
   * sets to false, isn't possible now.
   */
  offer<P extends Place>(place: P, runs: () => Runs<P>): () => void {
    const offer = { place, runs }
    this.#offers = [...this.#offers, offer]
    return () => {
      this.#offers = this.#offers.filter((other) => other !== offer)
    }
  }

  /** Nothing is possible while a modal dialog is open. Call the returned function when it closes. */
  block(): () => void {
    // Called in attachments, which would run again.
    untrack(() => (this.#modals += 1))
    return () => {
      this.#modals -= 1
    }
  }

  /** Runs an action if it is possible. */
  run(id: string): void {
    // An unknown id finds nothing.
    this.#possible.get(id as ActionId)?.()
  }

  keys(id: ActionId): readonly string[] {
    return keysFor(actionOf(id), this.app.settings.shortcuts, this.#isMac)
  }

  /** A label with the first keys of an action, for a tooltip. */
  hint(label: string, id: ActionId): string {
    const [keys] = this.keys(id)
    return keys === undefined ? label : `${label}  ${keysText(keys, this.#isMac)}`
  }

  /** The keys of an action as aria-keyshortcuts. */
  aria(id: ActionId): string | undefined {
    return (
      this.keys(id)
        .map((keys) => ariaKeys(keys, this.#isMac))
        .join(' ') || undefined
    )
  }

  /** The action of a place that a key press means, or null. For keys that belong to a focused element. */
  of<P extends Place>(event: KeyboardEvent, place: P): ActionName<P> | null {
    const keys = this.pressed(event)
    const found = actionList.find((action) => action.place === place && this.keys(action.id).includes(keys))
    // The ids of a place begin with it.
    return found ? (found.id.slice(place.length + 1) as ActionName<P>) : null
  }

  pressed(event: KeyboardEvent): string {
    const { key, code, shiftKey: shift, ctrlKey: ctrl, altKey: alt, metaKey: meta } = event
    return keysOf({ key, code, shift, ctrl, alt, meta, altGraph: event.getModifierState('AltGraph') }, this.#isMac)
  }

  /** Runs the action of a key press that no element has handled. */
  key(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing) return
    const keys = this.pressed(event)
    const { target } = event
    if (isTyping(target) && typesText(keys)) {
      if (keys === 'escape' && target instanceof HTMLElement) target.blur()
      return
    }
    if (target instanceof Element && users[keys] !== undefined && target.closest(users[keys])) return
    for (const [id, run] of this.#possible) {
      if (!this.keys(id).includes(keys) || run(event) === false) continue
      event.preventDefault()
      return
    }
  }
}
