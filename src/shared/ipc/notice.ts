import type { ErrorBody } from '../errors.ts'

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
