/**
 * @file Settings and profiles in `settings.json` (electron-store). Each section is validated on read: an invalid value
 * is replaced by its default, a copy of the file is kept and the user is notified. A file of a newer Mien is refused
 * unchanged. Policy values override the user's values without changing them. Keys are never stored here.
 */
import { randomUUID } from 'node:crypto'
import { copyFileSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import ElectronStore from 'electron-store'
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import { measurementSchema, type Measurement } from '@shared/engine/benchmark.ts'
import { uploadTargetSchema, type UploadTarget } from '@shared/service/upload-target.ts'
import { maxPresets } from '@shared/settings/presets.ts'
import { settingsSchema, type ImportReport, type LockedSetting, type Settings } from '@shared/settings/settings.ts'
import { isSamePlace, placeProfiles, readExport, type Exchanged } from './exchange.ts'
import { isKept, isObject, migrateSettings, settingsVersion, versionOf } from './migrate-settings.ts'
import { storedProfileSchema, type StoredProfile } from '@shared/service/profile.ts'
import { serviceNotesSchema, type ServiceNotes } from './stored-profile.ts'

const windowSchema = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int(), maximized: z.boolean() })
export type WindowPlace = z.infer<typeof windowSchema>

const recentFileSchema = z.object({
  kind: z.enum(['face', 'video']),
  path: z.string().min(1),
  /** Media id of a small picture of it. */
  pictureId: z.string(),
})
export type RecentFile = z.infer<typeof recentFileSchema>

const fileSchema = z.object({
  /** Format version of this file; see migrate-settings.ts. */
  version: z.literal(settingsVersion),
  /** Distinguishes the keychain entries of different data folders. */
  install: z
    .string()
    .min(8)
    .catch(() => randomUUID()),
  settings: settingsSchema.catch(() => settingsSchema.parse({})),
  profiles: z.array(storedProfileSchema.nullable().catch(null)).catch([]),
  /** Notes about services, by id. */
  notes: z
    .record(
      z.string(),
      serviceNotesSchema.catch(() => serviceNotesSchema.parse({})),
    )
    .catch({}),
  /** Upload targets of services that only accept URLs, by id. */
  uploadTargets: z.record(z.string(), uploadTargetSchema.nullable().catch(null)).catch({}),
  /** Null: the default, "Mien" in the user's videos folder. */
  resultsFolder: z.string().nullable().catch(null),
  window: windowSchema.nullable().catch(null),
  recentFiles: z.array(recentFileSchema.nullable().catch(null)).catch([]),
  /** Measurement of this computer. */
  machine: measurementSchema.nullable().catch(null),
})

type File = z.infer<typeof fileSchema>

/** The values of a policy that replace settings. */
export interface PolicySettings {
  profiles: StoredProfile[]
  /** Upload targets of services that only accept URLs, by id. */
  uploadTargets: Readonly<Record<string, UploadTarget>>
  /** Null: not set, the user chooses. */
  resultsFolder: string | null
  /** What isn't there, the user chooses. The label is that of every swap on this computer. */
  settings: Partial<Pick<Settings, Exclude<LockedSetting, 'resultsFolder'>>>
}

export class SettingsStore {
  /** Null in read-only mode (another Mien may be open): changes are not saved. */
  private readonly store: ElectronStore | null
  private file: File
  /** Whether something in the file was invalid at this start. */
  readonly isDamaged: boolean
  /** File name of the copy of a damaged file; null if there is none. */
  readonly backup: string | null

  /** @throws MienError `data-newer` */
  constructor(
    dir: string,
    now: number,
    private readonly policy: Partial<PolicySettings> = {},
    readOnly = false,
  ) {
    const path = join(dir, 'settings.json')
    const raw = readRaw(path)
    const version = versionOf(raw ?? {})
    if (version > settingsVersion) throw new MienError('data-newer', { data: 'settings' })
    const migrated = migrateSettings(raw ?? {})
    // Without compiling the schema, which takes longer than what it saves when it is used once.
    this.file = fileSchema.parse(migrated, { jitless: true })
    this.isDamaged = raw === null || !isKept(migrated, this.file)
    this.backup = this.isDamaged && !readOnly ? `settings.broken-${String(now)}.json` : null
    if (this.backup !== null) {
      const copy = join(dir, this.backup)
      // electron-store can't open a file that is not JSON.
      if (raw === null) renameSync(path, copy)
      else copyFileSync(path, copy)
    } else if (!readOnly && version > 0 && version < settingsVersion) {
      copyFileSync(path, join(dir, `settings.json.v${String(version)}-backup`))
    }
    this.store = readOnly
      ? null
      : new ElectronStore({ cwd: dir, name: 'settings', accessPropertiesByDotNotation: false })
    if (!isDeepStrictEqual(raw, this.file)) this.write({})
  }

