/** @file The language in use. A change updates every text that is shown, because texts read it as state. */
import { overwriteGetLocale } from '@shared/i18n/paraglide/runtime.js'
import type { Language } from '@shared/language.ts'

let inUse = $state<Language>('en')
overwriteGetLocale(() => inUse)

export function useLanguage(language: Language): void {
  inUse = language
}
