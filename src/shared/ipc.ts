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
import type { MachineView } from './machine.ts'
import type { ProfileInput, ProfileView, ServiceKeyView } from './profile.ts'
import type { UploadCredentials, UploadTarget, UploadTargetView } from './upload-target.ts'
import type { StatusMeaning } from './status-words.ts'
import type { Filter } from './task-row.ts'

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
  /** Frames a second at 720p that this computer reached in its last swaps, before them as measured; null before either. */
  measuredFps: number | null
  machine: MachineView
  cores: number
  memoryBytes: number
  /** Settings that were set for this computer (policy file, environment) and cannot be changed here. */
  locked: LockedSetting[]
}

export type LockedSetting = 'resultsFolder' | 'updateCheck' | 'updateDownload' | 'updateChannel'

export type Theme = 'system' | 'light' | 'dark'

export const minZoom = 0.5
export const maxZoom = 2

export interface Settings {
  theme: Theme
  libraryView: 'grid' | 'list'
  librarySort: 'newest' | 'oldest' | 'title'
  compareMode: 'divider' | 'side' | 'before' | 'after'
  repeat: boolean
  muted: boolean
  /** Chosen last in the composer. */
  lastProfileId: string
  /** Whether Mien looks for updates. */
  updateCheck: boolean
  /** Whether it fetches them without asking. */
  updateDownload: boolean
  updateChannel: 'stable' | 'beta'
  /** Whether Mien asks before a quit that stops swaps. */
  askBeforeQuit: boolean
  /** Size of everything in the window, `minZoom` to `maxZoom`; 1 is 100 %. */
  zoomFactor: number
}

/** A newer version, as its signed feed describes it. */
export interface UpdateOffer {
  version: string
  /** ISO 8601. */
  date: string
  /** Markdown. */
  notes: string
  sizeBytes: number
}

export type UpdateState =
  | { kind: 'off'; reason: 'development' | 'policy' | 'settings' | 'not-updatable' }
  /** `checkedAt`: epoch ms of the last look that was answered. */
  | { kind: 'idle'; checkedAt: number | null }
  | { kind: 'checking' }
  | { kind: 'available'; offer: UpdateOffer }
  | { kind: 'downloading'; offer: UpdateOffer; share: number }
  /** `onQuit`: put in place when Mien is quit. `waiting`: a restart follows the swap that runs. */
  | { kind: 'ready'; offer: UpdateOffer; onQuit: boolean; waiting: boolean }
  | { kind: 'failed'; error: ErrorBody }

/** What an import of settings did. */
export interface ImportReport {
  services: number
  /** Names of services that are known here under another address: added beside them, without a key. */
  added: string[]
  /** Names of what was left out, because it is locked or does not fit. */
  leftOut: string[]
}

