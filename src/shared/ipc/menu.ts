/** @file What the page and the application menu tell each other, and what a window does by itself. */

/** What a window does; main handles their keys. */
export type WindowAction = 'zoom-reset' | 'zoom-in' | 'zoom-out' | 'full-screen' | 'menu' | 'close' | 'quit'

/** What the application menu offers. */
export interface MenuOffer {
  /** Ids of the possible actions. */
  actions: string[]
  /** A text field has the focus: Undo is for its text. */
  typing: boolean
  /** The user chooses keys: the page gets all of them. */
  recording: boolean
}
