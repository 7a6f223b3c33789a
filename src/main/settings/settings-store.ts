/**
 * @file Settings and profiles in `settings.json` (electron-store). Each section is parsed when it is
 * read: a value that cannot be is replaced by its default, a file that is not JSON is moved aside
 * and the user is told. Keys are never in here.
 */
import { randomUUID } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import ElectronStore from 'electron-store'
import { z } from 'zod'
import { embeddedProfileId } from '@shared/task.ts'
import type { Settings } from '@shared/ipc.ts'
import { storedProfileSchema, type StoredProfile } from './profile.ts'

export const settingsSchema = z.object({
  theme: z.enum(['system', 'light', 'dark']).catch('system'),
  libraryView: z.enum(['grid', 'list']).catch('grid'),
  librarySort: z.enum(['newest', 'oldest', 'title']).catch('newest'),
  compareMode: z.enum(['divider', 'side', 'before', 'after']).catch('divider'),
  repeat: z.boolean().catch(false),
  muted: z.boolean().catch(false),
  lastProfileId: z.string().catch(embeddedProfileId),
}) satisfies z.ZodType<Settings>

const windowSchema = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int(), maximized: z.boolean() })
export type WindowPlace = z.infer<typeof windowSchema>

const fileSchema = z.object({
  /** Version of this file's form; see `migrate`. */
  version: z.literal(1).catch(1),
  /** Tells the keychain entries of this data folder from those of another. */
  install: z
    .string()
    .min(8)
    .catch(() => randomUUID()),
  settings: settingsSchema.catch(() => settingsSchema.parse({})),
  profiles: z.array(storedProfileSchema.nullable().catch(null)).catch([]),
  /** Null: the default, "Mien" in the user's videos. */
  resultsFolder: z.string().nullable().catch(null),
  window: windowSchema.nullable().catch(null),
})

type File = z.infer<typeof fileSchema>

/** Brings the form of an older version to the present one. There is one version so far. */
const migrate = (raw: unknown): unknown => raw

export class SettingsStore {
  private readonly store: ElectronStore
  private file: File
  /** File name of the copy, when a broken file was moved aside at this start. */
  readonly backup: string | null

  constructor(dir: string, now: number) {
    const { store, backup } = openStore(dir, now)
    this.store = store
    this.backup = backup
    this.file = fileSchema.parse(migrate(store.store))
    this.write({})
  }

  get install(): string {
    return this.file.install
  }

  get settings(): Settings {
    return this.file.settings
  }

  /** Values that do not fit are ignored. */
  set(patch: Partial<Settings>): Settings {
    this.write({ settings: settingsSchema.parse({ ...this.file.settings, ...patch }) })
    return this.file.settings
  }

  get profiles(): StoredProfile[] {
    return this.file.profiles.filter((profile) => profile !== null)
  }

  setProfiles(profiles: StoredProfile[]): void {
    this.write({ profiles })
  }

  get resultsFolder(): string | null {
    return this.file.resultsFolder
  }

  setResultsFolder(folder: string): void {
    this.write({ resultsFolder: folder })
  }

  get window(): WindowPlace | null {
    return this.file.window
  }

  setWindow(window: WindowPlace): void {
    this.write({ window })
  }

  private write(patch: Partial<File>): void {
    this.file = { ...this.file, ...patch }
    this.store.store = this.file
  }
}

function openStore(dir: string, now: number) {
  const open = () =>
    new ElectronStore<Record<string, unknown>>({ cwd: dir, name: 'settings', accessPropertiesByDotNotation: false })
  try {
    return { store: open(), backup: null }
  } catch (error) {
    const path = join(dir, 'settings.json')
    if (!existsSync(path)) throw error
    const backup = `settings.broken-${String(now)}.json`
    renameSync(path, join(dir, backup))
    return { store: open(), backup }
  }
}
