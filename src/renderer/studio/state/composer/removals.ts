/** @file Removes faces and targets from the composer, with a way back. */
import { m } from '@shared/i18n/paraglide/messages.js'
import type { VideoMedia } from '@shared/tasks/task.ts'
import type { Done } from '../app/toasts.svelte.ts'
import type { Composer } from './composer.svelte.ts'
import { faceName, type Face } from './faces.svelte.ts'

/** What they use of the studio. */
interface Context {
  readonly composer: Composer
  do(action: () => Promise<Done>): void
}

/** @param take removes it, and returns what brings it back */
function remove(studio: Context, name: string, take: () => () => void): void {
  // At once, because the focus moves to what is there then.
  let bringBack = take()
  studio.do(() =>
    Promise.resolve({
      ...{ icon: 'removed', title: m.toast_removed({ title: name }), name },
      undo: () => {
        bringBack()
        return Promise.resolve()
      },
      redo: () => {
        bringBack = take()
        return Promise.resolve()
      },
    }),
  )
}

export function removeFace(studio: Context, face: Face): void {
  remove(studio, faceName(face), () => studio.composer.contents.removeFace(face.key))
}

export function removeTarget(studio: Context, { id, name }: VideoMedia): void {
  remove(studio, name, () => studio.composer.contents.removeTarget(id))
}
