/** @file What main tells the studio about this Mien, and what the page tells the application menu. */
import type { BenchmarkView } from '../engine/benchmark.ts'
import type { ErrorBody } from '../errors.ts'
import type { Language } from '../language.ts'
import type { LockedSetting } from '../settings/settings.ts'

/** Facts about this Mien and this computer. */
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

/** A notice that isn't about a single swap. Shown as a banner until it is resolved or closed. */
export type Notice =
  | { id: string; kind: 'no-keychain' }
  | { id: string; kind: 'key-refused'; profileId: string; name: string; lastFour: string | null }
  | { id: string; kind: 'certificate-changed'; profileId: string; name: string }
  | { id: string; kind: 'settings-reset'; backup: string }
  | { id: string; kind: 'library-reset'; backup: string }
  | { id: string; kind: 'results-folder'; folderName: string; error: ErrorBody }
  | { id: string; kind: 'service-failed'; error: ErrorBody }
  | { id: string; kind: 'offline' }
  /** An AppImage on a system that doesn't allow Chromium's sandbox. */
  | { id: string; kind: 'no-sandbox' }
  /** A setting fixed for this computer is wrong; the others apply. `where`: name of a file or a variable. */
  | { id: string; kind: 'policy'; where: string; problem: 'syntax' | 'unknown' | 'invalid'; names: string[] }
  | { id: string; kind: 'update-available'; version: string }
  | { id: string; kind: 'update-ready'; version: string; onQuit: boolean }
  /** An update that isn't trusted. */
  | { id: string; kind: 'update-refused'; error: ErrorBody }

/** A newer version, as described by its signed feed. */
export interface UpdateOffer {
  version: string
  /** ISO 8601. */
  date: string
  /** Markdown. */
  notes: string
  sizeBytes: number
}

/** The state of updates of Mien. */
export type UpdateState =
  | { kind: 'off'; reason: 'development' | 'policy' | 'settings' | 'not-updatable' }
  /** `checkedAt`: epoch ms of the last successful check. */
  | { kind: 'idle'; checkedAt: number | null }
  | { kind: 'checking' }
  | { kind: 'available'; offer: UpdateOffer }
  | { kind: 'downloading'; offer: UpdateOffer; share: number }
  /** `onQuit`: installed when Mien quits. `waiting`: Mien restarts after the running swap. */
  | { kind: 'ready'; offer: UpdateOffer; onQuit: boolean; waiting: boolean }
  | { kind: 'failed'; error: ErrorBody }

/** What happens when all swaps are finished. Chosen for this run of Mien only. */
export const doneActions = ['nothing', 'notify', 'sleep'] as const
export type DoneAction = (typeof doneActions)[number]

export interface WhenDone {
  action: DoneAction
  /** Whether Mien can put this computer to sleep. */
  canSleep: boolean
  /** Epoch ms at which the computer goes to sleep; null: it doesn't. */
  sleepsAt: number | null
}

/** What the application menu offers. */
export interface MenuOffer {
  /** Ids of the possible actions. */
  actions: string[]
  /** A text field has the focus: Undo is for its text. */
  typing: boolean
  /** The user chooses keys: the page gets all of them. */
  recording: boolean
}

/** A file of the diagnostics zip. */
export interface DiagnosticsFile {
  name: string
  /** The whole text, or only its end if it is long. */
  text: string
  bytes: number
}