/** A file of the diagnostics zip. */
export interface DiagnosticsFile {
  name: string
  /** Whole, or its end where it is long. */
  text: string
  bytes: number
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
  /** An AppImage on a system that keeps Chromium's sandbox from it. */
  | { id: string; kind: 'no-sandbox' }
  /** Set-up for this computer that is wrong; the rest of it applies. `where`: a file's name or a variable's. */
  | { id: string; kind: 'policy'; where: string; problem: 'syntax' | 'unknown' | 'invalid'; names: string[] }
  | { id: string; kind: 'update-available'; version: string }
  | { id: string; kind: 'update-ready'; version: string; onQuit: boolean }
  /** An update that must not be trusted. */
  | { id: string; kind: 'update-refused'; error: ErrorBody }

/** What the native menu, a shortcut of the system or a second start asks the studio to do. */
export type Command = 'new-swap' | 'library' | 'settings' | 'search' | 'undo'

export interface TaskDelta {
  /** Grows by one with each delta; after a gap the studio asks for the snapshot. */
  seq: number
  changed: Task[]
  removed: string[]
}

/** Swaps as JSON text: objects cross the context bridge value by value, which is slow; a text crosses at once. */
export interface TasksText {
  seq: number
  json: string
}

/** What a view of the library shows. A search finds each of its words in a title, a file's or a service's name. */
export interface LibraryQuery {
  search: string
  filter: Filter
  sort: Settings['librarySort']
  /** Only so many, from the first: found at once in a library of any size. */
  limit?: number
}

export interface LibraryView {
  /** Numbers of all swaps that are shown, in their order. Arrays of numbers cross the context bridge as one. */
  order: Uint32Array
  /** Whether `order` has all of them; false may come of a limit. */
  complete: boolean
  /** Runs of one day, in pairs: when it begins (epoch ms), how many follow each other in it. Empty when sorted by title. */
  days: Float64Array
  /** How many swaps each filter shows, without a search. */
  counts: Record<Filter, number>
  /** Finished since the oldest of those at work was added. */
  done: number
}

/** What was removed; `title` of one of them. `working`: how many were under way; `kept`: how many had a result. */
export interface Removed {
  count: number
  title: string
  working: number
  kept: number
}

/** What "Test connection" found. */
export interface ConnectionReport {
  reached: boolean
  /** `none`: plain http. Null: it did not come that far. */
  tls: 'good' | 'bad' | 'none' | null
  /** The spelling of the path that answered. */
  path: string | null
  keyAccepted: boolean | null
  /** How far the service's clock is ahead of this computer's; null when it does not tell the time. */
  clockSkewMs: number | null
  ms: number
  error: ErrorBody | null
}

/** A file that was copied in a file manager or as its path (`slot`: by its name), a picture, or an http(s) address. */
export type ClipboardContent =
  | { kind: 'file'; mediaSlot: 'face' | 'video' | null; name: string }
  | { kind: 'picture' }
  | { kind: 'address'; url: string }

export const contract = {
  app: {
    info: call<void, AppInfo>(),
    infoChanged: event<AppInfo>(),
    /** Opens one of a fixed list of help pages in the browser. */
    openHelp: call<{ topic: 'keyring' | 'export-h264' | 'project' }, void>(),
    /** Measures this computer anew, once nothing runs on it. */
    measure: call<void, void>(),
    stopMeasuring: call<void, void>(),
    copyText: call<{ text: string }, void>(),
    /** The licences of all that Mien is made of, as one long text. */
    licences: call<void, { text: string }>(),
    notices: call<void, Notice[]>(),
    noticesChanged: event<Notice[]>(),
    dismissNotice: call<{ id: string }, void>(),
    /** Tries again now to start the embedded service. */
    retryService: call<void, void>(),
    command: event<Command>(),
  },
  intake: {
    /** Null: the user closed the dialog. */
    chooseFace: call<void, FaceMedia | null>(),
    /** What lies directly in a dropped folder; null: it is a file. */
    folder: fileCall<{ name: string; pictures: number; videos: number } | null>(),
    /** A folder stands for the only picture in it. */
    dropFace: fileCall<FaceMedia>(),
    /** What can be taken from the clipboard; null: nothing. */
    clipboard: call<void, ClipboardContent | null>(),
    /** A picture, or a picture file, from the clipboard; null when there is none. */
    pasteFace: call<void, FaceMedia | null>(),
    confirmFace: call<{ faceId: string; confirmed: boolean }, FaceMedia>(),
    chooseVideo: call<void, VideoMedia | null>(),
    /** A folder stands for the only video in it. */
    dropVideo: fileCall<VideoMedia>(),
    /** A video file from the clipboard; null when there is none. */
    pasteVideo: call<void, VideoMedia | null>(),
    openAddress: call<{ url: string }, VideoMedia>(),
    /** Takes an address that cannot be opened here, for an online service that can: nothing of the video is known. */
    useAddress: call<{ url: string }, VideoMedia>(),
    /** Stops the reading that is under way for a slot, if any. */
    stop: call<{ mediaSlot: 'face' | 'video' }, void>(),
    /** While an address is fetched or a file is read; share 0–1, null when the length is not known. */
    reading: event<{ mediaSlot: 'face' | 'video'; name: string; share: number | null }>(),
    sample: call<void, { face: FaceMedia; video: VideoMedia; title: string }>(),
    /** Something is about to be read, so that the engine may start. */
    expect: call<void, void>(),
    /** Time a swap would take; null before anything is known. */
    estimate: call<{ videoId: string; profileId: string }, { ms: number } | null>(),
  },
  tasks: {
    /** The swaps to which something may still happen, as TaskRow[]. */
    snapshot: call<void, TasksText>(),
    /** As TaskChanges. */
    changed: event<TasksText>(),
    /** A whole swap, as NumberedTask; null when there is none. */
    get: call<{ taskId: string }, { json: string | null }>(),
    submit: call<Draft, { taskId: string }>(),
    cancel: call<{ taskIds: string[] }, void>(),
    pause: call<{ taskIds: string[] }, void>(),
    resume: call<{ taskIds: string[] }, void>(),
    /** Runs a failed or cancelled swap again from its own media, as the same entry. */
    retry: call<{ taskId: string }, void>(),
    /** For an unconfirmed one. */
    decide: call<{ taskId: string; decision: 'send-again' | 'do-not-send' | 'give-id'; objectId?: string }, void>(),
    rename: call<{ taskId: string; title: string }, void>(),
    /** Changes the order in which what is queued is sent to its service. */
    move: call<{ taskId: string; to: 'first' | 'up' | 'down' | 'last' }, void>(),
    /** False: the user closed the dialog. */
    saveAs: call<{ taskId: string }, { saved: boolean }>(),
    showInFolder: call<{ taskId: string }, void>(),
    /** The service's last answer, as JSON text; null before the first. */
    record: call<{ taskId: string }, { json: string | null }>(),
    /** The task page that is open, so that it is looked after more often. */
    looking: call<{ taskId: string | null }, void>(),
  },
  library: {
    view: call<LibraryQuery, LibraryView>(),
    /** Swaps by their numbers, as TaskRow[] in no order. */
    rows: call<{ numbers: Uint32Array }, { json: string }>(),
    /** They leave the library at once, and are forgotten for good after the next start; files stay in their folder. */
    remove: call<{ numbers: Uint32Array }, Removed>(),
    restore: call<{ numbers: Uint32Array }, void>(),
  },
  settings: {
    get: call<void, Settings>(),
    set: call<Partial<Settings>, Settings>(),
    changed: event<Settings>(),
    resultsFolder: call<void, ResultsFolder>(),
    chooseResultsFolder: call<void, ResultsFolder | null>(),
    showResultsFolder: call<void, void>(),
    /** Settings and services without keys, as a file of the user's choice. False: the user closed the dialog. */
    exportFile: call<void, { saved: boolean }>(),
    /** Null: the user closed the dialog. */
    importFile: call<void, ImportReport | null>(),
  },
  updates: {
    state: call<void, UpdateState>(),
    changed: event<UpdateState>(),
    check: call<void, void>(),
    download: call<void, void>(),
    /** Restarts into the new version, after the swap that runs here. */
    restart: call<void, void>(),
  },
  diagnostics: {
    /** Collects, without secrets; what is shown is what `save` writes. `codecs`: what this page can read and write. */
    collect: call<{ codecs: Record<string, boolean> }, DiagnosticsFile[]>(),
    save: call<void, { saved: boolean }>(),
  },
  profiles: {
    list: call<void, ProfileView[]>(),
    changed: event<ProfileView[]>(),
    save: call<ProfileInput, ProfileView>(),
    remove: call<{ profileId: string }, void>(),
    test: call<{ profileId: string }, ConnectionReport>(),
    /** `session`: kept in memory until Mien quits. Refused with `no-keychain` when `keychain` cannot be. */
    /** `another`: beside the keys that are there, as the active one; else in the place of the active one. */
    setKey: call<{ profileId: string; key: string; keep: 'keychain' | 'session'; another?: boolean }, ProfileView>(),
    /** Without `keyId` the active one. */
    clearKey: call<{ profileId: string; keyId?: string }, ProfileView>(),
    useKey: call<{ profileId: string; keyId: string }, ProfileView>(),
    /** Value of the admin header, kept in the keychain; null forgets it. */
    setAdmin: call<{ profileId: string; value: string | null }, ProfileView>(),
    /** PauseController or releases everything that is not sent yet. */
    pause: call<{ profileId: string; paused: boolean }, ProfileView>(),
    /** What a word of this service means; null forgets it. */
    mapWord: call<{ profileId: string; word: string; meaning: StatusMeaning | null }, ProfileView>(),
  },
  /** Where local files go for a service that takes addresses only. */
  uploads: {
    get: call<{ profileId: string }, UploadTargetView | null>(),
    /** Credentials null: as they are. They do not come back, but for the access key's id. */
    save: call<
      { profileId: string; target: UploadTarget; credentials: UploadCredentials | null },
      UploadTargetView | null
    >(),
    remove: call<{ profileId: string }, void>(),
    /** Puts a small file there, fetches it, deletes it. */
    test: call<{ profileId: string }, { error: ErrorBody | null }>(),
  },
  /** The keys of a user at a service, through its key operations. */
  keys: {
    list: call<{ profileId: string; userId: string }, ServiceKeyView[]>(),
    /** The new key goes into the keychain and is shown once by main; it does not come here. */
    make: call<{ profileId: string; userId: string }, { lastFour: string }>(),
    revoke: call<{ profileId: string; row: string }, void>(),
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
