/** @file Names of the sections of the settings. */
import { m } from '@shared/i18n/paraglide/messages.js'

/** In the order of the page. */
export const settingsNames = {
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

export type SettingsSection = keyof typeof settingsNames
export const settingsSections = Object.keys(settingsNames) as SettingsSection[] // `keys` loses the names
