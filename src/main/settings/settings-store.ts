/**
 * @file Settings and profiles in `settings.json` (electron-store). Each section is parsed when it is
 * read: a value that cannot be is replaced by its default, and a copy of the file is kept and the user is told;
 * one of a newer Mien is refused and left alone. What is set up for this computer
 * (policy) lies over the user's own values and leaves them as they are. Keys are never in here.
 */
import { randomUUID } from 'node:crypto'
import { copyFileSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import ElectronStore from 'electron-store'
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import { embeddedProfileId } from '@shared/task.ts'
import { measurementSchema, type Measurement } from '@shared/machine.ts'
import { uploadTargetSchema, type UploadTarget } from '@shared/upload-target.ts'
import { maxZoom, minZoom, type ImportReport, type LockedSetting, type Settings } from '@shared/ipc.ts'
import { isSamePlace, placeProfiles, readExport, type Exchanged } from './exchange.ts'
import { noPolicy, type Policy } from '../policy/policy.ts'
import { isKept, isObject } from './is-kept.ts'
import { migrateSettings, settingsVersion, versionOf } from './migrate.ts'
import { serviceNotesSchema, type ServiceNotes } from './notes.ts'
import { storedProfileSchema, type StoredProfile } from './profile.ts'

export const settingsSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  libraryView: z.enum(['grid', 'list']).catch('grid'),
  librarySort: z.enum(['newest', 'oldest', 'title']).catch('newest'),
  compareMode: z.enum(['divider', 'side', 'before', 'after']).catch('divider'),
  repeat: z.boolean().catch(false),
  muted: z.boolean().catch(false),
  lastProfileId: z.string().catch(embeddedProfileId),
  updateCheck: z.boolean().catch(true),
  updateDownload: z.boolean().catch(false),
  updateChannel: z.enum(['stable', 'beta']).catch('stable'),
  askBeforeQuit: z.boolean().catch(true),
  zoomFactor: z.number().min(minZoom).max(maxZoom).catch(1),
}) satisfies z.ZodType<Settings>

const windowSchema = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int(), maximized: z.boolean() })
export type WindowPlace = z.infer<typeof windowSchema>

const fileSchema = z.object({
  /** Version of this file's form; see migrate.ts. */
  version: z.literal(settingsVersion),
  /** Tells the keychain entries of this data folder from those of another. */
  install: z
    .string()
    .min(8)
    .catch(() => randomUUID()),
  settings: settingsSchema.catch(() => settingsSchema.parse({})),
  profiles: z.array(storedProfileSchema.nullable().catch(null)).catch([]),
  /** What was learned about services, by their ids. */
  notes: z
    .record(
      z.string(),
      serviceNotesSchema.catch(() => serviceNotesSchema.parse({})),
    )
    .catch({}),
  /** Where local files go for a service that takes addresses only, by its id. */
  uploadTargets: z.record(z.string(), uploadTargetSchema.nullable().catch(null)).catch({}),
  /** Null: the default, "Mien" in the user's videos. */
  resultsFolder: z.string().nullable().catch(null),
  window: windowSchema.nullable().catch(null),
  /** What was measured about this computer. */
  machine: measurementSchema.nullable().catch(null),
})

type File = z.infer<typeof fileSchema>

export class SettingsStore {
  /** Null beside a Mien that is open: what is set here is forgotten. */
  private readonly store: ElectronStore | null
  private file: File
  /** Whether something in the file could not be read at this start. */
  readonly isDamaged: boolean
  /** File name of the copy that was kept of a damaged file. */
  readonly backup: string | null

  private readonly policy: Policy

  /** @throws MienError `data-newer` */
  constructor(dir: string, now: number, policy: Policy = noPolicy, readOnly = false) {
    const path = join(dir, 'settings.json')
    const raw = readRaw(path)
    const version = versionOf(raw ?? {})
    if (version > settingsVersion) throw new MienError('data-newer', { data: 'settings' })
    const migrated = migrateSettings(raw ?? {})
    this.policy = policy
    this.file = fileSchema.parse(migrated)
    this.isDamaged = raw === null || !isKept(migrated, this.file)
    this.backup = this.isDamaged && !readOnly ? `settings.broken-${String(now)}.json` : null
    if (this.backup !== null) {
      const copy = join(dir, this.backup)
      // electron-store opens no file that is not JSON.
      if (raw === null) renameSync(path, copy)
      else copyFileSync(path, copy)
    } else if (!readOnly && version > 0 && version < settingsVersion) {
      copyFileSync(path, join(dir, `settings.json.v${String(version)}-backup`))
    }
    this.store = readOnly
      ? null
      : new ElectronStore({ cwd: dir, name: 'settings', accessPropertiesByDotNotation: false })
    this.write({})
  }

  get install(): string {
    return this.file.install
  }

