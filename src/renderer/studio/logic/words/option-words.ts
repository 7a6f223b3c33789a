/** @file Words for the options of a swap. */
import type { Keepable, OutputQuality, OutputSize } from '@shared/options/default-options.ts'
import { labelTexts, type Label } from '@shared/options/label.ts'
import type { Language } from '@shared/language.ts'
import { formatFacts } from '@shared/i18n/format.ts'
import type { Settings } from '@shared/settings/settings.ts'
import type { CredentialsState } from '@shared/tasks/task.ts'
import { m } from '@shared/i18n/paraglide/messages.js'

export const keepNames: Record<Keepable, () => string> = {
  mouth: m.keep_mouth,
  glasses: m.keep_glasses,
  hair: m.keep_hair,
}

export const qualityNames: Record<OutputQuality, () => string> = {
  small: m.quality_small,
  balanced: m.quality_balanced,
  best: m.quality_best,
}

export const sizeName = (size: OutputSize): string =>
  size === null ? m.output_source() : typeof size === 'string' ? size : m.output_px({ size: String(size) })

export const labelNames: Record<Label, () => string> = {
  off: m.label_off,
  eu: m.label_eu,
  start: m.label_start,
  china: m.label_china,
}

/** What a label says, and where. */
export const labelText = (label: Label, language: Language): string =>
  label === 'off'
    ? m.visible_label_none()
    : m.visible_label_text({ text: labelTexts[label === 'china' ? 'china' : language].long })
export const credentialsNames: Record<CredentialsState, () => string> = {
  signed: m.credentials_signed,
  off: m.credentials_off,
  unsupported: m.credentials_unsupported,
  failed: m.credentials_failed,
}

/** Where results are saved, and whether they carry no credentials. */
export const savesTo = (folder: string, { credentials }: Pick<Settings, 'credentials'>): string =>
  formatFacts([m.saves_to({ folder }), ...(credentials === 'off' ? [m.credentials_off_here()] : [])])

/** A preset, and how many options differ from it. */
export const presetText = (preset: string, count: number): string =>
  count === 0 ? preset : m.options_of_preset({ preset, count })
