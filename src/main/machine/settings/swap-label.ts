/** @file Which label a swap on this computer gets, by its options, the settings and the policy. Pure. */
import type { Language } from '@shared/language.ts'
import type { LockedSetting, Settings } from '@shared/settings/settings.ts'
import type { SwapOptions } from '@shared/options/swap-options.ts'

interface LabelSettings {
  settings: Pick<Settings, 'label' | 'labelLanguage'>
  locked: readonly LockedSetting[]
  /** In use. */
  language: Language
}

/** Names the label in the options, so that a swap keeps it when settings change. Null stays null if there is none. */
export function withLabel(options: SwapOptions, { settings, locked, language }: LabelSettings): SwapOptions {
  const label = locked.includes('label') ? settings.label : (options.label ?? settings.label)
  if (label === 'off') return { ...options, label: options.label === null ? null : label, labelLanguage: null }
  if (label === 'china') return { ...options, label, labelLanguage: null }
  const usual = settings.labelLanguage === 'app' ? language : settings.labelLanguage
  return { ...options, label, labelLanguage: options.labelLanguage ?? usual }
}
