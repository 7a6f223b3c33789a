/**
 * @file Settings as a file to take elsewhere: without keys, window places and what belongs to this computer. Such a file
 * may come from anybody: it must not lead a kept key or an upload target's credentials to another address. Pure.
 */
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import { uploadTargetSchema, type UploadTarget } from '@shared/upload-target.ts'
import type { LockedSetting, Settings } from '@shared/ipc.ts'
import { embeddedProfileId } from '@shared/task-states.ts'
import { checkedTarget } from '../uploads/endpoint.ts'
import { setUpPrefix } from '../policy/profiles.ts'
import { parseBaseUrl, storedProfileSchema, type StoredProfile } from './profile.ts'

const exportFormat = 1

const fileSchema = z.object({
  app: z.literal('mien'),
  kind: z.literal('settings'),
  format: z.int().min(1),
  settings: z.record(z.string(), z.unknown()),
  profiles: z.array(z.unknown()).default([]),
  uploadTargets: z.record(z.string(), z.unknown()).default({}),
  resultsFolder: z.string().nullable().default(null),
})

export interface Exchanged {
  settings: Settings
  profiles: readonly StoredProfile[]
  /** Where files go, by the ids of services. Their credentials stay in the keychain. */
  uploadTargets: Readonly<Record<string, UploadTarget | null>>
  /** Null: the usual one. */
  resultsFolder: string | null
}

/** The text of an export. */
export function exportText({ settings, profiles, uploadTargets, resultsFolder }: Exchanged): string {
  const file = { app: 'mien', kind: 'settings', format: exportFormat, settings, profiles, uploadTargets, resultsFolder }
  return `${JSON.stringify(file, null, 2)}\n`
}

export interface Imported {
  settings: Partial<Settings>
  profiles: StoredProfile[]
  /** By the ids in the file. */
  uploadTargets: Record<string, UploadTarget>
  /** Absolute, on this computer; whether it is there has not been looked at. */
  resultsFolder: string | null
  /** Names of what was left out. */
  leftOut: string[]
}

/**
 * A service's id is also the name of its keychain entry: one with a separator could name a key of another service, or the
 * credentials of an upload target. Ids of services that are set up for a computer (policy) are not for a file to use.
 */
const isServiceId = (id: string): boolean =>
  /^[A-Za-z0-9-]{1,64}$/.test(id) && id !== embeddedProfileId && !id.startsWith(setUpPrefix)

/**
 * What a file holds that fits. `fields`: schemas of the settings, by name.
 * @throws MienError `import-foreign` (another program's, or no JSON), `data-newer`
 */
export function readExport(
  text: string,
  name: string,
  fields: Readonly<Record<string, z.ZodType>>,
  locked: readonly LockedSetting[],
): Imported {
  const parsed = fileSchema.safeParse(parseJson(text))
  if (!parsed.success) throw new MienError('import-foreign', { name })
  if (parsed.data.format > exportFormat) throw new MienError('data-newer', { data: 'settings' })
  const leftOut: string[] = []
  const settings = Object.entries(parsed.data.settings).filter(([key, value]) => {
    const fits = isKept(fields[key], value) && !locked.some((each) => each === key)
    if (!fits) leftOut.push(key)
    return fits
  })
  const profiles = parsed.data.profiles.flatMap((raw, index): StoredProfile[] => {
    const profile = storedProfileSchema.safeParse(raw)
    if (profile.success && isServiceId(profile.data.id) && addressFits(profile.data)) return [profile.data]
    leftOut.push(`profiles.${String(index)}`)
    return []
  })
  const known = new Set(profiles.map(({ id }) => id))
  const targets = Object.entries(parsed.data.uploadTargets).flatMap(([id, raw]): [string, UploadTarget][] => {
    const target = targetOf(raw)
    if (target !== null && known.has(id)) return [[id, target]]
    if (raw !== null) leftOut.push(`uploadTargets.${id}`)
    return []
  })
  const { resultsFolder } = parsed.data
  const folderFits = resultsFolder !== null && isLocalFolder(resultsFolder) && !locked.includes('resultsFolder')
  if (resultsFolder !== null && !folderFits) leftOut.push('resultsFolder')
  return {
    // Each value was parsed by the schema of its name just above.
    settings: Object.fromEntries(settings),
    profiles,
    uploadTargets: Object.fromEntries(targets),
    resultsFolder: folderFits ? resultsFolder : null,
    leftOut,
  }
}

/** On Windows even a look at a path of another computer would send it the user's login. */
const isLocalFolder = (path: string): boolean => isAbsolute(path) && !/^[\\/]{2}/.test(path)

export interface Placed {
  profiles: StoredProfile[]
  /** Ids here, by the ids in the file. */
  ids: Map<string, string>
  /** Names of services that are known under another address. They were added beside the known ones, without a key. */
  added: string[]
}

/** The services after an import. One that is known by its id and address is replaced. */
export function placeProfiles(
  known: readonly StoredProfile[],
  imported: readonly StoredProfile[],
  makeId: () => string,
): Placed {
  const profiles = [...known]
  const ids = new Map<string, string>()
  const added: string[] = []
  for (const profile of imported) {
    const at = profiles.findIndex(({ id }) => id === profile.id)
    const found = profiles[at]
    if (!found) profiles.push(profile)
    else if (found.baseUrl === profile.baseUrl) profiles[at] = profile
    else {
      // Imported once more, it is there already.
      const twin = profiles.find((each) => each.baseUrl === profile.baseUrl && each.name === profile.name)
      const id = twin?.id ?? makeId()
      if (!twin) profiles.push({ ...profile, id })
      added.push(profile.name)
      ids.set(profile.id, id)
      continue
    }
    ids.set(profile.id, profile.id)
  }
  return { profiles, ids, added }
}

/** Whether what is sent to one goes to the same place as with the other. */
export const isSamePlace = (one: UploadTarget, other: UploadTarget): boolean =>
  one.endpoint === other.endpoint && one.bucket === other.bucket && one.publicUrl === other.publicUrl

/** A setting's schema puts its default in the place of what does not fit. */
const isKept = (schema: z.ZodType | undefined, value: unknown): boolean => schema?.safeParse(value).data === value

/** Null: it does not fit. */
function targetOf(raw: unknown): UploadTarget | null {
  const target = uploadTargetSchema.safeParse(raw)
  try {
    return target.success ? checkedTarget(target.data) : null
  } catch {
    return null
  }
}

function addressFits({ baseUrl, allowHttp }: StoredProfile): boolean {
  try {
    return parseBaseUrl(baseUrl, allowHttp) === baseUrl
  } catch {
    return false
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return null
  }
}
