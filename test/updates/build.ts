/**
 * @file Makes what the update tests need, once: an AppImage of 1.0.0 and one of 1.1.0, by the packaging stand-ins, with
 * two public keys of their own built in. `MIEN_UPDATES_DIR=folder` names a folder where they lie already.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { updateKey } from '../fixtures/update-key.ts'
import { makePackages } from '../package/build.ts'

export default function build(): (() => void) | undefined {
  if (process.env['MIEN_UPDATES_DIR'] || process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const folder = mkdtempSync(join(tmpdir(), 'mien-updates-'))
  const keys = { first: updateKey(), second: updateKey(), stranger: updateKey() }
  writeFileSync(join(folder, 'keys.json'), JSON.stringify(keys))
  for (const version of ['1.0.0', '1.1.0']) {
    const out = join(folder, version)
    mkdirSync(out)
    const set = ['--set', `directories.output=${out}`, '--set', `extraMetadata.version=${version}`]
    makePackages(['--stand-ins', '--quick', ...set, 'AppImage'], {
      ...process.env,
      MIEN_OUT: join(folder, 'out'),
      MIEN_BUILD_UPDATE_KEYS: `${keys.first.shown},${keys.second.shown}`,
    })
    rmSync(join(out, 'linux-unpacked'), { recursive: true, force: true })
  }
  process.env['MIEN_UPDATES_DIR'] = folder
  return () => {
    rmSync(folder, { recursive: true, force: true })
  }
}
