/** @file Reads the texts of a language. */
import { readFileSync } from 'node:fs'
import { Failure } from './run.mjs'

/**
 * The texts of a language by key, as the compiler reads them.
 * @returns {Record<string, unknown>}
 * @throws Failure if the file is no JSON
 */
export function readMessages(/** @type {string} */ file) {
  const messages = Object.entries(parse(file))
  return Object.fromEntries(messages.map(([key, message]) => [key, withForms(message)]))
}

/**
 * In our files, a text with a count has only its forms, by plural category. The compiler also wants what each needs:
 * inputs, the plural category of the count, and the count as the language writes it.
 */
export function withForms(/** @type {unknown} */ message) {
  if (typeof message === 'string' || Array.isArray(message)) return message
  const forms = /** @type {Record<string, string>} */ (message)
  const names = new Set([...JSON.stringify(forms).matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
  const number = names.delete('number') ? ['local number = count: number'] : []
  const inputs = [...new Set(['count', ...names])].map((name) => `input ${name}`)
  const match = Object.entries(forms).map(([category, text]) => [`plural=${category}`, text])
  return [
    {
      declarations: [...inputs, 'local plural = count: plural', ...number],
      selectors: ['plural'],
      match: Object.fromEntries(match),
    },
  ]
}

function parse(/** @type {string} */ file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Failure(`${file} isn’t valid JSON: ${error instanceof Error ? error.message : error}`)
  }
}
