/**
 * @file The IPC contract between the studio window and the main process: one table, group → method → call, file call
 * or event. The preload derives the bridge from it. Main's handlers are a mapped type over it, so a missing one doesn't
 * compile. What a call takes is in arguments.ts.
 *
 * Every call takes one argument object (or nothing) and returns an Envelope. The renderer never sends paths: a
 * `fileCall` takes a File that the user dropped, and the preload converts it to a path. `filesCall` takes several.
 */
import type { z } from 'zod'
import type { AppInfo, DiagnosticsFile, Notice, UpdateState, WhenDone } from './app-state.ts'
import type { Schemas } from './arguments.ts'
import { call, event, fileCall, filesCall, type Member } from './calls.ts'
import type { ConsentView, ReleaseChoice } from '../tasks/consent.ts'
import type { ErrorBody } from '../errors.ts'
import type { Estimate } from '../tasks/estimated.ts'
import type { FileOutcome, FileProgress } from '../files/file-outcome.ts'
import type { ClipboardContent, FaceFile, FoundFiles, PictureImport, RecentMedia } from './intake.ts'
import type { LibraryFacets, LibraryView, Removed, TagChange } from '../tasks/library-view.ts'
import type { ModelView } from '../engine/models.ts'
import type { PartProgress } from '../people/part-progress.ts'
import type { Preset } from '../settings/presets.ts'
import type { VideoPeople } from '../people/people.ts'
import type { ProofState } from '../people/proof.ts'
import type { ConnectionReport, FoundServer, ProfileView, ServiceKeyView } from '../service/profile.ts'
import type { ImportReport, ResultsFolder, Settings } from '../settings/settings.ts'
import type { FaceMedia, VideoMedia } from '../tasks/task.ts'
import type { TasksText } from '../tasks/task-row.ts'
import type { UploadTargetView } from '../service/upload-target.ts'
import type { GivenFile, SigningView, VerifiedFile } from '../files/verification.ts'

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
    info: call<AppInfo>(),
    infoChanged: event<AppInfo>(),
    /** The first view is on the page: the window can be shown. */
    drawn: call<void>(),
    /** Its first frame is on the screen. */
    painted: call<void>(),
    /** Opens one of a fixed set of help pages in the browser. */
    openHelp: call<void>(),
    /** Measures this computer again, once no swap runs on it. */
    measure: call<void>(),
    stopMeasuring: call<void>(),
    copyText: call<void>(),
    /** The licences of all components, as one text. */
    licences: call<{ text: string }>(),
    notices: call<Notice[]>(),
    noticesChanged: event<Notice[]>(),
    dismissNotice: call<void>(),
    /** Retries starting the embedded service now. */
    retryService: call<void>(),
    /** Runs an action, by its id, that was chosen in the application menu. */
    command: event<string>(),
    offer: call<void>(),
    /** Runs an action of the window. */
    runInWindow: call<void>(),
    /** Shows a swap, because the user clicked its notification. */
    openTask: event<{ taskId: string }>(),
  },
  intake: {
    /** A face for something else than the composer. Null: the user closed the dialog. */
    chooseFace: call<FaceMedia | null>(),
    /** More pictures of the person of a face, also from videos, at most `max`; empty: the user closed the dialog. */
    choosePictures: call<PictureImport>(),
    /** Finds pictures and videos, also in folders. */
    find: filesCall<FoundFiles>(),
    /** Asks for files, to be read with `foundFace` or `foundVideo`. `mediaSlot`: what the dialog shows; null: both. */
    chooseFiles: call<FoundFiles>(),
    /** The pictures and videos that the user added last, newest first. */
    recent: call<{ faces: RecentMedia[]; videos: RecentMedia[] }>(),
    clearRecent: call<void>(),
    /** The system asked to open files; `takeOpened` has them. */
    opened: event<void>(),
    /** Files that the system asked to open; each is returned once. Null: none. */
    takeOpened: call<FoundFiles | null>(),
    /** Of a video, the face of who fills most of it; a token of its people has theirs. */
    foundFace: call<FaceFile>(),
    foundVideo: call<VideoMedia>(),
    /** Accepts a folder if it contains exactly one picture. */
    dropFace: fileCall<FaceFile>(),
    /** What can be pasted; a file is read with `foundFace` or `foundVideo`. Null: nothing. */
    clipboard: call<ClipboardContent | null>(),
    /** A consent that was used or has details is not removed, only withdrawn: the face is still confirmed then. */
    confirmFace: call<FaceMedia>(),
    /** The faces as they are now. */
    faces: call<FaceMedia[]>(),
    /** Accepts a folder if it contains exactly one video. */
    dropVideo: fileCall<VideoMedia>(),
    openAddress: call<VideoMedia>(),
    /** Imports an address that only an online service can open. Nothing is known about the video. */
    useAddress: call<VideoMedia>(),
    /** Stops the import in progress for a slot, if any. */
    stop: call<void>(),
    /** How much of a linked video is downloaded, 0–1; null if its length is unknown. */
    downloading: event<{ share: number | null }>(),
    sample: call<{ face: FaceMedia; video: VideoMedia; title: string }>(),
    /** Starts the engine early, because an import is likely. */
    expect: call<void>(),
    /**
     * Estimated duration of a swap, of a whole video without `range`; null if unknown. `model` is a swap method; `seenMs`:
     * how long all replaced faces together are seen, null if unknown.
     */
    estimate: call<Estimate | null>(),
  },
  tasks: {
    /** The swaps that may still change, as TaskRow[]. */
    snapshot: call<TasksText>(),
    /** As TaskChanges. */
    changed: event<TasksText>(),
    /** A whole swap, as NumberedTask; null if it doesn't exist. */
    get: call<{ json: string | null }>(),
    submit: call<{ taskId: string }>(),
    /** Stores all swaps or none, in this order. Returns their numbers. */
    submitAll: call<{ numbers: Uint32Array }>(),
    /** Adds swaps like these with another face, which the user confirmed. At most 10,000; those that can't be made are left. */
    submitAgain: call<AddedAgain>(),
    cancel: call<void>(),
    pause: call<void>(),
    resume: call<void>(),
    /** Runs a failed or cancelled swap again with its media, as the same entry. */
    retry: call<void>(),
    /** Resolves an unconfirmed swap. */
    decide: call<void>(),
    /** `withFile`: rename the result's file, too. */
    rename: call<void>(),
    /** Moves a swap in the queue of its service; `before` is another swap of that queue. */
    move: call<void>(),
    /** False: the user closed the dialog. */
    /** Null: the user chose no file. */
    saveAs: call<{ fileName: string; folderName: string } | null>(),
    /** Shows the file that `saveAs` saved last. */
    showSaved: call<void>(),
    /**
     * Saves the frame at `time`, in seconds in the file of that side, as PNG. False: the user closed the dialog.
     */
    saveFrame: call<{ saved: boolean }>(),
    showInFolder: call<void>(),
    /** The service's last response, as JSON text; null before the first. */
    record: call<{ json: string | null }>(),
    /** Reports the open task page, so that its swap is updated more often. */
    looking: call<void>(),
  },
  /** What happens when all swaps are finished, in this run. */
  queue: {
    whenDone: call<WhenDone>(),
    whenDoneChanged: event<WhenDone>(),
    chooseWhenDone: call<void>(),
    /** Cancels a sleep that is about to begin. */
    cancelSleep: call<void>(),
  },
  /** Parts of finished swaps that are swapped again, and the files before. */
  versions: {
    /** Resolves when the new file is in its place, with the number of its version. */
    make: call<{ number: number }>(),
    /** Cancels what waits or works for a swap. */
    stop: call<void>(),
    /** Puts an older, or a newer, version in the place of the current one. */
    goBack: call<void>(),
    progress: event<PartProgress>(),
  },
  library: {
    view: call<LibraryView>(),
    /** Swaps by number, as TaskRow[] in no particular order. */
    rows: call<{ json: string }>(),
    /** Sets by number, as SetRow[] in no particular order. */
    sets: call<{ json: string }>(),
    /** Removes swaps from the library; they are deleted for good after the next start. Result files stay. */
    remove: call<Removed>(),
    restore: call<void>(),
    facets: call<LibraryFacets>(),
    /** Adds and removes tags, all or none. Answers the changes that undo it. */
    tag: call<TagChange[]>(),
    /** The tags of these swaps, with the number of swaps. */
    tagsOf: call<LibraryFacets['tags']>(),
    /** Answers which swaps changed. */
    setFavourite: call<Uint32Array>(),
    note: call<{ note: string }>(),
    /** Answers the note before. */
    setNote: call<{ before: string }>(),
  },
  /** Files of finished swaps. */
  results: {
    /** Copies them into a folder that the user chooses. Null: the user closed the dialog. */
    saveCopies: call<FileOutcome | null>(),
    /** Moves them to the system's trash and removes the swaps. If a file can't be moved, its swap stays, too. */
    trash: call<FileOutcome>(),
    /** Stops copying or moving after the current file. */
    stop: call<void>(),
    progress: event<FileProgress>(),
    /** Opens a file in the system's default program. */
    open: call<void>(),
    copyFiles: call<{ count: number }>(),
    copyPaths: call<{ count: number }>(),
    /** Begins to drag the files to another program. */
    drag: call<void>(),
  },
  /** Who said that faces may be used. A face is a SHA-256, see `ConsentView`. */
  consents: {
    list: call<ConsentView[]>(),
    changed: event<void>(),
    /** Who gives consents unless another name is entered. */
    defaultName: call<{ name: string }>(),
    /** What is known of the consents for these pictures, by media id; null: there is none yet. */
    of: call<(ConsentView | null)[]>(),
    /** Null: the user closed the dialog. */
    chooseRelease: call<ReleaseChoice | null>(),
    dropRelease: fileCall<ReleaseChoice>(),
    /**
     * Gives the consents for faces, by hash or by media id, or changes them. `release`: the token of a chosen file; null:
     * none; without it: as before.
     */
    save: call<void>(),
    /** Ids of the swaps that had not started and were ended. */
    withdraw: call<{ taskIds: string[] }>(),
    /** Takes a withdrawal back; retries the swaps that it ended. */
    restore: call<void>(),
    /** Gives the consent for a face whose consent was withdrawn again. */
    giveAgain: call<void>(),
    /** Opens the copy of a release, or shows it in its folder if it could be a program. */
    openRelease: call<void>(),
    /** Empty: all. False: the user closed the dialog. */
    exportFile: call<{ saved: boolean }>(),
  },
  /** Models that the user adds as swap methods. */
  models: {
    list: call<ModelView[]>(),
    changed: event<ModelView[]>(),
    /** Copies the files that the user chooses. None failed if the user closed the dialog. */
    choose: call<ModelImport>(),
    drop: fileCall<void>(),
    /** The user knows that the licence allows the use. */
    confirmLicence: call<void>(),
    /** Runs the model on a fixed input. */
    check: call<void>(),
    remove: call<void>(),
  },
  /** The people in a video of the composer. */
  people: {
    /** What is known about them; the scan starts, or continues, if it isn't complete. */
    of: call<VideoPeople>(),
    /** Ends the scan, for a video that left the composer. */
    stop: call<void>(),
    changed: event<VideoPeople>(),
    /** Where faces are in the clips of a complete scan, else none: `[ms, x, y, size]` of each place in a row. */
    places: call<{ clips: { id: number; places: Int32Array }[] }>(),
    /** Replaces all people and splits. Kept for the video's content. Clips that nobody has are not a person. */
    correct: call<VideoPeople>(),
    /** Drops all corrections. */
    reset: call<VideoPeople>(),
  },
  /** Swaps of the hardest parts of the composer's video, on this computer only. */
  proof: {
    /** Begins a proof, in place of the one before. `changed` has its state, with this id. */
    begin: call<void>(),
    /** Ends the proof; its files are removed. */
    stop: call<void>(),
    changed: event<ProofState>(),
  },
  /** Who signs the results. */
  signing: {
    view: call<SigningView>(),
    /**
     * Signs with an organisation's certificate. Null asks for a file; a password is for the file that was chosen last.
     * Answers null if the user closed the dialog.
     */
    useCertificate: call<SigningView | null>(),
    /** Signs with the key of this copy of Mien again. */
    useOwn: call<SigningView>(),
  },
  /** The credentials of any file. One file at a time: each takes the place of the one before. */
  credentials: {
    /** Takes a file that the user dropped. */
    drop: fileCall<GivenFile>(),
    /** Null: the user closed the dialog. */
    choose: call<GivenFile | null>(),
    /** Takes the file of a finished swap. */
    ofSwap: call<GivenFile>(),
    /** Reads the whole file. */
    verify: call<VerifiedFile>(),
    /** Forgets the file. */
    leave: call<void>(),
  },
  settings: {
    get: call<Settings>(),
    set: call<Settings>(),
    changed: event<Settings>(),
    resultsFolder: call<ResultsFolder>(),
    chooseResultsFolder: call<ResultsFolder | null>(),
    showResultsFolder: call<void>(),
    /** Exports settings and services, without keys, to a file the user chooses. False: the user closed the dialog. */
    exportFile: call<{ saved: boolean }>(),
    /** Null: the user closed the dialog. */
    importFile: call<ImportReport | null>(),
  },
  /** Presets as files. The presets themselves are in the settings. */
  presets: {
    /** False: the user closed the dialog. */
    exportFile: call<{ saved: boolean }>(),
    /** Adds the preset in a file. Null: the user closed the dialog. */
    importFile: call<Preset | null>(),
    drop: fileCall<Preset>(),
  },
  updates: {
    state: call<UpdateState>(),
    changed: event<UpdateState>(),
    check: call<void>(),
    download: call<void>(),
    /** Restarts into the new version, after a swap running here has ended. */
    restart: call<void>(),
  },
  diagnostics: {
    /** Collects diagnostics without secrets; `save` writes exactly these. `codecs`: what this page supports. */
    collect: call<DiagnosticsFile[]>(),
    save: call<{ saved: boolean }>(),
  },
  profiles: {
    list: call<ProfileView[]>(),
    changed: event<ProfileView[]>(),
    save: call<ProfileView>(),
    /**
     * Adds the service of a pairing code, or updates the one with this address; `keep`: see `setKey`. Fails with
     * `pairing-invalid`. For a server that was `found`, the code must be for it, or may be a key.
     */
    pair: call<ProfileView>(),
    /** Searches the local network for some seconds. */
    findNearby: call<void>(),
    foundNearby: event<FoundServer>(),
    remove: call<void>(),
    test: call<ConnectionReport>(),
    /** `session`: kept in memory until Mien quits. `keychain` fails with `no-keychain` if there is none. */
    /** `another`: adds the key and makes it active; otherwise it replaces the active one. */
    setKey: call<ProfileView>(),
    /** Deletes a key; without `keyId` the active one. */
    clearKey: call<ProfileView>(),
    useKey: call<ProfileView>(),
    /** Sets the value of the admin header, stored in the keychain; null deletes it. */
    setAdmin: call<ProfileView>(),
    /** Pauses or resumes sending to this service. */
    pause: call<ProfileView>(),
    /** Sets the meaning of a status word of this service; null deletes it. */
    mapWord: call<ProfileView>(),
  },
  /** Upload target for local files, for services that only accept addresses. */
  uploads: {
    get: call<UploadTargetView | null>(),
    /** `credentials` null: unchanged. Only the access key's id is returned. */
    save: call<UploadTargetView | null>(),
    remove: call<void>(),
    /** Uploads, downloads and deletes a small file. */
    test: call<{ error: ErrorBody | null }>(),
  },
  /** Keys of a user at a service, managed with its key operations. */
  keys: {
    list: call<ServiceKeyView[]>(),
    /** Main stores the new key in the keychain and shows it once. It isn't returned. */
    make: call<{ lastFour: string }>(),
    revoke: call<void>(),
  },
} as const

export type Contract = typeof contract
export type Group = keyof Contract

type SchemaOf<G, M> = G extends keyof Schemas ? (M extends keyof Schemas[G] ? Schemas[G][M] : z.ZodVoid) : z.ZodVoid
/** What a call takes, as main has read it. */
export type Argument<G extends Group, M> = z.output<SchemaOf<G, M>>

type Side<Enveloped extends boolean> = {
  readonly [G in Group]: {
    readonly [M in keyof Contract[G]]: Member<Contract[G][M], z.input<SchemaOf<G, M>>, Enveloped>
  }
}

/** The preload's `window.mien`. Results have their envelope, because an Error would lose its type on the bridge. */
export type RawBridge = Side<true>

/** The studio's view of the contract: failures are thrown as MienError (see renderer/studio/bridge.ts). */
export type Bridge = Side<false>
