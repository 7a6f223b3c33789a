/** @file Names of the places where actions work. */
import type { Place } from './actions.ts'
import { m } from '../i18n/paraglide/messages.js'

/** In the order in which the places are listed. */
export const placeNames: Readonly<Record<Place, () => string>> = {
  anywhere: m.shortcuts_anywhere,
  window: m.menu_window,
  composer: m.new_swap,
  proof: m.proof,
  people: m.shortcuts_people,
  correct: m.correct_people,
  queue: m.queue,
  library: m.library,
  swap: m.shortcuts_swap,
  viewer: m.compare,
  review: m.shortcuts_review,
}
