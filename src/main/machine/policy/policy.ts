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

/** A value: its name in the file, the environment variable that sets it, and what it may be. */
const value = <T>(name: string, variable: string, schema: z.ZodType<T>) => ({ name, variable, schema })

export const policyValues = {
  profiles: value('profiles', 'MIEN_PROFILES', z.unknown()),
  resultsFolder: value('resultsFolder', 'MIEN_RESULTS_FOLDER', pathSchema),
  updateCheck: value('updates.check', 'MIEN_UPDATES', z.boolean()),
  updateDownload: value('updates.download', 'MIEN_UPDATE_DOWNLOAD', downloadSchema),
  updateChannel: value('updates.channel', 'MIEN_UPDATE_CHANNEL', settingsSchema.shape.updateChannel.unwrap()),
  updateAddress: value('updates.address', 'MIEN_UPDATE_ADDRESS', addressSchema),
  proxy: value('proxy', 'MIEN_PROXY', proxySchema),
  label: value('label', 'MIEN_LABEL', settingsSchema.shape.label.unwrap()),
  credentials: value('credentials.use', 'MIEN_CREDENTIALS', settingsSchema.shape.credentials.unwrap()),
  certificate: value('credentials.certificate', 'MIEN_CREDENTIALS_CERTIFICATE', pathSchema),
  key: value('credentials.key', 'MIEN_CREDENTIALS_KEY', pathSchema),
}

/** Merges sources; earlier ones take precedence. */
export function joinPolicy(sources: readonly PolicySource[]): { policy: Policy; problems: PolicyProblem[] } {
  const problems: PolicyProblem[] = []
  const invalid = (where: string, name: string): void => {
    const before = problems.find((each) => each.where === where && each.problem === 'invalid')
    if (before) before.names.push(name)
    else problems.push({ where, problem: 'invalid', names: [name] })
  }
  const read = <T>({ name, schema }: { name: string; schema: z.ZodType<T> }): T | null => {
    for (const { where, values } of sources) {
      if (!(name in values)) continue
      const parsed = schema.safeParse(values[name])
      if (parsed.success) return parsed.data
      invalid(where, name)
    }
    return null
  }
  const known = Object.values(policyValues)
  for (const { where, values } of sources) {
    const names = Object.keys(values).filter((name) => !known.some((each) => each.name === name))
    if (names.length > 0) problems.push({ where, problem: 'unknown', names })
  }
  const certificate = read(policyValues.certificate)
  const key = read(policyValues.key)
  const { resultsFolder, updateAddress, proxy, profiles, ...settings } = {
    profiles: readProfiles(sources, invalid),
    resultsFolder: read(policyValues.resultsFolder),
    updateCheck: read(policyValues.updateCheck),
    updateDownload: read(policyValues.updateDownload),
    updateChannel: read(policyValues.updateChannel),
    updateAddress: read(policyValues.updateAddress),
    credentials: read(policyValues.credentials),
    proxy: read(policyValues.proxy),
    label: read(policyValues.label),
  }
  const policy: Policy = {
    ...{ ...profiles, resultsFolder, updateAddress, proxy },
    signing: certificate !== null && key !== null ? { certificate, key } : null,
    settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null)),
  }
  return { policy, problems }
}
