/** @file Zoom steps of the studio page. Pure. */
import { maxZoom, minZoom } from '@shared/settings/settings.ts'

export type ZoomKey = 'in' | 'out' | 'reset'

/** Chromium's zoom steps, as factors. */
const steps = [minZoom, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, maxZoom] as const

/** The zoom factor after a key press, limited to the first and last step. */
export function zoomAfter(zoom: number, key: ZoomKey): number {
  if (key === 'reset') return 1
  if (key === 'in') return steps.find((step) => step > zoom + 0.001) ?? maxZoom
  return steps.findLast((step) => step < zoom - 0.001) ?? minZoom
}
