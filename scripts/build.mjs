/**
 * @file Builds the app: first the translations, then main, preload and renderer. Skips steps whose inputs have not
 * changed since the last build. `MIEN_OUT` overrides the output folder `out`.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  Failure,
  alone,
  cacheDir,
  inRoot,
  isMain,
  main,
  readJson,
  readText,
  runTool,
  say,
  tail,
  toolEnv,
} from './lib/run.mjs'
import { ensureDependencies } from './lib/npm.mjs'
import { readMessages } from './lib/messages.mjs'
import { ensureLicences } from './licences.mjs'

export const outDir = resolve(inRoot(), process.env['MIEN_OUT'] ?? 'out')

const i18n = inRoot('src', 'shared', 'i18n')
const texts = join(i18n, 'paraglide')

/** The app folder for Electron: the checkout, or the build in MIEN_OUT. */
export const appFolder = process.env['MIEN_OUT'] ? outDir : inRoot()

/** Compiles the translations to `src/shared/i18n/paraglide`, which the type check, lint, tests and build read. */
export async function ensureTexts() {
  const settings = join(i18n, 'project.inlang', 'settings.json')
  const reader = inRoot('scripts', 'lib', 'messages.mjs')
  const inputs = [join(i18n, 'messages'), settings, inRoot('package-lock.json'), reader, import.meta.filename]
  await ifChanged('texts', inputs, join(texts, '.stamp'), join(texts, 'runtime.js'), async () => {
    const project = projectWithForms(settings)
    const args = ['compile', '--silent', '--no-emit-readme', '--project', project]
    // Not in place: the compiler empties the folder first, and `npm run dev` would build without texts.
    const fresh = join(cacheDir, 'texts')
    args.push('--outdir', fresh, '--strategy', 'globalVariable', 'baseLocale')
    // With one module per text, every tool and test would have to open 700 files.
    args.push('--output-structure', 'locale-modules')
    const { code, output } = await runTool('@inlang/paraglide-js/bin/run.js', args)
    // If a plugin fails to load, the compiler only warns, but produces no texts.
    const broken = code !== 0 || output.includes('PluginImportError') || !existsSync(join(fresh, 'messages.js'))
    if (broken) throw new Failure(`The languages' texts could not be compiled:\n${tail(output, 30)}`)
    // Languages without plural forms leave locals unused, which the type check would report.
    const modules = join(fresh, 'messages')
    for (const name of readdirSync(modules)) {
      const file = join(modules, name)
      const code = readFileSync(file, 'utf8').replaceAll(
        /\(\) => \{\n\treturn (\/\*\* .* \*\/ \(`.*`\))\n\};/g,
        '($1);',
      )
      writeFileSync(file, `// @ts-nocheck\n${code}`)
    }
    loadOnDemand(join(modules, '_index.js'))
    cpSync(fresh, texts, { recursive: true })
  })
}

/** Writes the project again with the texts as the compiler reads them, and returns its folder. */
function projectWithForms(/** @type {string} */ settings) {
  // As deep in the checkout as the original: the settings have the plugin's relative path.
  const folder = join(cacheDir, 'i18n', 'source')
  const project = join(folder, 'project.inlang')
  for (const part of [project, join(folder, 'messages')]) mkdirSync(part, { recursive: true })
  cpSync(settings, join(project, 'settings.json'))
  for (const name of readdirSync(join(i18n, 'messages'))) {
    writeFileSync(join(folder, 'messages', name), JSON.stringify(readMessages(join(i18n, 'messages', name))))
  }
  return project
}

/**
 * The compiler's index imports every language, so the window would start with all of them. And it has a function for
 * each text, which V8 compiles at once, because they are in brackets: that took most of the time for reading the page's
 * scripts. `text` makes them; those of the languages are strings where nothing is filled in.
 */
function loadOnDemand(/** @type {string} */ index) {
  const code = readFileSync(index, 'utf8')
    .replaceAll(/^import \* as (?!__en\b)__\w+ from .*\n/gm, '')
    .replaceAll(
      /\(\(inputs(?: = \{\})?, options = \{\}\) => \{\n(?:\t.*\n)+?\treturn (__en\.(\w+))\(inputs\)\n\}\);/g,
      "(/* @__PURE__ */ text($1, '$2'));",
    )
    .replace('import * as __en', "import { text } from '../../load-language.ts'\nimport * as __en")
  if (/\b__(?!en\b)\w+\.|=> \{$/m.test(code) || !code.includes('text(__en.')) {
    throw new Failure('The compiler of the texts writes its index in another way. Adapt scripts/build.mjs.')
  }
  writeFileSync(index, code)
}

/** Builds the app unless the last build is up to date. Requires installed dependencies. */
export async function ensureBuilt() {
  await ensureTexts()
  ensureLicences()
  const inputs = ['src', 'resources', 'electron.vite.config.ts', 'tsconfig.json', 'package.json', 'package-lock.json']
  const paths = [...inputs.map((name) => inRoot(name)), import.meta.filename]
  await ifChanged('build', paths, join(outDir, '.stamp'), join(outDir, 'main', 'index.js'), async () => {
    say('Building')
    const { code, signal, output } = await runTool(
      'electron-vite/bin/electron-vite.js',
      ['build', '--logLevel', 'warn'],
      {
        env: toolEnv({ NODE_ENV: 'production', NO_COLOR: '1' }),
      },
    )
    if (code !== 0) throw new Failure(signal ? 'The build was stopped.' : `The build failed:\n${tail(output, 40)}`)
    if (appFolder !== inRoot()) makeAppOf(appFolder)
  })
}

/** Makes another folder a complete app: package.json, dependencies and resources. */
export function makeAppOf(/** @type {string} */ folder) {
  const { name, productName, version, type } = readJson(inRoot('package.json'))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name, productName, version, type, main: 'main/index.js' }),
  )
  for (const shared of ['node_modules', 'resources']) {
    if (!existsSync(join(folder, shared))) symlinkSync(inRoot(shared), join(folder, shared), 'junction')
  }
}

/**
 * Runs `work` if `inputs` have changed since the last run, or `result` is missing.
 * @param {string} name
 * @param {string[]} inputs files and folders
 * @param {string} stamp file that stores the fingerprint of the last run
 * @param {string} result
 * @param {() => Promise<void>} work
 */
async function ifChanged(name, inputs, stamp, result, work) {
  const isCurrent = () => existsSync(result) && readText(stamp) === fingerprint(inputs)
  if (isCurrent()) return
  await alone(name, async () => {
    if (isCurrent()) return
    // Computed before the work, so that edits during the work count as changes.
    const before = fingerprint(inputs)
    await work()
    writeFileSync(stamp, before)
  })
}

/** Hashes the names and contents of files. For large ones (weights), size and time are hashed instead, for speed. */
function fingerprint(/** @type {string[]} */ paths) {
  const hash = createHash('sha256')
  const add = (/** @type {string} */ path) => {
    if (path === texts || !existsSync(path)) return
    hash.update(path)
    const stats = statSync(path)
    if (stats.isDirectory()) for (const name of readdirSync(path).sort()) add(join(path, name))
    else hash.update(stats.size > 500_000 ? `${stats.size} ${stats.mtimeMs}` : readFileSync(path))
  }
  for (const path of paths) add(path)
  // electron.vite.config.ts compiles these keys into the code.
  hash.update(process.env['MIEN_BUILD_UPDATE_KEYS'] ?? '')
  return hash.digest('hex')
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await ensureDependencies()
    await ensureBuilt()
    say(`Built into ${outDir}`)
  })
}
