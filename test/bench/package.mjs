/**
 * @file `npm run -s bench -- package --json [--files]`: what each package weighs, as a user has it on the disk. With
 * `--files` also the file he fetches (`fileMB`), compressed as a release is, which takes minutes. Built with the
 * stand-ins, on linux-x64. MB are 10⁶ bytes.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { filesOf, measure } from '../../scripts/package/measure.mjs'
import { electron, hasOption, report, root, run, workFolder } from './lib/harness.mjs'

const limitMB = 60
const withFiles = hasOption('--files')
/** What lies in Electron's own folder, less what a package renames. */
const electrons = new Set([...filesOf(dirname(electron)), 'mien', 'LICENSE.electron.txt'])

/** How each package is opened into a folder. @type {Record<string, (file: string, folder: string) => unknown>} */
const open = {
  deb: (file, folder) => run('dpkg-deb', '-x', file, folder),
  AppImage: (file, folder) => {
    const offset = run(file, '--appimage-offset').trim()
    run('unsquashfs', '-quiet', '-no-progress', '-force', '-offset', offset, '-dest', folder, file)
  },
  'tar.gz': (file, folder) => run('tar', '-xzf', file, '-C', folder),
}

const temp = workFolder('package')
const dist = join(temp, 'dist')
const quick = withFiles ? [] : ['--quick']
const args = ['--stand-ins', ...quick, '--set', `directories.output=${dist}`, ...Object.keys(open)]
const script = join(root, 'scripts', 'package.mjs')
const built = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
if (built.status !== 0) throw new Error('The packages could not be built.')
const packages = Object.entries(open).map(([target, unpack]) => {
  const name = readdirSync(dist).find((each) => each.endsWith(`.${target}`))
  if (!name) throw new Error(`There is no ${target}.`)
  const folder = join(temp, target)
  mkdirSync(folder)
  unpack(join(dist, name), folder)
  // A package's own folder around the app does not count: opt/Mien in a deb, the name in a tar.gz.
  const isElectrons = (/** @type {string} */ path) =>
    electrons.has(path.replace(/^(opt\/Mien|Mien-[^/]+)\//, '')) && basename(path) !== 'app.asar'
  const file = withFiles ? { fileMB: Math.round(statSync(join(dist, name)).size / 1e4) / 100 } : {}
  return { target, ...measure(folder, isElectrons), ...file }
})
for (const { target, totalMB, electronMB, mienMB } of packages)
  process.stderr.write(`${target}: ${totalMB} MB on disk, ${electronMB} of them Electron, ${mienMB} Mien\n`)
report(
  { packages, limitMB },
  packages.every(({ mienMB }) => mienMB <= limitMB),
)