  /** As they apply: the user's, and over them what is set up for this computer. */
  get settings(): Settings {
    const { updateCheck, updateDownload, updateChannel } = this.policy
    return {
      ...this.file.settings,
      ...(updateCheck === null ? {} : { updateCheck }),
      ...(updateDownload === null ? {} : { updateDownload }),
      ...(updateChannel === null ? {} : { updateChannel }),
    }
  }

  get locked(): LockedSetting[] {
    const names = ['resultsFolder', 'updateCheck', 'updateDownload', 'updateChannel'] as const
    return names.filter((name) => this.policy[name] !== null)
  }

  /** Values that do not fit, and those that are locked, are ignored. */
  set(patch: Partial<Settings>): Settings {
    const free = Object.entries(patch).filter(([name]) => !this.locked.some((locked) => locked === name))
    this.write({ settings: settingsSchema.parse({ ...this.file.settings, ...Object.fromEntries(free) }) })
    return this.settings
  }

  /** Services that are set up for this computer. */
  get presetProfiles(): readonly StoredProfile[] {
    return this.policy.profiles
  }

  /** For an export: without what is set up for this computer. */
  get exchanged(): Exchanged {
    const { settings, resultsFolder, uploadTargets } = this.file
    return { settings, profiles: this.profiles, uploadTargets, resultsFolder }
  }

  /**
   * Takes over what fits. A service that is known under another address is added beside the known one, since the key of
   * that one is not for it; an upload target that differs from the one that is set stays as it is here.
   * @throws MienError `import-foreign`, `data-newer`
   */
  import(text: string, name: string): ImportReport {
    const imported = readExport(text, name, settingsSchema.shape, this.locked)
    const { leftOut, resultsFolder } = imported
    const wanted = imported.profiles.filter(({ id }) => !this.presetProfiles.some((preset) => preset.id === id))
    const { profiles, ids, added } = placeProfiles(this.profiles, wanted, randomUUID)
    const targets = Object.entries(imported.uploadTargets).flatMap(([fileId, target]): [string, UploadTarget][] => {
      const id = ids.get(fileId)
      const known = id === undefined ? null : this.uploadTarget(id)
      if (id !== undefined && (known === null || isSamePlace(known, target))) return [[id, target]]
      leftOut.push(`uploadTargets.${fileId}`)
      return []
    })
    const last = imported.settings.lastProfileId
    const settings = { ...imported.settings, ...(last === undefined ? {} : { lastProfileId: ids.get(last) ?? last }) }
    const folderThere = resultsFolder !== null && isFolder(resultsFolder)
    if (resultsFolder !== null && !folderThere) leftOut.push('resultsFolder')
    this.write({
      settings: settingsSchema.parse({ ...this.file.settings, ...settings }),
      profiles,
      uploadTargets: { ...this.file.uploadTargets, ...Object.fromEntries(targets) },
      ...(folderThere ? { resultsFolder } : {}),
    })
    return { services: wanted.length, added, leftOut }
  }

  get profiles(): StoredProfile[] {
    return this.file.profiles.filter((profile) => profile !== null)
  }

  setProfiles(profiles: StoredProfile[]): void {
    this.write({ profiles })
  }

  notes(profileId: string): ServiceNotes {
    return this.file.notes[profileId] ?? serviceNotesSchema.parse({})
  }

  /** Null forgets them. */
  setNotes(profileId: string, notes: ServiceNotes | null): void {
    const rest = Object.fromEntries(Object.entries(this.file.notes).filter(([id]) => id !== profileId))
    this.write({ notes: notes === null ? rest : { ...rest, [profileId]: notes } })
  }

  uploadTarget(profileId: string): UploadTarget | null {
    return this.policy.uploadTargets[profileId] ?? this.file.uploadTargets[profileId] ?? null
  }

  isUploadTargetLocked(profileId: string): boolean {
    return profileId in this.policy.uploadTargets
  }

  /** Null forgets it. One that is locked stays. */
  setUploadTarget(profileId: string, target: UploadTarget | null): void {
    if (this.isUploadTargetLocked(profileId)) return
    const rest = Object.fromEntries(Object.entries(this.file.uploadTargets).filter(([id]) => id !== profileId))
    this.write({ uploadTargets: target === null ? rest : { ...rest, [profileId]: target } })
  }

  get resultsFolder(): string | null {
    return this.policy.resultsFolder ?? this.file.resultsFolder
  }

  setResultsFolder(folder: string): void {
    this.write({ resultsFolder: folder })
  }

  get machine(): Measurement | null {
    return this.file.machine
  }

  setMachine(machine: Measurement): void {
    this.write({ machine })
  }

  get window(): WindowPlace | null {
    return this.file.window
  }

  setWindow(window: WindowPlace): void {
    this.write({ window })
  }

  private write(patch: Partial<File>): void {
    this.file = { ...this.file, ...patch }
    if (this.store) this.store.store = this.file
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** What is in the file; nothing, where there is none. Null: no JSON object. Other errors of the file system are thrown. */
function readRaw(path: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isObject(parsed) ? parsed : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
}
