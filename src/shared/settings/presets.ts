/** @file Presets: options of a swap under a name. Without zod, for the studio's first bundle. */
import { defaultOptions, type SwapOptions } from '../options/default-options.ts'

export interface Preset {
  /** Of one of Mien's presets, or random. */
  id: string
  name: string
  options: SwapOptions
}

export const maxPresets = 100
export const maxPresetName = 60

/** Presets that come with Mien. */
export const builtInPresets = {
  standard: defaultOptions,
  small: { ...defaultOptions, size: '720p', quality: 'small' },
  best: { ...defaultOptions, quality: 'best' },
} as const satisfies Record<string, Readonly<SwapOptions>>

/** Extension of a shared preset's file. */
export const presetExtension = 'mien-preset'
