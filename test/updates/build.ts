/**
 * @file Makes what the update tests need, once: an AppImage of 1.0.0 and one of 1.1.0, by the packaging stand-ins, with
 * two public keys of their own built in. `MIEN_UPDATES_DIR=folder` names a folder where they lie already.
 */
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface TestKey {
  secret: string
  shown: string
}

function makeKey(): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    secret: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    shown: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }
}

export default function build(): (() => void) | undefined {
  if (process.env['MIEN_UPDATES_DIR'] || process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const folder = mkdtempSync(join(tmpdir(), 'mien-updates-'))
  const keys = { first: makeKey(), second: makeKey(), stranger: makeKey() }
  writeFileSync(join(folder, 'keys.json'), JSON.stringify(keys))
  const script = fileURLToPath(new URL('../../scripts/package.mjs', import.meta.url))
  for (const version of ['1.0.0', '1.1.0']) {
    const out = join(folder, version)
    mkdirSync(out)
    const set = ['--set', `directories.output=${out}`, '--set', `extraMetadata.version=${version}`]
    const made = spawnSync(process.execPath, [script, '--stand-ins', '--quick', ...set, 'AppImage'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      env: {
        ...process.env,
        MIEN_OUT: join(folder, 'out'),
        MIEN_BUILD_UPDATE_KEYS: `${keys.first.shown},${keys.second.shown}`,
      },
    })
    if (made.status !== 0) throw new Error(`${version} could not be packaged:\n${made.stdout}\n${made.stderr}`)
    rmSync(join(out, 'linux-unpacked'), { recursive: true, force: true })
  }
  process.env['MIEN_UPDATES_DIR'] = folder
  return () => {
    rmSync(folder, { recursive: true, force: true })
  }
}
