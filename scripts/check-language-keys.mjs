/**
 * @file Checks the translations: all languages have the same keys and placeholders, every key is used, and every used
 * key exists.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inRoot, isMain, main } from './lib/run.mjs'

/** @typedef {Record<string, unknown>} Messages by key: a text, or variants with declarations */

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
      if (!(key in messages)) problems.push(`${locale}: ${key} is missing`)
      else if (inputsOf(messages[key]) !== inputsOf(wanted[key])) {
        problems.push(`${locale}: ${key} has ${inputsOf(messages[key])}, not ${inputsOf(wanted[key])} like ${base}`)
      }
    }
    for (const key of Object.keys(messages)) {
      if (!key.startsWith('$') && !keys.includes(key)) problems.push(`${locale}: ${key} is not in ${base}`)
    }
  }
  return problems
}

/** The inputs of a message as a comparable string: placeholders and declared variant inputs, without local names. */
function inputsOf(/** @type {unknown} */ message) {
  const text = JSON.stringify(message)
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
    const read = (/** @type {string} */ name) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
    const languages = Object.fromEntries(files.map((name) => [basename(name, '.json'), read(name)]))
    // In a file that doesn't import the texts, `m` may be something else.
    const texts = sourcesIn(inRoot('src')).filter((source) => source.includes('paraglide/messages'))
    const problems = findProblems(languages, 'en', new Set(texts.flatMap(usedKeys)))
    for (const problem of problems) console.log(problem)
    console.log(`${files.length} language(s), ${Object.keys(languages['en'] ?? {}).length} keys`)
    return problems.length > 0 ? 1 : 0
  })
}
