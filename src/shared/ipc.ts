/**
 * @file The IPC contract between the studio window and the main process: one table,
 * group → method → call, file call or event. The preload derives the bridge from it, main's
 * handlers and argument schemas are mapped types over it; what is missing does not compile.
 *
 * Every call takes one argument object (or nothing) and answers an Envelope. Paths never come from
 * the renderer: a `fileCall` takes a File that the user dropped, and the preload turns it into a path.
 */
import type { Envelope, ErrorBody } from './errors.ts'
import type { Draft, FaceMedia, Task, VideoMedia } from './task.ts'
import type { ProfileInput, ProfileView } from './profile.ts'

declare const argument: unique symbol
declare const answer: unique symbol

export interface Call<Arg, Ret> {
  readonly kind: 'call'
  readonly [argument]?: Arg
  readonly [answer]?: Ret
}
export interface FileCall<Ret> {
  readonly kind: 'file'
  readonly [answer]?: Ret
}
export interface Event<Payload> {
  readonly kind: 'event'
  readonly [argument]?: Payload
}

const call = <Arg, Ret>(): Call<Arg, Ret> => ({ kind: 'call' })
const fileCall = <Ret>(): FileCall<Ret> => ({ kind: 'file' })
const event = <Payload>(): Event<Payload> => ({ kind: 'event' })

export interface AppInfo {
  version: string
  platform: 'mac' | 'win' | 'linux'
  electron: string
  chromium: string
  /** The effective theme; follows the system when the setting is `system`. */
  theme: 'light' | 'dark'
  keychain: 'ready' | 'missing'
  /** Frames a second that this computer reached lately at 720p; null before the first swap. */
  measuredFps: number | null
  cores: number
  memoryBytes: number
}

export type Theme = 'system' | 'light' | 'dark'

export interface Settings {
  theme: Theme
  libraryView: 'grid' | 'list'
  librarySort: 'newest' | 'oldest' | 'title'
  compareMode: 'divider' | 'side' | 'before' | 'after'
  repeat: boolean
  muted: boolean
  /** Chosen last in the composer. */
  lastProfileId: string
}

/** The results folder as a person says it. Its path stays in main. */
export interface ResultsFolder {
  name: string
  exists: boolean
  writable: boolean
  videos: number
  bytes: number
  freeBytes: number
}

/** Something the user should know that belongs to no single swap. Shown as a banner until it is solved or closed. */
export type Notice =
  | { id: string; kind: 'no-keychain' }
  | { id: string; kind: 'key-refused'; profileId: string; name: string; lastFour: string | null }
  | { id: string; kind: 'settings-reset'; backup: string }
  | { id: string; kind: 'library-reset'; backup: string }
  | { id: string; kind: 'results-folder'; folderName: string; error: ErrorBody }
  | { id: string; kind: 'service-failed'; error: ErrorBody }
  | { id: string; kind: 'offline' }

/** What the native menu, a shortcut of the system or a second start asks the studio to do. */
export type Command = 'new-swap' | 'library' | 'settings' | 'search' | 'undo'

export interface TaskDelta {
  /** Grows by one with each delta; after a gap the studio asks for the snapshot. */
  seq: number
  changed: Task[]
  removed: string[]
}

/** What "Test connection" found. */
export interface ConnectionReport {
  reached: boolean
  keyAccepted: boolean | null
  ms: number
  error: ErrorBody | null
}

