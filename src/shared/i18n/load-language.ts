/** @file Loads the texts of languages. English is always there; `scripts/build.mjs` makes every text from `text`. */
import type { Language } from '../language.ts'
import { getLocale, type Locale } from './paraglide/runtime.js'

/** A text; a function if something is filled in. */
type Text = string | ((inputs: never) => string)
type Texts = Readonly<Record<string, Text>>

/** Texts by language. */
const loaded: Partial<Record<Locale, Texts>> = {}

const sources: Record<Exclude<Language, 'en'>, () => Promise<Texts>> = {
  'zh-CN': () => import('./paraglide/messages/zh-CN.js'),
  ja: () => import('./paraglide/messages/ja.js'),
  es: () => import('./paraglide/messages/es.js'),
  de: () => import('./paraglide/messages/de.js'),
  fr: () => import('./paraglide/messages/fr.js'),
}

/** Until it is loaded, texts are English. */
export async function loadLanguage(language: Language): Promise<void> {
  if (language !== 'en') loaded[language] ??= await sources[language]()
}

/**
 * The function that gives a text in the language in use, or in another one.
 * @public used by the compiled texts
 */
export const text =
  (english: Text, name: string) =>
  (inputs: object = {}, { locale = getLocale() }: { locale?: Locale } = {}): string => {
    const found = loaded[locale]?.[name] ?? english
    // Each text's own type, which the compiler writes beside it, checks what is filled in.
    return typeof found === 'string' ? found : found(inputs as never)
  }
