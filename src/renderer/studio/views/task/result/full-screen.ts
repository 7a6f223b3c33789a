import { m } from '@shared/i18n/paraglide/messages.js'
import type { Studio } from '../../../state/studio.svelte.ts'

/** Shows an element on the full screen, or ends that. */
export function toggleFullScreen(studio: Studio, element: HTMLElement | undefined): void {
  if (document.fullscreenElement) {
    void document.exitFullscreen()
    return
  }
  element
    ?.requestFullscreen()
    .catch(() =>
      studio.toasts.show({ icon: 'problem', title: m.full_screen_refused(), body: m.full_screen_refused_body() }),
    )
}
