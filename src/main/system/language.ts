/** @file The language in use. */
import { app } from 'electron'
import { overwriteGetLocale } from '@shared/i18n/paraglide/runtime.js'
import { chooseLanguage, type Language } from '@shared/language.ts'

let inUse: Language = 'en'
overwriteGetLocale(() => inUse)

/** The language for the setting `system`. */
export const systemLanguage = (): Language =>
  chooseLanguage(systemLanguages(process.env, () => app.getPreferredSystemLanguages()))

/** Sets the language of all texts. Returns whether it changed. */
export function useLanguage(setting: Language | 'system'): boolean {
  const before = inUse
  inUse = setting === 'system' ? systemLanguage() : setting
  return inUse !== before
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
