/**
 * @file Makes the packages that the tests of this folder look at, once for all of them: with the stand-ins on
 * linux-x64, elsewhere the unpacked app. `MIEN_PACKAGES=folder` names a folder of packages that are there already.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Makes packages. @throws Error with what the script wrote */
export function makePackages(args: readonly string[], env = process.env): void {
  const script = fileURLToPath(new URL('../../scripts/package.mjs', import.meta.url))
  const made = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env })
  if (made.status !== 0) throw new Error(`The packages could not be made:\n${made.stdout}\n${made.stderr}`)
}

export default function build(): (() => void) | undefined {
  if (process.env['MIEN_PACKAGES']) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'mien-packages-'))
  const hasStandIns = process.platform === 'linux' && process.arch === 'x64'
  const what = hasStandIns ? ['--stand-ins', '--quick', 'deb', 'AppImage', 'rpm'] : ['dir', `--${process.arch}`]
  makePackages(['--set', `directories.output=${folder}`, ...what])
  process.env['MIEN_PACKAGES'] = folder
  return () => {
    rmSync(folder, { recursive: true, force: true })
  }
}