export const contract = {
  app: {
    info: call<void, AppInfo>(),
    infoChanged: event<AppInfo>(),
    /** Opens one of a fixed list of help pages in the browser. */
    openHelp: call<{ topic: 'keyring' | 'export-h264' | 'project' }, void>(),
    copyText: call<{ text: string }, void>(),
    notices: call<void, Notice[]>(),
    noticesChanged: event<Notice[]>(),
    dismissNotice: call<{ id: string }, void>(),
    command: event<Command>(),
  },
  intake: {
    /** Null: the user closed the dialog. */
    chooseFace: call<void, FaceMedia | null>(),
    dropFace: fileCall<FaceMedia>(),
    /** A picture, or a picture file, from the clipboard; null when there is none. */
    pasteFace: call<void, FaceMedia | null>(),
    confirmFace: call<{ faceId: string; confirmed: boolean }, FaceMedia>(),
    chooseVideo: call<void, VideoMedia | null>(),
    dropVideo: fileCall<VideoMedia>(),
    /** A video file, or an http(s) address, from the clipboard; null when there is neither. */
    pasteVideo: call<void, VideoMedia | null>(),
    openAddress: call<{ url: string }, VideoMedia>(),
    /** Stops the reading that is under way for a well, if any. */
    stop: call<{ well: 'face' | 'video' }, void>(),
    /** While an address is fetched or a file is read; share 0–1, null when the length is not known. */
    reading: event<{ well: 'face' | 'video'; name: string; share: number | null }>(),
    sample: call<void, { face: FaceMedia; video: VideoMedia; title: string }>(),
    /** Time a swap would take; null before anything is known. */
    estimate: call<{ videoId: string; profileId: string }, { ms: number } | null>(),
  },
  tasks: {
    snapshot: call<void, { seq: number; tasks: Task[] }>(),
    changed: event<TaskDelta>(),
    submit: call<Draft, { taskId: string }>(),
    cancel: call<{ taskIds: string[] }, void>(),
    pause: call<{ taskIds: string[] }, void>(),
    resume: call<{ taskIds: string[] }, void>(),
    /** Runs a failed or cancelled swap again from its own media, as the same entry. */
    retry: call<{ taskId: string }, void>(),
    /** For an unconfirmed one. */
    decide: call<{ taskId: string; decision: 'send-again' | 'do-not-send' | 'give-id'; objectId?: string }, void>(),
    /** Leaves the library at once, is forgotten for good at the next start; files stay in their folder. */
    remove: call<{ taskIds: string[] }, void>(),
    restore: call<{ taskIds: string[] }, void>(),
    rename: call<{ taskId: string; title: string }, void>(),
    /** False: the user closed the dialog. */
    saveAs: call<{ taskId: string }, { saved: boolean }>(),
    showInFolder: call<{ taskId: string }, void>(),
    /** The service's last answer, as JSON text; null before the first. */
    record: call<{ taskId: string }, { json: string | null }>(),
    /** The task page that is open, so that it is looked after more often. */
    looking: call<{ taskId: string | null }, void>(),
  },
  settings: {
    get: call<void, Settings>(),
    set: call<Partial<Settings>, Settings>(),
    changed: event<Settings>(),
    resultsFolder: call<void, ResultsFolder>(),
    chooseResultsFolder: call<void, ResultsFolder | null>(),
    showResultsFolder: call<void, void>(),
  },
  profiles: {
    list: call<void, ProfileView[]>(),
    changed: event<ProfileView[]>(),
    save: call<ProfileInput, ProfileView>(),
    remove: call<{ profileId: string }, void>(),
    test: call<{ profileId: string }, ConnectionReport>(),
    /** `session`: kept in memory until Mien quits. Refused with `no-keychain` when `keychain` cannot be. */
    setKey: call<{ profileId: string; key: string; keep: 'keychain' | 'session' }, ProfileView>(),
    clearKey: call<{ profileId: string }, ProfileView>(),
  },
} as const

export type Contract = typeof contract
export type Group = keyof Contract

/** Channel of a method or an event. Never written by hand anywhere else. */
export const channel = (group: string, method: string): string => `mien:${group}.${method}`

type Caller<Arg, Ret> = [Arg] extends [void] ? () => Promise<Ret> : (arg: Arg) => Promise<Ret>

/** A member of the contract as a function, its answer with or without the envelope. */
type Member<M, Enveloped extends boolean> =
  M extends Call<infer Arg, infer Ret>
    ? Caller<Arg, Enveloped extends true ? Envelope<Ret> : Ret>
    : M extends FileCall<infer Ret>
      ? (file: File) => Promise<Enveloped extends true ? Envelope<Ret> : Ret>
      : M extends Event<infer Payload>
        ? (listener: (payload: Payload) => void) => () => void
        : never

/** What the preload puts on `window.mien`: answers in their envelope, since an Error loses its type on the way. */
export type RawBridge = {
  readonly [G in Group]: { readonly [M in keyof Contract[G]]: Member<Contract[G][M], true> }
}

/** What the studio's own code uses: a failure is a thrown MienError (see renderer/studio/bridge.ts). */
export type Bridge = {
  readonly [G in Group]: { readonly [M in keyof Contract[G]]: Member<Contract[G][M], false> }
}

/** Address of a media id for img and video elements. */
export const mediaUrl = (id: string): string => `media://item/${encodeURIComponent(id)}`
