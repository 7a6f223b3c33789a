/**
 * @file Settings and profiles in `settings.json` (electron-store). Each section is parsed when it is
 * read: a value that cannot be is replaced by its default, a file that is not JSON is moved aside
 * and the user is told; one of a newer Mien is refused and left alone. What is set up for this computer
 * (policy) lies over the user's own values and leaves them as they are. Keys are never in here.
 */
import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import ElectronStore from 'electron-store'
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import { embeddedProfileId } from '@shared/task.ts'
import { measurementSchema, type Measurement } from '@shared/machine.ts'
import { uploadTargetSchema, type UploadTarget } from '@shared/upload-target.ts'
import type { ImportReport, LockedSetting, Settings } from '@shared/ipc.ts'
import { readExport, type Exchanged } from './exchange.ts'
import { isDiskFull } from '../data/disk-full.ts'
import { noPolicy, type Policy } from '../policy/policy.ts'
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
  notes: z.record(z.string(), serviceNotesSchema).catch({}),
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
  private readonly store: ElectronStore
  private file: File
  /** File name of the copy, when a broken file was moved aside at this start. */
  readonly backup: string | null

  private readonly policy: Policy
  /** Beside a Mien that is open: what is set here is forgotten. */
  private readonly readOnly: boolean

  /** @throws MienError `data-newer` */
  constructor(dir: string, now: number, policy: Policy = noPolicy, readOnly = false) {
    const { store, backup } = openStore(dir, now)
    const version = versionOf(store.store)
    if (version > settingsVersion) throw new MienError('data-newer', { data: 'settings' })
    this.readOnly = readOnly
    if (!readOnly && version > 0 && version < settingsVersion)
      copyFileSync(join(dir, 'settings.json'), join(dir, `settings.json.v${String(version)}-backup`))
    this.store = store
    this.backup = backup
    this.policy = policy
    this.file = fileSchema.parse(migrateSettings(store.store))
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

  /** Takes over what fits; a service that is known by its id is replaced. @throws MienError `import-foreign`, `data-newer` */
  import(text: string, name: string): ImportReport {
    const imported = readExport(text, name, settingsSchema.shape, this.locked)
    const ids = new Set([...imported.profiles, ...this.policy.profiles].map(({ id }) => id))
    this.write({
      settings: settingsSchema.parse({ ...this.file.settings, ...imported.settings }),
      profiles: [...this.profiles.filter(({ id }) => !ids.has(id)), ...imported.profiles],
      uploadTargets: { ...this.file.uploadTargets, ...imported.uploadTargets },
      ...(imported.resultsFolder === null ? {} : { resultsFolder: imported.resultsFolder }),
    })
    return imported.report
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
    if (!this.readOnly) this.store.store = this.file
  }
}

function openStore(dir: string, now: number) {
  const open = () =>
    new ElectronStore<Record<string, unknown>>({ cwd: dir, name: 'settings', accessPropertiesByDotNotation: false })
  try {
    return { store: open(), backup: null }
  } catch (error) {
    const path = join(dir, 'settings.json')
    if (!existsSync(path) || isDiskFull(error)) throw error
    const backup = `settings.broken-${String(now)}.json`
    renameSync(path, join(dir, backup))
    return { store: open(), backup }
  }
}
