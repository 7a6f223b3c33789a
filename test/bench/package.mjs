/**
 * @file `npm run -s bench -- package --json [--files]`: what each package weighs, as a user has it on the disk. With
 * `--files` also the file he fetches (`fileMB`), compressed as a release is, which takes minutes. Built with the
 * stand-ins, on linux-x64. MB are 10⁶ bytes.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesOf, measure } from '../../scripts/package/measure.mjs'
import { report } from './report.mjs'

const limitMB = 60
const withFiles = process.argv.includes('--files')
const root = fileURLToPath(new URL('../..', import.meta.url))
const electron = process.env['MIEN_ELECTRON']
if (!electron) throw new Error('Run it by npm run -s bench -- package.')
/** What lies in Electron's own folder, less what a package renames. */
const electrons = new Set([...filesOf(dirname(electron)), 'mien', 'LICENSE.electron.txt'])

/** How each package is opened into a folder. @type {Record<string, (file: string, folder: string) => void>} */
const open = {
  deb: (file, folder) => execFileSync('dpkg-deb', ['-x', file, folder]),
  AppImage: (file, folder) => {
    const offset = execFileSync(file, ['--appimage-offset'], { encoding: 'utf8' }).trim()
    execFileSync('unsquashfs', ['-quiet', '-no-progress', '-force', '-offset', offset, '-dest', folder, file], {
      stdio: 'ignore',
    })
  },
  'tar.gz': (file, folder) => execFileSync('tar', ['-xzf', file, '-C', folder]),
}

const temp = mkdtempSync(join(tmpdir(), 'mien-bench-package-'))
try {
  const dist = join(temp, 'dist')
  const script = join(root, 'scripts', 'package.mjs')
  const args = [
    '--stand-ins',
    ...(withFiles ? [] : ['--quick']),
    '--set',
    `directories.output=${dist}`,
    ...Object.keys(open),
  ]
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
} finally {
  rmSync(temp, { recursive: true, force: true })
}
