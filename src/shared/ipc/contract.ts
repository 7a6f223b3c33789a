/**
 * @file The IPC contract between the studio window and the main process: one table, group → method → call, file call
 * or event. The preload derives the bridge from it. Main's handlers and argument schemas are mapped types over it, so a
 * missing one doesn't compile.
 *
 * Every call takes one argument object (or nothing) and returns an Envelope. The renderer never sends paths: a
 * `fileCall` takes a File that the user dropped, and the preload converts it to a path. `filesCall` takes several.
 */
import type { AppInfo } from './app-info.ts'
import { call, event, fileCall, filesCall, type Member } from './calls.ts'
import type { ConsentDetails, ConsentFormat, ConsentView, ReleaseChoice } from '../tasks/consent.ts'
import type { DiagnosticsFile } from './diagnostics-file.ts'
import type { ErrorBody } from '../errors.ts'
import type { Estimate } from '../tasks/estimated.ts'
import type { DragIcon, FileOutcome, FileProgress } from '../files/file-outcome.ts'
import type { ClipboardContent, FaceFile, FoundFiles, PictureImport, RecentMedia } from './intake.ts'
import type { LibraryFacets, LibraryQuery, LibraryView, Removed, TagChange } from '../tasks/library-view.ts'
import type { ModelView } from '../engine/models.ts'
import type { MenuOffer, WindowAction } from './menu.ts'
import type { Notice } from './notice.ts'
import type { PartProgress } from '../people/part-progress.ts'
import type { Preset } from '../settings/presets.ts'
import type { Person, Range, Split, VideoPeople } from '../people/people.ts'
import type { ProofState } from '../people/proof.ts'
import type { ConnectionReport, FoundServer, ProfileInput, ProfileView, ServiceKeyView } from '../service/profile.ts'
import type { ImportReport, ResultsFolder, Settings } from '../settings/settings.ts'
import type { StatusMeaning } from '../service/status-words.ts'
import type { Draft, FaceMedia, PartChange, VideoMedia } from '../tasks/task.ts'
import type { TasksText } from '../tasks/task-row.ts'
import type { UpdateState } from './update-state.ts'
import type { UploadCredentials, UploadTarget, UploadTargetView } from '../service/upload-target.ts'
import type { GivenFile, SigningView, VerifiedFile } from '../files/verification.ts'
import type { DoneAction, WhenDone } from './when-done.ts'

/** Numbers of the added swaps, the first that were left with their error, and how many were left. */
export interface AddedAgain {
  numbers: Uint32Array
  failed: { title: string; error: ErrorBody }[]
  failedCount: number
}

/** Chosen files that can't be used. */
export interface ModelImport {
  failed: { name: string; error: ErrorBody }[]
}

