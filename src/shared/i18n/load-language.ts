/** @file Loads the texts of languages. English is always there; `scripts/build.mjs` makes every text look here first. */
import type { Language } from '../language.ts'

type Texts = typeof import('./paraglide/messages/en.js')

/** Texts by language. */
export const loaded: Partial<Record<Language, Texts>> = {}

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
