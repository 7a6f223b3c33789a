/**
 * @file Policy: settings of this computer from a policy file (for all users) or environment variables. Each value is
 * validated separately: problems are reported, valid values apply. Pure.
 */
import { isAbsolute } from 'node:path'
import type { ProxyConfig } from 'electron'
import { z } from 'zod'
import { settingsSchema } from '@shared/settings/settings.ts'
import { orNull, parseBaseUrl } from '../settings/base-url.ts'
import type { PolicySettings } from '../settings/settings-store.ts'
import { readProfiles } from './preset-profiles.ts'

/** Values by their dotted names in the file. */
export interface PolicySource {
  where: string
  values: Record<string, unknown>
}

export interface PolicyProblem {
  /** Path of the file, or name of the variable. */
  where: string
  problem: 'syntax' | 'unknown' | 'invalid'
  /** Names of the values, like `updates.channel`. */
  names: string[]
}

/** `system`: the system's proxy settings. `none`: no proxy. Else a proxy server. */
export type ProxyChoice = 'system' | 'none' | ProxyServer
export interface ProxyServer {
  /** Scheme, host and port, in the format of Chromium's proxy rules. */
  rules: string
  login: { user: string; password: string } | null
}

/** Null: not set, the user chooses. */
export interface Policy extends PolicySettings {
  updateAddress: string | null
  proxy: ProxyChoice | null
  /** PEM files of an organisation's certificate and key. */
  signing: { certificate: string; key: string } | null
}

/** A proxy choice as Chromium's configuration. */
export function proxyConfig(choice: ProxyChoice): ProxyConfig {
  if (choice === 'system') return { mode: 'system' }
  if (choice === 'none') return { mode: 'direct' }
  // Chromium bypasses the proxy for loopback by default, which the embedded service needs.
  return { mode: 'fixed_servers', proxyRules: choice.rules }
}

const proxySchema = z.string().transform((text, context): ProxyChoice => {
  if (text === 'system' || text === 'none') return text
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  if (!url || !/^(?:https?|socks[45]?):$/.test(url.protocol) || url.hostname === '' || url.pathname.length > 1) {
    context.addIssue({ code: 'custom', message: 'not a proxy' })
    return z.NEVER
  }
  const { protocol, host, username, password } = url
  const login = username === '' ? null : { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  return { rules: `${protocol}//${host}`, login }
})

const addressSchema = z
  .string()
  .transform((text) => orNull(() => parseBaseUrl(text, false)))
  .pipe(z.string())

const pathSchema = z.string().refine((path) => isAbsolute(path))
const downloadSchema = z.enum(['ask', 'automatic']).transform((word) => word === 'automatic')

/** All known names. */
const known = [
  'profiles',
  'resultsFolder',
  'updates.check',
  'updates.download',
  'updates.channel',
  'updates.address',
  'credentials.use',
  'credentials.certificate',
  'credentials.key',
  'proxy',
  'label',
] as const

/** Merges sources; earlier ones take precedence. */
export function joinPolicy(sources: readonly PolicySource[]): { policy: Policy; problems: PolicyProblem[] } {
  const problems: PolicyProblem[] = []
  const invalid = (where: string, name: string): void => {
    const before = problems.find((each) => each.where === where && each.problem === 'invalid')
    if (before) before.names.push(name)
    else problems.push({ where, problem: 'invalid', names: [name] })
  }
  const read = <T>(name: (typeof known)[number], schema: z.ZodType<T>): T | null => {
    for (const { where, values } of sources) {
      if (!(name in values)) continue
      const parsed = schema.safeParse(values[name])
      if (parsed.success) return parsed.data
      invalid(where, name)
    }
    return null
  }
  for (const { where, values } of sources) {
    const names = Object.keys(values).filter((name) => !known.some((each) => each === name))
    if (names.length > 0) problems.push({ where, problem: 'unknown', names })
  }
  const certificate = read('credentials.certificate', pathSchema)
  const key = read('credentials.key', pathSchema)
  const { resultsFolder, updateAddress, proxy, profiles, ...settings } = {
    profiles: readProfiles(sources, invalid),
    resultsFolder: read('resultsFolder', pathSchema),
    updateCheck: read('updates.check', z.boolean()),
    updateDownload: read('updates.download', downloadSchema),
    updateChannel: read('updates.channel', settingsSchema.shape.updateChannel.unwrap()),
    updateAddress: read('updates.address', addressSchema),
    credentials: read('credentials.use', settingsSchema.shape.credentials.unwrap()),
    proxy: read('proxy', proxySchema),
    label: read('label', settingsSchema.shape.label.unwrap()),
  }
  const policy: Policy = {
    ...{ ...profiles, resultsFolder, updateAddress, proxy },
    signing: certificate !== null && key !== null ? { certificate, key } : null,
    settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null)),
  }
  return { policy, problems }
}
