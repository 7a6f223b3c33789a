/** @file The language in use. A change updates every text that is shown, because texts read it as state. */
import { loadLanguage } from '@shared/i18n/load-language.ts'
import { overwriteGetLocale } from '@shared/i18n/paraglide/runtime.js'
import type { Language } from '@shared/language.ts'

let inUse = $state<Language>('en')
let wanted: Language = 'en'
overwriteGetLocale(() => inUse)

/** Changes the texts when they are loaded. Of several changes the last one counts. */
export async function useLanguage(language: Language): Promise<void> {
  wanted = language
  await loadLanguage(language)
  if (wanted !== language) return
  inUse = language
  document.documentElement.lang = language
}
