/** @file What the page tells the application menu. */

/** What the application menu offers. */
export interface MenuOffer {
  /** Ids of the possible actions. */
  actions: string[]
  /** A text field has the focus: Undo is for its text. */
  typing: boolean
  /** The user chooses keys: the page gets all of them. */
  recording: boolean
}
