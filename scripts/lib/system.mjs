/** @file Detects what the system lacks to run Electron, and installs it if possible without asking. */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Failure, alone, inRoot, run, say, tail } from './run.mjs'
import { missingLibraries, packagesFor } from './system-packages.mjs'

/** Whether there is a screen to show a window on. True on systems other than Linux. */
export const hasScreen = () =>
  process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'])

export const isRoot = () => process.getuid?.() === 0

/** Path of a program on PATH, or null. */
export function which(/** @type {string} */ command) {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, command)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      continue
    }
  }
  return null
}

/** Debian keeps a server's programs in a folder for each version. */
const postgres = '/usr/lib/postgresql'

/** Whether a program is on PATH, or one of PostgreSQL's server. */
const isInstalled = (/** @type {string} */ command) =>
  which(command) !== null ||
  (existsSync(postgres) && readdirSync(postgres).some((version) => existsSync(join(postgres, version, 'bin', command))))

/**
 * Ensures that a Linux machine has the libraries for the Electron binary `electron`, and the given commands.
 * @param {{ electron: string, commands: string[] }} needs
 */
export async function ensureSystem({ electron, commands }) {
  if (process.platform !== 'linux') return
  let missing = await look(electron, commands)
  if (isComplete(missing)) return
  await alone('system', async () => {
    missing = await look(electron, commands)
    if (!isComplete(missing)) await install(missing)
  })
  missing = await look(electron, commands)
  if (!isComplete(missing)) throw new Failure(`Still missing after the installation: ${names(missing)}.`)
}

/** @param {import('./system-packages.mjs').Missing} missing */
const isComplete = (missing) => names(missing) === ''

/** @param {import('./system-packages.mjs').Missing} missing */
const names = ({ libraries, commands, fonts }) => [...libraries, ...commands, ...(fonts ? ['a font'] : [])].join(', ')

/** @returns {Promise<import('./system-packages.mjs').Missing>} */
async function look(/** @type {string} */ electron, /** @type {string[]} */ commands) {
  const keytar = inRoot('node_modules', 'keytar', 'prebuilds', `linux-${process.arch}`, 'keytar.node')
  const files = [electron, keytar].filter((file) => existsSync(file))
  const { output } = await run('ldd', files)
  return {
    libraries: missingLibraries(output),
    commands: commands.filter((command) => !isInstalled(command)),
    fonts: !['/usr/share/fonts', '/usr/local/share/fonts'].some((folder) => hasFont(folder)),
  }
}

/** @returns {boolean} */
function hasFont(/** @type {string} */ folder) {
  if (!existsSync(folder)) return false
  return readdirSync(folder, { withFileTypes: true }).some((entry) =>
    entry.isDirectory() ? hasFont(join(folder, entry.name)) : /\.(ttf|otf|ttc|pfb)$/i.test(entry.name),
  )
}

/** @param {import('./system-packages.mjs').Missing} missing */
async function install(missing) {
  if (!which('apt-get')) {
    throw new Failure(
      `This machine lacks ${names(missing)}. Install what is missing with your system's package manager.`,
    )
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3', '-q']
  if (isRoot()) {
    say('Asking for the list of Debian packages')
    // Ignore errors from stale or unreachable lists: the installation fails if it matters.
    await run('apt-get', [...apt, 'update'], { env, limitMs: 180_000 })
  }
  const known = new Set((await run('apt-cache', ['pkgnames'])).stdout.split('\n'))
  const { packages, unknown } = packagesFor(missing, (name) => known.has(name))
  if (unknown.length > 0) throw new Failure(`This machine lacks ${unknown.join(', ')}, and no package is known for it.`)
  const command = `apt-get install -y --no-install-recommends ${packages.join(' ')}`
  if (!isRoot()) {
    throw new Failure(
      `Some system packages are missing. Run this, then try again:\n  sudo apt-get update && sudo ${command}`,
    )
  }
  say(`Installing system packages: ${packages.join(', ')}`)
  const { code, output } = await run('apt-get', [...apt, 'install', '-y', '--no-install-recommends', ...packages], {
    env,
    limitMs: 600_000,
  })
  if (code !== 0) throw new Failure(`Installing system packages failed (${command}):\n${tail(output)}`)
}
