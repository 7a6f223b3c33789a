/** @file Drags the files of finished swaps out of the window. Main starts the drag, because only main has paths. */
import type { DragIcon } from '@shared/files/file-outcome.ts'
import type { TaskRow } from '@shared/tasks/task-row.ts'
import type { Studio } from '../../../state/studio.svelte.ts'
import { targetsOf } from '../../../state/swap-actions.ts'

const iconWidth = 96

/** Drags the swap, or the selection that it belongs to. The picture is the canvas in the dragged element, if there is one. */
export function dragOut(studio: Studio, event: DragEvent, task: Pick<TaskRow, 'number'>): void {
  event.preventDefault()
  const canvas = event.currentTarget instanceof Element ? event.currentTarget.querySelector('canvas') : null
  const numbers = Uint32Array.from(targetsOf(studio, task))
  studio.isDraggingOut = true
  // The page gets no event when the system's drag ends, but pointer events come again then.
  const ended = new AbortController()
  const end = ({ buttons }: PointerEvent): void => {
    if (buttons !== 0) return
    ended.abort()
    // Ignore the click that follows.
    setTimeout(() => {
      studio.isDraggingOut = false
    })
  }
  for (const type of ['pointermove', 'pointerup', 'pointerenter'] as const)
    window.addEventListener(type, end, { capture: true, signal: ended.signal })
  studio.try(() => studio.bridge.results.drag({ numbers, icon: canvas && iconOf(canvas) }))
}

function iconOf(canvas: HTMLCanvasElement): DragIcon | null {
  const [width, height] = [iconWidth, Math.round((iconWidth * canvas.height) / canvas.width)]
  const context = new OffscreenCanvas(width, Math.max(1, height)).getContext('2d')
  if (!context || !(height > 0)) return null
  context.drawImage(canvas, 0, 0, width, height)
  return { width, height, pixels: new Uint8Array(context.getImageData(0, 0, width, height).data.buffer) }
}
