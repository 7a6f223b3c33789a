/** @file What the actions do that work in every view. */
import type { Runs } from './app/actions.svelte.ts'
import type { Route } from './app/routes.svelte.ts'
import type { Studio } from './studio.svelte.ts'

export function anywhereActions(studio: Studio): Runs<'anywhere'> {
  const goTo = (route: Route) => () => studio.routes.go(route)
  return {
    'new-swap': goTo({ view: 'compose' }),
    library: goTo({ view: 'library' }),
    verify: goTo({ view: 'verify' }),
    settings: goTo({ view: 'settings', section: 'services' }),
    queue: () => {
      studio.queue.isOpen = !studio.queue.isOpen
    },
    search: () => {
      studio.routes.go({ view: 'library' })
      studio.searchWanted += 1
    },
    undo:
      (hasPartsToUndo(studio) || studio.history.canUndo) &&
      (() => {
        if (hasPartsToUndo(studio)) studio.composer.trim?.undo()
        else studio.undo()
      }),
    redo:
      (hasPartsToRedo(studio) || studio.history.canRedo) &&
      (() => {
        if (hasPartsToRedo(studio)) studio.composer.trim?.redo()
        else studio.redo()
      }),
    back: () => {
      goBack(studio)
      return false
    },
    palette: () => {
      studio.paletteShown = true
    },
    shortcuts: () => {
      studio.shortcutsShown = true
    },
  }
}

/** A toast offers to undo what happened last. Without one, the composer undoes changes of its parts. */
function hasPartsToUndo(studio: Studio): boolean {
  const isShown = studio.routes.route.view === 'compose' && !studio.toasts.list.some(({ step }) => step !== undefined)
  return isShown && studio.composer.trim?.canUndo === true
}

function hasPartsToRedo(studio: Studio): boolean {
  const isShown = studio.routes.route.view === 'compose' && !studio.toasts.list.some(({ icon }) => icon === 'undone')
  return isShown && studio.composer.trim?.canRedo === true
}

function goBack(studio: Studio): void {
  const { view } = studio.routes.route
  if (document.fullscreenElement) void document.exitFullscreen()
  else if (studio.queue.isOpen) studio.queue.isOpen = false
  else if (view === 'library' && studio.library.chosen.size > 0) studio.library.clear()
  else if (view === 'task' || view === 'settings' || view === 'verify' || view === 'consents') studio.routes.back()
}
