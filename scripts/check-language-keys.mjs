/**
 * @file Checks the translations: all languages have the same keys and placeholders in the same order, every key is used,
 * every used key exists, and no text is in English by mistake.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readMessages } from './lib/messages.mjs'
import { inRoot, isMain, main } from './lib/run.mjs'

/** @typedef {Record<string, unknown>} Messages by key: a text, or variants with declarations */

/** Words that are the same in all languages: names, units, keys of the keyboard. */
const everywhere =
  'Mien Electron Chromium px p fps ms s h min B Ctrl Shift Enter Delete Alt Esc Command Option Home End Backspace'

/** Words that a language shares with English. @type {Record<string, string>} */
const shared = {
  de: 'Original Videos Video online Clip Clips Standard Person Details Status Name Bucket Region Position System Updates Beta Version Zoom Tag Tags Problem',
  es: 'Original Bucket Zoom Beta clip clips',
  fr: 'Date Zoom Original Image Licences Messages Position Options Notifications Standard photo photos clip clips Pause Service Services service services Bucket Version Versions Stable Note Tag Tags',
}

/** Whether a text may be the same as in English: all of its words are. */
export function maySame(/** @type {string} */ locale, /** @type {unknown} */ message) {
  const allowed = new Set(`${everywhere} ${shared[locale] ?? ''}`.split(' '))
  const texts = typeof message === 'string' ? [message] : Object.values(Object(Object(message)[0])['match'] ?? {})
  return texts.every((text) =>
    [...text.replace(/\{\w+\}/g, ' ').matchAll(/\p{L}+/gu)].every(([word]) => allowed.has(word)),
  )
}

/** The texts alone, without the names of plural forms, which differ between languages. */
const textsOf = (/** @type {unknown} */ message) =>
  JSON.stringify(typeof message === 'string' ? message : Object.values(Object(Object(message)[0])['match'] ?? {}))

/**
 * @param {Record<string, Messages>} languages messages by locale
 * @param {string} base the reference locale
 * @param {Set<string>} used keys that the sources use
 * @returns {string[]} one sentence per problem
 */
export function findProblems(languages, base, used) {
  const wanted = languages[base] ?? {}
  const keys = Object.keys(wanted).filter((key) => !key.startsWith('$'))
  const problems = keys.filter((key) => !used.has(key)).map((key) => `${base}: ${key} is used nowhere`)
  for (const key of used) if (!keys.includes(key)) problems.push(`${base}: ${key} is used but missing`)
  for (const [locale, messages] of Object.entries(languages)) {
    if (locale === base) continue
    for (const key of keys) {
      if (!(key in messages)) problems.push(`${locale}: ${key} is missing: ${textsOf(wanted[key])}`)
      else if (inputsOf(messages[key]) !== inputsOf(wanted[key])) {
        problems.push(`${locale}: ${key} has ${inputsOf(messages[key])}, not ${inputsOf(wanted[key])} like ${base}`)
      } else if (textsOf(messages[key]) === textsOf(wanted[key]) && !maySame(locale, messages[key])) {
        problems.push(`${locale}: ${key} is not translated: ${textsOf(wanted[key])}`)
      }
    }
    const order = keys.filter((key) => key in messages)
    const moved = Object.keys(messages)
      .filter((key) => keys.includes(key))
      .find((key, at) => key !== order[at])
    if (moved !== undefined) problems.push(`${locale}: ${moved} is not in the order of ${base}`)
    for (const key of Object.keys(messages)) {
      if (!key.startsWith('$') && !keys.includes(key)) problems.push(`${locale}: ${key} is not in ${base}`)
    }
  }
  return problems
}

/** The inputs of a message as a comparable string: placeholders and declared variant inputs, without local names. */
function inputsOf(/** @type {unknown} */ message) {
  const text = textsOf(message) + JSON.stringify(Object(Object(message)[0])['declarations'] ?? [])
  const names = new Set([...text.matchAll(/\{([\w.]+)\}/g)].map(([, name]) => name))
  for (const [, name] of text.matchAll(/"input (\w+)"/g)) names.add(name)
  for (const [, name] of text.matchAll(/"local (\w+)\b/g)) names.delete(name)
  return names.size === 0
    ? 'no placeholders'
    : [...names]
        .sort()
        .map((name) => `{${name}}`)
        .join(' ')
}

/** The keys that a source uses as `m.key`, called or passed on. */
export function usedKeys(/** @type {string} */ source) {
  return [...source.matchAll(/(?<![\w$.])m\.(\w+)/g)].map(([, key]) => key ?? '')
}

/** @returns {string[]} */
function sourcesIn(/** @type {string} */ folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'paraglide' ? [] : sourcesIn(path)
    return /\.(ts|svelte)$/.test(entry.name) ? [readFileSync(path, 'utf8')] : []
  })
}

if (isMain(import.meta.url)) {
  await main(async () => {
    const folder = inRoot('src', 'shared', 'i18n', 'messages')
    const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
    const languages = Object.fromEntries(
      files.map((name) => [basename(name, '.json'), readMessages(join(folder, name))]),
    )
    // In a file that doesn't import the texts, `m` may be something else.
    const texts = sourcesIn(inRoot('src')).filter((source) => source.includes('paraglide/messages'))
    const problems = findProblems(languages, 'en', new Set(texts.flatMap(usedKeys)))
    for (const problem of problems) console.log(problem)
    console.log(`${files.length} language(s), ${Object.keys(languages['en'] ?? {}).length} keys`)
    return problems.length > 0 ? 1 : 0
  })
}
