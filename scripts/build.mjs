/**
 * @file Builds the app: the languages' texts first, then main, preload and renderer. Does nothing when nothing that
 * counts has changed since the last time. `MIEN_OUT` names another folder than `out`.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
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
import { ensureLicences } from './licences.mjs'

export const outDir = resolve(inRoot(), process.env['MIEN_OUT'] ?? 'out')

const i18n = inRoot('src', 'shared', 'i18n')
const texts = join(i18n, 'paraglide')

/** The folder to hand to Electron as the app: the checkout, or a build elsewhere. */
export const appFolder = process.env['MIEN_OUT'] ? outDir : inRoot()

/** Compiles the languages' texts to `src/shared/i18n/paraglide`, which types, lint, tests and the build read. */
export async function ensureTexts() {
  const inputs = [join(i18n, 'messages'), join(i18n, 'project.inlang', 'settings.json'), inRoot('package-lock.json')]
  await ifChanged('texts', inputs, join(texts, '.stamp'), join(texts, 'runtime.js'), async () => {
    const args = ['compile', '--silent', '--no-emit-readme', '--project', 'src/shared/i18n/project.inlang']
    // Not in place: the compiler empties the folder first, and `npm run dev` would build without texts.
    const fresh = join(cacheDir, 'texts')
    args.push('--outdir', fresh, '--strategy', 'globalVariable', 'baseLocale')
    // A module for each text would be 700 files for every tool and test to open.
    args.push('--output-structure', 'locale-modules')
    const { code, output } = await runTool('@inlang/paraglide-js/bin/run.js', args)
    // A plugin that cannot be loaded is only a warning to the compiler, and leaves no texts at all.
    const broken = code !== 0 || output.includes('PluginImportError') || !existsSync(join(fresh, 'messages.js'))
    if (broken) throw new Failure(`The languages' texts could not be compiled:\n${tail(output, 30)}`)
    cpSync(fresh, texts, { recursive: true })
  })
}

/** Builds the app unless the last build is still true. The dependencies must be there. */
export async function ensureBuilt() {
  await ensureTexts()
  ensureLicences()
  const inputs = ['src', 'resources', 'electron.vite.config.ts', 'tsconfig.json', 'package.json', 'package-lock.json']
  const paths = inputs.map((name) => inRoot(name))
  await ifChanged('build', paths, join(outDir, '.stamp'), join(outDir, 'main', 'index.js'), async () => {
    say('Building')
    const { code, output } = await runTool('electron-vite/bin/electron-vite.js', ['build', '--logLevel', 'warn'], {
      env: toolEnv({ NODE_ENV: 'production', NO_COLOR: '1' }),
    })
    if (code !== 0) throw new Failure(`The build failed:\n${tail(output, 40)}`)
    if (appFolder !== inRoot()) makeAppOf(appFolder)
  })
}

/** A build elsewhere needs what the app finds in its folder: a package.json, the dependencies, the resources. */
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
 * Does `work` if `inputs` are not those of the last time, or `result` is missing.
 * @param {string} name
 * @param {string[]} inputs files and folders
 * @param {string} stamp the file that remembers
 * @param {string} result
 * @param {() => Promise<void>} work
 */
async function ifChanged(name, inputs, stamp, result, work) {
  const isCurrent = () => existsSync(result) && readText(stamp) === fingerprint(inputs)
  if (isCurrent()) return
  await alone(name, async () => {
    if (isCurrent()) return
    // Taken before the work: what is edited meanwhile must count as changed.
    const before = fingerprint(inputs)
    await work()
    writeFileSync(stamp, before)
  })
}

/** A hash over the names and contents of files; of large ones (weights) size and time, to be quick. */
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
  // What electron.vite.config.ts puts into the code.
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
