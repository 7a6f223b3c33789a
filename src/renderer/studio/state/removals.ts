/** @file Removes faces and targets from the composer, with a way back. */
import { m } from '@shared/i18n/paraglide/messages.js'
import type { VideoMedia } from '@shared/tasks/task.ts'
import type { Studio } from './studio.svelte.ts'
import { faceName, type Face } from './composer/faces.svelte.ts'

/** @param take removes it, and returns what brings it back */
function remove(studio: Studio, name: string, take: () => () => void): void {
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

export function removeFace(studio: Studio, face: Face): void {
  remove(studio, faceName(face), () => studio.composer.contents.removeFace(face.key))
}

export function removeTarget(studio: Studio, { id, name }: VideoMedia): void {
  remove(studio, name, () => studio.composer.contents.removeTarget(id))
}