export const contract = {
  app: {
    info: call<void, AppInfo>(),
    infoChanged: event<AppInfo>(),
    /** The first view is on the page: the window can be shown. */
    drawn: call<void, void>(),
    /** Opens one of a fixed set of help pages in the browser. */
    openHelp: call<{ topic: 'keyring' | 'export-h264' | 'project' }, void>(),
    /** Measures this computer again, once no swap runs on it. */
    measure: call<void, void>(),
    stopMeasuring: call<void, void>(),
    copyText: call<{ text: string }, void>(),
    /** The licences of all components, as one text. */
    licences: call<void, { text: string }>(),
    notices: call<void, Notice[]>(),
    noticesChanged: event<Notice[]>(),
    dismissNotice: call<{ id: string }, void>(),
    /** Retries starting the embedded service now. */
    retryService: call<void, void>(),
    /** Runs an action, by its id, that was chosen in the application menu. */
    command: event<string>(),
    offer: call<MenuOffer, void>(),
    /** Runs an action of the window. */
    runInWindow: call<{ name: WindowAction }, void>(),
    /** Shows a swap, because the user clicked its notification. */
    openTask: event<{ taskId: string }>(),
  },
  intake: {
    /** A face for something else than the composer. Null: the user closed the dialog. */
    chooseFace: call<void, FaceMedia | null>(),
    /** More pictures of the person of a face, also from videos, at most `max`; empty: the user closed the dialog. */
    choosePictures: call<{ faceId: string; max: number }, PictureImport>(),
    /** Finds pictures and videos, also in folders. */
    find: filesCall<FoundFiles>(),
    /** Asks for files, to be read with `foundFace` or `foundVideo`. `mediaSlot`: what the dialog shows; null: both. */
    chooseFiles: call<{ mediaSlot: 'face' | 'video' | null; several: boolean }, FoundFiles>(),
    /** The pictures and videos that the user added last, newest first. */
    recent: call<void, { faces: RecentMedia[]; videos: RecentMedia[] }>(),
    clearRecent: call<void, void>(),
    /** The system asked to open files; `takeOpened` has them. */
    opened: event<void>(),
    /** Files that the system asked to open; each is returned once. Null: none. */
    takeOpened: call<void, FoundFiles | null>(),
    /** Of a video, the face of who fills most of it; a token of its people has theirs. */
    foundFace: call<{ token: string }, FaceFile>(),
    foundVideo: call<{ token: string }, VideoMedia>(),
    /** Accepts a folder if it contains exactly one picture. */
    dropFace: fileCall<FaceFile>(),
    /** What can be pasted; a file is read with `foundFace` or `foundVideo`. Null: nothing. */
    clipboard: call<void, ClipboardContent | null>(),
    /** A consent that was used or has details is not removed, only withdrawn: the face is still confirmed then. */
    confirmFace: call<{ faceId: string; confirmed: boolean }, FaceMedia>(),
    /** The faces as they are now. */
    faces: call<{ faceIds: string[] }, FaceMedia[]>(),
    /** Accepts a folder if it contains exactly one video. */
    dropVideo: fileCall<VideoMedia>(),
    openAddress: call<{ url: string }, VideoMedia>(),
    /** Imports an address that only an online service can open. Nothing is known about the video. */
    useAddress: call<{ url: string }, VideoMedia>(),
    /** Stops the import in progress for a slot, if any. */
    stop: call<{ mediaSlot: 'face' | 'video' }, void>(),
    /** Progress of an import; `share` is 0–1, null if the length is unknown. */
    reading: event<{ mediaSlot: 'face' | 'video'; name: string; share: number | null }>(),
    sample: call<void, { face: FaceMedia; video: VideoMedia; title: string }>(),
    /** Starts the engine early, because an import is likely. */
    expect: call<void, void>(),
    /**
     * Estimated duration of a swap, of a whole video without `range`; null if unknown. `model` is a swap method; `seenMs`:
     * how long all replaced faces together are seen, null if unknown.
     */
    estimate: call<
      { videoId: string; profileId: string; range?: Range; model?: { id: string; seenMs: number | null } },
      Estimate | null
    >(),
  },
  tasks: {
    /** The swaps that may still change, as TaskRow[]. */
    snapshot: call<void, TasksText>(),
    /** As TaskChanges. */
    changed: event<TasksText>(),
    /** A whole swap, as NumberedTask; null if it doesn't exist. */
    get: call<{ taskId: string }, { json: string | null }>(),
    submit: call<Draft, { taskId: string }>(),
    /** Stores all swaps or none, in this order. Returns their numbers. */
    submitAll: call<{ drafts: Draft[] }, { numbers: Uint32Array }>(),
    /** Adds swaps like these with another face, which the user confirmed. At most 10,000; those that can't be made are left. */
    submitAgain: call<{ numbers: Uint32Array; faceId: string }, AddedAgain>(),
    cancel: call<{ taskIds: string[] }, void>(),
    pause: call<{ taskIds: string[] }, void>(),
    resume: call<{ taskIds: string[] }, void>(),
    /** Runs a failed or cancelled swap again with its media, as the same entry. */
    retry: call<{ taskId: string }, void>(),
    /** Resolves an unconfirmed swap. */
    decide: call<{ taskId: string; decision: 'send-again' | 'do-not-send' | 'give-id'; objectId?: string }, void>(),
    /** `withFile`: rename the result's file, too. */
    rename: call<{ taskId: string; title: string; withFile: boolean }, void>(),
    /** Moves a swap in the queue of its service; `before` is another swap of that queue. */
    move: call<{ taskId: string; to: 'first' | 'up' | 'down' | 'last' | { before: string } }, void>(),
    /** False: the user closed the dialog. */
    /** Null: the user chose no file. */
    saveAs: call<{ taskId: string }, { fileName: string; folderName: string } | null>(),
    /** Shows the file that `saveAs` saved last. */
    showSaved: call<{ taskId: string }, void>(),
    /**
     * Saves the frame at `time`, in seconds in the file of that side, as PNG. False: the user closed the dialog.
     */
    saveFrame: call<{ taskId: string; side: 'before' | 'after'; time: number }, { saved: boolean }>(),
    showInFolder: call<{ taskId: string }, void>(),
    /** The service's last response, as JSON text; null before the first. */
    record: call<{ taskId: string }, { json: string | null }>(),
    /** Reports the open task page, so that its swap is updated more often. */
    looking: call<{ taskId: string | null }, void>(),
  },
  /** What happens when all swaps are finished, in this run. */
  queue: {
    whenDone: call<void, WhenDone>(),
    whenDoneChanged: event<WhenDone>(),
    chooseWhenDone: call<{ action: DoneAction }, void>(),
    /** Cancels a sleep that is about to begin. */
    cancelSleep: call<void, void>(),
  },
  /** Parts of finished swaps that are swapped again, and the files before. */
  versions: {
    /** Resolves when the new file is in its place, with the number of its version. */
    make: call<{ taskId: string; change: PartChange }, { number: number }>(),
    /** Cancels what waits or works for a swap. */
    stop: call<{ taskId: string }, void>(),
    /** Puts an older, or a newer, version in the place of the current one. */
    goBack: call<{ taskId: string; number: number }, void>(),
    progress: event<PartProgress>(),
  },
  library: {
    view: call<LibraryQuery, LibraryView>(),
    /** Swaps by number, as TaskRow[] in no particular order. */
    rows: call<{ numbers: Uint32Array }, { json: string }>(),
    /** Sets by number, as SetRow[] in no particular order. */
    sets: call<{ numbers: Uint32Array }, { json: string }>(),
    /** Removes swaps from the library; they are deleted for good after the next start. Result files stay. */
    remove: call<{ numbers: Uint32Array }, Removed>(),
    restore: call<{ numbers: Uint32Array }, void>(),
    facets: call<void, LibraryFacets>(),
    /** Adds and removes tags, all or none. Answers the changes that undo it. */
    tag: call<{ changes: TagChange[] }, TagChange[]>(),
    /** The tags of these swaps, with the number of swaps. */
    tagsOf: call<{ numbers: Uint32Array }, LibraryFacets['tags']>(),
    /** Answers which swaps changed. */
    setFavourite: call<{ numbers: Uint32Array; favourite: boolean }, Uint32Array>(),
    note: call<{ number: number }, { note: string }>(),
    /** Answers the note before. */
    setNote: call<{ number: number; note: string }, { before: string }>(),
  },
  /** Files of finished swaps. */
  results: {
    /** Copies them into a folder that the user chooses. Null: the user closed the dialog. */
    saveCopies: call<{ numbers: Uint32Array }, FileOutcome | null>(),
    /** Moves them to the system's trash and removes the swaps. If a file can't be moved, its swap stays, too. */
    trash: call<{ numbers: Uint32Array }, FileOutcome>(),
    /** Stops copying or moving after the current file. */
    stop: call<void, void>(),
    progress: event<FileProgress>(),
    /** Opens a file in the system's default program. */
    open: call<{ taskId: string }, void>(),
    copyFiles: call<{ numbers: Uint32Array }, { count: number }>(),
    copyPaths: call<{ numbers: Uint32Array }, { count: number }>(),
    /** Begins to drag the files to another program. */
    drag: call<{ numbers: Uint32Array; icon: DragIcon | null }, void>(),
  },
  /** Who said that faces may be used. A face is a SHA-256, see `ConsentView`. */
  consents: {
    list: call<void, ConsentView[]>(),
    changed: event<void>(),
    /** Who gives consents unless another name is entered. */
    defaultName: call<void, { name: string }>(),
    /** What is known of the consents for these pictures, by media id; null: there is none yet. */
    of: call<{ faceIds: string[] }, (ConsentView | null)[]>(),
    /** Null: the user closed the dialog. */
    chooseRelease: call<void, ReleaseChoice | null>(),
    dropRelease: fileCall<ReleaseChoice>(),
    /**
     * Gives the consents for faces, by hash or by media id, or changes them. `release`: the token of a chosen file; null:
     * none; without it: as before.
     */
    save: call<ConsentDetails & { faces: string[]; release?: string | null }, void>(),
    /** Ids of the swaps that had not started and were ended. */
    withdraw: call<{ face: string }, { taskIds: string[] }>(),
    /** Takes a withdrawal back; retries the swaps that it ended. */
    restore: call<{ face: string; taskIds: string[] }, void>(),
    /** Gives the consent for a face whose consent was withdrawn again. */
    giveAgain: call<{ face: string }, void>(),
    /** Opens the copy of a release, or shows it in its folder if it could be a program. */
    openRelease: call<{ face: string }, void>(),
    /** Empty: all. False: the user closed the dialog. */
    exportFile: call<{ faces: string[]; format: ConsentFormat }, { saved: boolean }>(),
  },
  /** Models that the user adds as swap methods. */
  models: {
    list: call<void, ModelView[]>(),
    changed: event<ModelView[]>(),
    /** Copies the files that the user chooses. None failed if the user closed the dialog. */
    choose: call<void, ModelImport>(),
    drop: fileCall<void>(),
    /** The user knows that the licence allows the use. */
    confirmLicence: call<{ id: string }, void>(),
    /** Runs the model on a fixed input. */
    check: call<{ id: string }, void>(),
    remove: call<{ id: string }, void>(),
  },
  /** The people in a video of the composer. */
  people: {
    /** What is known about them; the scan starts, or continues, if it isn't complete. */
    of: call<{ videoId: string }, VideoPeople>(),
    /** Ends the scan, for a video that left the composer. */
    stop: call<{ videoId: string }, void>(),
    changed: event<VideoPeople>(),
    /** Where faces are in the clips of a complete scan, else none: `[ms, x, y, size]` of each place in a row. */
    places: call<{ videoId: string }, { clips: { id: number; places: Int32Array }[] }>(),
    /** Replaces all people and splits. Kept for the video's content. Clips that nobody has are not a person. */
    correct: call<{ videoId: string; people: Person[]; splits: Split[] }, VideoPeople>(),
    /** Drops all corrections. */
    reset: call<{ videoId: string }, VideoPeople>(),
  },
  /** Swaps of the hardest parts of the composer's video, on this computer only. */
  proof: {
    /** Begins a proof, in place of the one before. `changed` has its state, with this id. */
    begin: call<{ id: string; draft: Draft }, void>(),
    /** Ends the proof; its files are removed. */
    stop: call<void, void>(),
    changed: event<ProofState>(),
  },
  /** Who signs the results. */
  signing: {
    view: call<void, SigningView>(),
    /**
     * Signs with an organisation's certificate. Null asks for a file; a password is for the file that was chosen last.
     * Answers null if the user closed the dialog.
     */
    useCertificate: call<{ passphrase: string | null }, SigningView | null>(),
    /** Signs with the key of this copy of Mien again. */
    useOwn: call<void, SigningView>(),
  },
  /** The credentials of any file. One file at a time: each takes the place of the one before. */
  credentials: {
    /** Takes a file that the user dropped. */
    drop: fileCall<GivenFile>(),
    /** Null: the user closed the dialog. */
    choose: call<void, GivenFile | null>(),
    /** Takes the file of a finished swap. */
    ofSwap: call<{ taskId: string }, GivenFile>(),
    /** Reads the whole file. */
    verify: call<{ token: string }, VerifiedFile>(),
    /** Forgets the file. */
    leave: call<void, void>(),
  },
  settings: {
    get: call<void, Settings>(),
    set: call<Partial<Settings>, Settings>(),
    changed: event<Settings>(),
    resultsFolder: call<void, ResultsFolder>(),
    chooseResultsFolder: call<void, ResultsFolder | null>(),
    showResultsFolder: call<void, void>(),
    /** Exports settings and services, without keys, to a file the user chooses. False: the user closed the dialog. */
    exportFile: call<void, { saved: boolean }>(),
    /** Null: the user closed the dialog. */
    importFile: call<void, ImportReport | null>(),
  },
  /** Presets as files. The presets themselves are in the settings. */
  presets: {
    /** False: the user closed the dialog. */
    exportFile: call<{ id: string }, { saved: boolean }>(),
    /** Adds the preset in a file. Null: the user closed the dialog. */
    importFile: call<void, Preset | null>(),
    drop: fileCall<Preset>(),
  },
  updates: {
    state: call<void, UpdateState>(),
    changed: event<UpdateState>(),
    check: call<void, void>(),
    download: call<void, void>(),
    /** Restarts into the new version, after a swap running here has ended. */
    restart: call<void, void>(),
  },
  diagnostics: {
    /** Collects diagnostics without secrets; `save` writes exactly these. `codecs`: what this page supports. */
    collect: call<{ codecs: Record<string, boolean> }, DiagnosticsFile[]>(),
    save: call<void, { saved: boolean }>(),
  },
  profiles: {
    list: call<void, ProfileView[]>(),
    changed: event<ProfileView[]>(),
    save: call<ProfileInput, ProfileView>(),
    /**
     * Adds the service of a pairing code, or updates the one with this address; `keep`: see `setKey`. Fails with
     * `pairing-invalid`. For a server that was `found`, the code must be for it, or may be a key.
     */
    pair: call<{ code: string; keep: 'keychain' | 'session'; found?: FoundServer }, ProfileView>(),
    /** Searches the local network for some seconds. */
    findNearby: call<void, void>(),
    foundNearby: event<FoundServer>(),
    remove: call<{ profileId: string }, void>(),
    test: call<{ profileId: string }, ConnectionReport>(),
    /** `session`: kept in memory until Mien quits. `keychain` fails with `no-keychain` if there is none. */
    /** `another`: adds the key and makes it active; otherwise it replaces the active one. */
    setKey: call<{ profileId: string; key: string; keep: 'keychain' | 'session'; another?: boolean }, ProfileView>(),
    /** Deletes a key; without `keyId` the active one. */
    clearKey: call<{ profileId: string; keyId?: string }, ProfileView>(),
    useKey: call<{ profileId: string; keyId: string }, ProfileView>(),
    /** Sets the value of the admin header, stored in the keychain; null deletes it. */
    setAdmin: call<{ profileId: string; value: string | null }, ProfileView>(),
    /** Pauses or resumes sending to this service. */
    pause: call<{ profileId: string; paused: boolean }, ProfileView>(),
    /** Sets the meaning of a status word of this service; null deletes it. */
    mapWord: call<{ profileId: string; word: string; meaning: StatusMeaning | null }, ProfileView>(),
  },
  /** Upload target for local files, for services that only accept addresses. */
  uploads: {
    get: call<{ profileId: string }, UploadTargetView | null>(),
    /** `credentials` null: unchanged. Only the access key's id is returned. */
    save: call<
      { profileId: string; target: UploadTarget; credentials: UploadCredentials | null },
      UploadTargetView | null
    >(),
    remove: call<{ profileId: string }, void>(),
    /** Uploads, downloads and deletes a small file. */
    test: call<{ profileId: string }, { error: ErrorBody | null }>(),
  },
  /** Keys of a user at a service, managed with its key operations. */
  keys: {
    list: call<{ profileId: string; userId: string }, ServiceKeyView[]>(),
    /** Main stores the new key in the keychain and shows it once. It isn't returned. */
    make: call<{ profileId: string; userId: string }, { lastFour: string }>(),
    revoke: call<{ profileId: string; row: string }, void>(),
  },
} as const

export type Contract = typeof contract
export type Group = keyof Contract

/** The preload's `window.mien`. Results have their envelope, because an Error would lose its type on the bridge. */
export type RawBridge = {
  readonly [G in Group]: { readonly [M in keyof Contract[G]]: Member<Contract[G][M], true> }
}

/** The studio's view of the contract: failures are thrown as MienError (see renderer/studio/bridge.ts). */
export type Bridge = {
  readonly [G in Group]: { readonly [M in keyof Contract[G]]: Member<Contract[G][M], false> }
}
