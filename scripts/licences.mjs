/**
 * @file Collects the licences of everything in a package into `resources/licences.txt`, which the app can show: the
 * production dependencies (including transitive ones), Electron, and the weights. Fails on a licence that is not known
 * to be compatible with MIT.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure, inRoot, isMain, main, readJson, readText, say } from './lib/run.mjs'
import { ensureDependencies } from './lib/npm.mjs'

const licencesFile = inRoot('resources', 'licences.txt')

/** Licences that only require their text in the package. MPL-2.0 also requires naming the source, which NOTICE does. */
const allowed = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'MPL-2.0',
  'Python-2.0',
  'BlueOak-1.0.0',
  'OFL-1.1',
])

/** Licences stated in the LICENSE file but not in package.json. @type {Record<string, string>} */
const found = { 'svelte-toolbelt': 'MIT' }

/** @typedef {{ name: string, version: string, licence: string, text: string, homepage: string }} Entry */

/**
 * Whether an SPDX expression is allowed: one alternative of an OR, or all parts of an AND.
 * @param {string} expression
 * @returns {boolean}
 */
export function isAllowed(expression) {
  const plain = expression.replace(/^\((.*)\)$/, '$1')
  if (plain.includes(' OR ')) return plain.split(' OR ').some((part) => isAllowed(part))
  if (plain.includes(' AND ')) return plain.split(' AND ').every((part) => isAllowed(part))
  return allowed.has(plain)
}

/** Folders of the production dependencies in the lockfile, including transitive ones. @returns {string[]} */
function folders() {
  /** @type {Record<string, { dev?: boolean, optional?: boolean, peer?: boolean, link?: boolean }>} */
  const packages = readJson(inRoot('package-lock.json'))?.packages ?? {}
  return Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== '' && !dev && !optional && existsSync(inRoot(path)))
    .map(([path]) => inRoot(path))
}

/** @returns {Entry} */
function entryOf(/** @type {string} */ folder) {
  const { name, version, license, homepage, repository } = readJson(join(folder, 'package.json')) ?? {}
  const files = readdirSync(folder).filter(
    (file) => /^(licen[cs]e|copying|notice)/i.test(file) && !/\.(js|json)$/.test(file),
  )
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n')
  const source = typeof repository === 'string' ? repository : repository?.url
  return { name, version, licence: license ?? found[name] ?? 'unknown', text, homepage: homepage ?? source ?? '' }
}

/** Writes the file if its content has changed. Requires installed dependencies. */
export function ensureLicences() {
  const entries = [...folders(), inRoot('node_modules', 'electron')]
    .map(entryOf)
    .sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
  const refused = entries.filter(({ licence }) => !isAllowed(licence))
  if (refused.length > 0) {
    const list = refused.map(({ name, version, licence }) => `  ${name} ${version}: ${licence}`).join('\n')
    throw new Failure(`These may not be shipped, or their licence is not known to scripts/licences.mjs:\n${list}`)
  }
  const apache = entries.find(({ licence, text }) => licence === 'Apache-2.0' && text.includes('TERMS AND CONDITIONS'))
  const parts = entries.map(({ name, version, licence, text, homepage }) => {
    const terms = text === '' ? `(The package carries no text; its licence is ${licence}.)` : text
    return [`${name} ${version} (${licence})`, homepage, '', terms].join('\n')
  })
  const notice = readFileSync(inRoot('NOTICE'), 'utf8').trim()
  const weights = `Weights: MediaPipe, copyright Google LLC; SFace, OpenCV Zoo (Apache-2.0)\n\n${apache?.text ?? 'https://www.apache.org/licenses/LICENSE-2.0'}`
  const chromium = "Chromium's own licences lie beside the program, in LICENSES.chromium.html."
  const line = `\n\n${'-'.repeat(78)}\n\n`
  const all = `${[notice, chromium, weights, ...parts].join(line)}\n`
  if (readText(licencesFile) !== all) writeFileSync(licencesFile, all)
  return entries
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await ensureDependencies()
    const entries = ensureLicences()
    say(`Licences of ${entries.length} packages in ${licencesFile}`)
  })
}
