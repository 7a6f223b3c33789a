/**
 * @file Export and import of settings, without keys, window positions and machine-specific data. A file may come from
 * anybody: it must not redirect a stored key or an upload target's credentials to another address, or to another
 * certificate. Pure.
 */
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import { uploadTargetSchema, type UploadTarget } from '@shared/service/upload-target.ts'
import { settingsPatchSchema, type LockedSetting, type Settings } from '@shared/settings/settings.ts'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import { parseJson } from '@shared/parse-json.ts'
import { checkedTarget, orNull, parseBaseUrl } from './base-url.ts'
import { storedProfileSchema, type StoredProfile } from '@shared/service/profile.ts'
import { setUpPrefix } from './stored-profile.ts'

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
  /** By service id. Credentials stay in the keychain. */
  uploadTargets: Readonly<Record<string, UploadTarget | null>>
  /** Null: the default folder. */
  resultsFolder: string | null
}

/** An export as indented JSON text. Without who gives consents, who may be another person at another computer. */
export function exportText({
  settings: { consentName: _, ...settings },
  profiles,
  uploadTargets,
  resultsFolder,
}: Exchanged): string {
  const file = { app: 'mien', kind: 'settings', format: exportFormat, settings, profiles, uploadTargets, resultsFolder }
  return `${JSON.stringify(file, null, 2)}\n`
}

export interface Imported {
  settings: Partial<Settings>
  profiles: StoredProfile[]
  /** By the ids in the file. */
  uploadTargets: Record<string, UploadTarget>
  /** An absolute local path; may not exist. */
  resultsFolder: string | null
  /** Names of skipped entries. */
  leftOut: string[]
}

/**
 * A service's id is also the name of its keychain entry: with a separator it could refer to another service's key or an
 * upload target's credentials. Ids of services set by policy are reserved.
 */
const isServiceId = (id: string): boolean =>
  /^[A-Za-z0-9-]{1,64}$/.test(id) && id !== embeddedProfileId && !id.startsWith(setUpPrefix)

/**
 * Reads the valid parts of a file.
 * @throws MienError `import-foreign` (another program's, or no JSON), `data-newer`
 */
export function readExport(text: string, name: string, locked: readonly LockedSetting[]): Imported {
  const parsed = fileSchema.safeParse(parseJson(text.replace(/^\uFEFF/, '')))
  if (!parsed.success) throw new MienError('import-foreign', { name })
  if (parsed.data.format > exportFormat) throw new MienError('data-newer', { data: 'settings' })
  const leftOut: string[] = []
  const settings = Object.entries(parsed.data.settings).filter(([key, value]) => {
    const isFixed = key === 'consentName' || locked.some((each) => each === key)
    const fits = settingsPatchSchema.safeParse({ [key]: value }).success && !isFixed
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
    // Each value was validated by its schema above.
    settings: Object.fromEntries(settings),
    profiles,
    uploadTargets: Object.fromEntries(targets),
    resultsFolder: folderFits ? resultsFolder : null,
    leftOut,
  }
}

/** On Windows, even checking a network path would send the user's login to that computer. */
const isLocalFolder = (path: string): boolean => isAbsolute(path) && !/^[\\/]{2}/.test(path)

export interface Placed {
  profiles: StoredProfile[]
  /** Local ids by ids in the file. */
  ids: Map<string, string>
  /** Names of services whose id exists with another address or certificate. They are added as new services, without a key. */
  added: string[]
}

const isSameServer = (one: StoredProfile, other: StoredProfile): boolean =>
  one.baseUrl === other.baseUrl && one.fingerprint === other.fingerprint

/** Merges imported services. One with the same id, address and certificate is replaced. */
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
    else if (isSameServer(found, profile)) profiles[at] = profile
    else {
      // The same file was imported before.
      const twin = profiles.find((each) => isSameServer(each, profile) && each.name === profile.name)
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

/** Whether both targets store files in the same place. */
export const isSamePlace = (one: UploadTarget, other: UploadTarget): boolean =>
  one.endpoint === other.endpoint && one.bucket === other.bucket && one.publicUrl === other.publicUrl

/** Null: invalid. */
function targetOf(raw: unknown): UploadTarget | null {
  const target = uploadTargetSchema.safeParse(raw)
  return target.success ? orNull(() => checkedTarget(target.data)) : null
}

const addressFits = ({ baseUrl, allowHttp }: StoredProfile): boolean =>
  orNull(() => parseBaseUrl(baseUrl, allowHttp)) === baseUrl
