/** @file Names of the sections of the settings. */
import { m } from '@shared/i18n/paraglide/messages.js'

export const settingsSections = [
  'services',
  'models',
  'results',
  'labels',
  'consent',
  'notifications',
  'appearance',
  'keyboard',
  'updates',
  'upkeep',
  'computer',
] as const
export type SettingsSection = (typeof settingsSections)[number]

export const settingsNames: Readonly<Record<SettingsSection, () => string>> = {
  services: m.services,
  models: m.ways_to_swap,
  results: m.results,
  labels: m.labels_and_credentials,
  consent: m.consents,
  notifications: m.notifications,
  appearance: m.appearance,
  keyboard: m.keyboard,
  updates: m.updates,
  upkeep: m.upkeep,
  computer: m.this_computer,
}
