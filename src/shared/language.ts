/** @file The languages of Mien, and the choice of one. */
/** As in `i18n/project.inlang/settings.json`. */
export const languages = ['en', 'zh-CN', 'ja', 'es', 'de', 'fr'] as const
export type Language = (typeof languages)[number]

/** Names in the language itself. */
export const languageNames: Record<Language, string> = {
  en: 'English',
  'zh-CN': '简体中文',
  ja: '日本語',
  es: 'Español',
  de: 'Deutsch',
  fr: 'Français',
}

/**
 * @param preferred the user's languages as BCP 47 tags, the best first
 * @returns the first one that Mien has; English if there is none
 */
export function chooseLanguage(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const known = languages.find((language) => isSame(language, tag))
    if (known !== undefined) return known
  }
  return 'en'
}

/** Same language and script: Taiwan's Chinese isn't simplified, Austria's German is German. */
function isSame(language: Language, tag: string): boolean {
  try {
    const [one, other] = [new Intl.Locale(language).maximize(), new Intl.Locale(tag).maximize()]
    return one.language === other.language && one.script === other.script
  } catch {
    return false // not a tag
  }
}
