/** @file The language in use. */
import { app } from 'electron'
import { loadLanguage } from '@shared/i18n/load-language.ts'
import { overwriteGetLocale } from '@shared/i18n/paraglide/runtime.js'
import { chooseLanguage, type Language } from '@shared/language.ts'

let inUse: Language = 'en'
let wanted: Language = inUse
overwriteGetLocale(() => inUse)

/** The language for the setting `system`. */
export const systemLanguage = (): Language =>
  chooseLanguage(systemLanguages(process.env, () => app.getPreferredSystemLanguages()))

/** Loads a language and sets it for all texts. Resolves to whether it changed; then, the last one asked for counts. */
export async function useLanguage(setting: Language | 'system'): Promise<boolean> {
  const language = setting === 'system' ? systemLanguage() : setting
  wanted = language
  await loadLanguage(language)
  if (wanted !== language || inUse === language) return false
  inUse = language
  return true
}

/**
 * The user's languages as BCP 47 tags. A terminal's environment has priority over the system's settings, and `C` is
 * English.
 */
export function systemLanguages(env: NodeJS.ProcessEnv, system: () => string[]): string[] {
  const [name = ''] = (env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '').split(/[.@]/)
  if (name === '') return system()
  return name === 'C' || name === 'POSIX' ? ['en'] : [name.replaceAll('_', '-'), ...system()]
}
