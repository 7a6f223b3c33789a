/** @file Zoom of the studio page: steps and shortcuts. Pure. */
import type { Input } from 'electron'
import { maxZoom, minZoom } from '@shared/settings.ts'

export type ZoomKey = 'in' | 'out' | 'reset'

/** Chromium's zoom steps, as factors. */
const steps = [minZoom, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, maxZoom] as const

/** The zoom factor after a key press, limited to the first and last step. */
export function zoomAfter(zoom: number, key: ZoomKey): number {
  if (key === 'reset') return 1
  if (key === 'in') return steps.find((step) => step > zoom + 0.001) ?? maxZoom
  return steps.findLast((step) => step < zoom - 0.001) ?? minZoom
}

const keys: Readonly<Record<string, ZoomKey>> = { '+': 'in', '=': 'in', '-': 'out', _: 'out', '0': 'reset' }

/** Ctrl (⌘ on a Mac) with plus, minus or zero. Plus and equals share a key on many keyboards. */
export function zoomKey(input: Pick<Input, 'key' | 'control' | 'meta' | 'alt'>, mac: boolean): ZoomKey | null {
  const isMod = mac ? input.meta && !input.control : input.control && !input.meta
  return isMod && !input.alt ? (keys[input.key] ?? null) : null
}