  get install(): string {
    return this.file.install
  }

  /** Effective settings: the user's, overridden by policy. */
  get settings(): Settings {
    return { ...this.file.settings, ...this.policy.settings }
  }

  get locked(): LockedSetting[] {
    const { resultsFolder = null, settings = {} } = this.policy
    // Safe: a policy has no others.
    const names = Object.keys(settings) as LockedSetting[]
    return resultsFolder === null ? names : ['resultsFolder', ...names]
  }

  /** Ignores invalid and locked values. */
  set(patch: Partial<Settings>): Settings {
    const free = Object.entries(patch).filter(([name]) => !this.locked.some((locked) => locked === name))
    this.write({ settings: settingsSchema.parse({ ...this.file.settings, ...Object.fromEntries(free) }) })
    return this.settings
  }

  /** Services set by policy. */
  get presetProfiles(): readonly StoredProfile[] {
    return this.policy.profiles ?? []
  }

  /** Data for an export, without policy values. */
  get exchanged(): Exchanged {
    const { settings, resultsFolder, uploadTargets } = this.file
    return { settings, profiles: this.profiles, uploadTargets, resultsFolder }
  }

  /**
   * Imports the valid parts of a file. A service whose id exists with another address or certificate is added as a new
   * one, because the stored key must not be sent there. An existing upload target is kept if the imported one differs,
   * and so are presets that the file doesn't have.
   * @throws MienError `import-foreign`, `data-newer`
   */
  import(text: string, name: string): ImportReport {
    const imported = readExport(text, name, this.locked)
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
    const { presets = [] } = imported.settings
    const others = this.file.settings.presets.filter(({ id }) => !presets.some((preset) => preset.id === id))
    const all = [...others, ...presets]
    if (all.length > maxPresets) leftOut.push('presets')
    const folderThere = resultsFolder !== null && isFolder(resultsFolder)
    if (resultsFolder !== null && !folderThere) leftOut.push('resultsFolder')
    this.write({
      settings: settingsSchema.parse({ ...this.file.settings, ...settings, presets: all.slice(0, maxPresets) }),
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

  /** Null deletes them. */
  setNotes(profileId: string, notes: ServiceNotes | null): void {
    const rest = Object.fromEntries(Object.entries(this.file.notes).filter(([id]) => id !== profileId))
    this.write({ notes: notes === null ? rest : { ...rest, [profileId]: notes } })
  }

  uploadTarget(profileId: string): UploadTarget | null {
    return this.policy.uploadTargets?.[profileId] ?? this.file.uploadTargets[profileId] ?? null
  }

  isUploadTargetLocked(profileId: string): boolean {
    return profileId in (this.policy.uploadTargets ?? {})
  }

  /** Null deletes it. Locked targets don't change. */
  setUploadTarget(profileId: string, target: UploadTarget | null): void {
    if (this.isUploadTargetLocked(profileId)) return
    const rest = Object.fromEntries(Object.entries(this.file.uploadTargets).filter(([id]) => id !== profileId))
    this.write({ uploadTargets: target === null ? rest : { ...rest, [profileId]: target } })
  }

  get resultsFolder(): string | null {
    return this.policy.resultsFolder ?? this.file.resultsFolder
  }

  get measurement(): Measurement | null {
    return this.file.machine
  }

  get window(): WindowPlace | null {
    return this.file.window
  }

  get recentFiles(): RecentFile[] {
    return this.file.recentFiles.filter((file) => file !== null)
  }

  /** Stores what isn't a setting of the user's. */
  keep(patch: Partial<Pick<File, 'resultsFolder' | 'machine' | 'window' | 'recentFiles'>>): void {
    this.write(patch)
  }

  private write(patch: Partial<File>): void {
    this.file = { ...this.file, ...patch }
    if (this.store) this.store.store = this.file
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Content of the file; {} if there is none. Null: not a JSON object. Throws other file system errors. */
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
