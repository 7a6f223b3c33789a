/** @file Services set by policy, with their upload targets. Keys are per user. Pure. */
import { hash } from 'node:crypto'
import { z } from 'zod'
import { profileInputSchema, type StoredProfile } from '@shared/service/profile.ts'
import { uploadTargetSchema, type UploadTarget } from '@shared/service/upload-target.ts'
import { checkedTarget, orNull, parseBaseUrl } from '../settings/base-url.ts'
import type { PolicySettings } from '../settings/settings-store.ts'
import { setUpPrefix, storedProfile } from '../settings/stored-profile.ts'
import type { PolicySource } from './policy.ts'

interface Preset {
  profile: StoredProfile
  uploadTarget: UploadTarget | null
}

const targetSchema = uploadTargetSchema
  .strict()
  .partial({ style: true, prefix: true, publicUrl: true, deleteAfter: true, lifetimeHours: true })
const usual = { style: 'path', prefix: 'mien/', publicUrl: null, deleteAfter: true, lifetimeHours: 24 } as const

const presetSchema = profileInputSchema
  .omit({ id: true })
  .extend({ uploadTarget: targetSchema.optional() })
  .strict()
  .transform(({ uploadTarget, ...input }, context): Preset => {
    const wrong = (path: string[]): never => {
      context.addIssue({ code: 'custom', message: 'not an address', path })
      return z.NEVER
    }
    const baseUrl = orNull(() => parseBaseUrl(input.baseUrl, input.allowHttp))
    if (baseUrl === null) return wrong(['baseUrl'])
    // Same at each start and on each computer, so that swaps and keys stay assigned.
    const id = `${setUpPrefix}${hash('sha256', baseUrl).slice(0, 12)}`
    const profile = storedProfile(input, id)
    if (!uploadTarget) return { profile, uploadTarget: null }
    const given = Object.fromEntries(Object.entries(uploadTarget).filter(([, value]) => value !== undefined))
    const target = orNull(() => checkedTarget(uploadTargetSchema.parse({ ...usual, ...given })))
    return target === null ? wrong(['uploadTarget', 'endpoint']) : { profile, uploadTarget: target }
  })

/** Reads the services; an invalid one doesn't affect the others. */
export function readProfiles(
  sources: readonly PolicySource[],
  invalid: (where: string, name: string) => void,
): Pick<PolicySettings, 'profiles' | 'uploadTargets'> {
  const source = sources.find(({ values }) => 'profiles' in values)
  const list: unknown = source ? source.values['profiles'] : []
  if (source && !Array.isArray(list)) invalid(source.where, 'profiles')
  const found = new Map<string, Preset>()
  for (const [index, entry] of (Array.isArray(list) ? list : []).entries()) {
    const parsed = presetSchema.safeParse(entry)
    if (parsed.success) found.set(parsed.data.profile.id, parsed.data)
    else {
      const [issue] = parsed.error.issues
      const path = issue?.path.map(String) ?? []
      const inside = issue?.code === 'unrecognized_keys' ? [...path, ...issue.keys] : path
      invalid(source?.where ?? '', ['profiles', String(index), ...inside].join('.'))
    }
  }
  const presets = [...found.values()]
  const targets = presets.flatMap(({ profile, uploadTarget }) =>
    uploadTarget ? [[profile.id, uploadTarget] as const] : [],
  )
  return { profiles: presets.map(({ profile }) => profile), uploadTargets: Object.fromEntries(targets) }
}
