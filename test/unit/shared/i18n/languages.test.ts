import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { errorText } from '../../../../src/shared/i18n/error-text.ts'
import {
  formatBytes,
  formatBytesOf,
  formatDate,
  formatDay,
  formatDayInline,
  formatFacts,
  formatList,
  formatRoughRange,
  formatShare,
  formatSpan,
} from '../../../../src/shared/i18n/format.ts'
import { loadLanguage } from '../../../../src/shared/i18n/load-language.ts'
import { m } from '../../../../src/shared/i18n/paraglide/messages.js'
import { getLocale, locales, overwriteGetLocale } from '../../../../src/shared/i18n/paraglide/runtime.js'
import { chooseLanguage, languages, type Language } from '../../../../src/shared/language.ts'
import { errorCodes } from '../../../../src/shared/mien-error.ts'

const before = getLocale
beforeAll(() => Promise.all(languages.map(loadLanguage)))
afterEach(() => overwriteGetLocale(before))
const speak = (language: Language): void => {
  overwriteGetLocale(() => language)
}
/** Some languages write spaces that don't break. */
const spaced = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ')

it.each([
  [['de-AT', 'en-US'], 'de'],
  [['nl-NL', 'fr-CA'], 'fr'],
  [['zh-Hans-CN'], 'zh-CN'],
  [['zh-SG'], 'zh-CN'],
  [['zh-TW', 'ja-JP'], 'ja'],
  [['zh-HK'], 'en'],
  [['es-419'], 'es'],
  [['nl-NL'], 'en'],
  [['not a tag', 'fr'], 'fr'],
  [[], 'en'],
] as const)('the language of a system that prefers %j is %s', (preferred, language) =>
  expect(chooseLanguage(preferred)).toBe(language),
)

it('offers every language that has texts', () => expect(languages).toEqual(locales))

it.each([
  ['en', ['0 swaps', '1 swap', '1,200 swaps', '2,000,000 swaps']],
  ['zh-CN', ['0 个换脸', '1 个换脸', '1,200 个换脸', '2,000,000 个换脸']],
  ['ja', ['0 件の入れ替え', '1 件の入れ替え', '1,200 件の入れ替え', '2,000,000 件の入れ替え']],
  ['es', ['0 intercambios', '1 intercambio', '1200 intercambios', '2.000.000 intercambios']],
  ['de', ['0 Tausche', '1 Tausch', '1.200 Tausche', '2.000.000 Tausche']],
  ['fr', ['0 échange', '1 échange', '1 200 échanges', '2 000 000 échanges']],
] as const)('counts in %s', (language, texts) => {
  speak(language)
  expect([0, 1, 1200, 2_000_000].map((count) => spaced(m.swaps({ count })))).toEqual(texts)
})

describe('numbers and dates', () => {
  const now = new Date(2026, 10, 20, 9, 41).getTime()
  it.each([
    ['en', '1.2 MB', '62%', '2 min 8 s', '2–4 min', '20 November 2026', 'Yesterday', 'a, b and c'],
    ['zh-CN', '1.2 MB', '62%', '2 分钟 8 秒', '2–4 分钟', '2026年11月20日', '昨天', 'a、b和c'],
    ['ja', '1.2 MB', '62%', '2 分 8 秒', '2–4 分', '2026年11月20日', '昨日', 'a、b、c'],
    ['es', '1,2 MB', '62 %', '2 min 8 s', '2–4 min', '20 de noviembre de 2026', 'Ayer', 'a, b y c'],
    ['de', '1,2 MB', '62 %', '2 min 8 s', '2–4 min', '20. November 2026', 'Gestern', 'a, b und c'],
    ['fr', '1,2 Mo', '62 %', '2 min 8 s', '2–4 min', '20 novembre 2026', 'Hier', 'a, b et c'],
  ] as const)('in %s', (language, ...texts) => {
    speak(language)
    expect(
      [
        formatBytes(1_190_000),
        formatShare(0.624),
        formatSpan(128_000),
        formatRoughRange(120_000, 240_000),
        formatDate(now),
        formatDay(now - 86_400_000, now),
        formatList(['a', 'b', 'c']),
      ].map(spaced),
    ).toEqual(texts)
  })

  it('name a shared unit once, with the decimals of the language', () => {
    speak('de')
    expect(formatBytesOf(1_200_000, 9_500_000)).toBe('1,2 von 9,5 MB')
  })

  it('write a day within a sentence as the language does', () => {
    speak('fr')
    expect(formatDayInline(now - 3 * 86_400_000, now)).toBe('mardi')
    expect(formatDay(now - 3 * 86_400_000, now)).toBe('Mardi')
  })

  it('separate facts by the comma of the language', () => {
    speak('ja')
    expect(formatFacts(['6 秒', '25 fps'])).toBe('6 秒、25 fps')
  })
})

describe.each(languages)('errors in %s', (language) => {
  it.each(errorCodes)('%s has a title and a body', (code) => {
    speak(language)
    const { title, body } = errorText({ code, details: {} })
    expect(title).not.toBe('')
    expect(body).not.toMatch(/undefined|\{\w+\}/)
  })
})
