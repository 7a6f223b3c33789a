/** @file Facts about this Mien and this computer, for the studio. */
import type { BenchmarkView } from '../engine/benchmark.ts'
import type { Language } from '../language.ts'
import type { LockedSetting } from '../settings/settings.ts'

export interface AppInfo {
  version: string
  platform: 'mac' | 'win' | 'linux'
  electron: string
  chromium: string
  /** The effective theme; follows the system when the setting is `system`. */
  theme: 'light' | 'dark'
  /** The language in use; follows the system when the setting is `system`. */
  language: Language
  /** What the language is, or would be, if the setting is `system`. */
  systemLanguage: Language
  keychain: 'ready' | 'missing'
  /** Whether the desktop has a tray or menu bar. */
  canRunInBackground: boolean
  /** Frames per second at 720p in the last swaps here, or as measured before the first; null without either. */
  measuredFps: number | null
  benchmark: BenchmarkView
  cores: number
  memoryBytes: number
  /** Settings fixed for this computer by a policy file or the environment; they can't be changed here. */
  locked: LockedSetting[]
}
