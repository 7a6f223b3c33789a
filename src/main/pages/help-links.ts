/** @file The only URLs that Mien opens in the browser, always after a click. */
import { shell } from 'electron'

const pages = {
  keyring: 'https://wiki.gnome.org/Projects/GnomeKeyring',
  'export-h264': 'https://handbrake.fr/docs/en/latest/workflow/convert-video.html',
  project: 'https://github.com/mien-studio/mien',
} as const

export type HelpTopic = keyof typeof pages

export const openHelp = (topic: HelpTopic): Promise<void> => shell.openExternal(pages[topic])
