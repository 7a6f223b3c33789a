/** @file Settings as a file to take elsewhere: without keys, window places and what belongs to this computer. Pure. */
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import { uploadTargetSchema, type UploadTarget } from '@shared/upload-target.ts'
import type { ImportReport, LockedSetting, Settings } from '@shared/ipc.ts'
import { checkedTarget } from '../uploads/endpoint.ts'
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
  /** Those of the file; a service with an id that is known takes its place. */
  profiles: StoredProfile[]
  uploadTargets: Record<string, UploadTarget>
  resultsFolder: string | null
  report: ImportReport
}

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
    if (profile.success && addressFits(profile.data)) return [profile.data]
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
  const folderLocked = parsed.data.resultsFolder !== null && locked.includes('resultsFolder')
  if (folderLocked) leftOut.push('resultsFolder')
  return {
    // Each value was parsed by the schema of its name just above.
    settings: Object.fromEntries(settings),
    profiles,
    uploadTargets: Object.fromEntries(targets),
    resultsFolder: folderLocked ? null : parsed.data.resultsFolder,
    report: { services: profiles.length, leftOut },
  }
}

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
