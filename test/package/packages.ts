/** @file Where the packages under test lie, and how their command line is run. */
import { spawn, type SpawnOptions } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { output, type Ran } from '../fixtures/command.ts'

/** The folder of packages; vitest's global setup sees to it. */
export function packagesDir(): string {
  const folder = process.env['MIEN_PACKAGES']
  if (!folder) throw new Error('Run these tests by npm test -- package.')
  return folder
}

/** The package whose name ends so, e.g. `.deb`. */
export function packageFile(ending: string): string {
  const name = readdirSync(packagesDir()).find((each) => each.endsWith(ending))
  if (name === undefined) throw new Error(`there is no ${ending} in ${packagesDir()}`)
  return join(packagesDir(), name)
}

/**
 * The unpacked app that electron-builder leaves beside its packages.
 * @returns its folder, on macOS the bundle; its program; Electron's resources folder, with the archive, and ours below
 */
export function unpacked(): { app: string; executable: string; resources: string } {
  const folder = readdirSync(packagesDir()).find((name) => /^(linux|win|mac)(-\w+)*(-unpacked)?$/.test(name))
  if (folder === undefined) throw new Error(`there is no unpacked app in ${packagesDir()}`)
  const at = join(packagesDir(), folder)
  if (process.platform === 'darwin') {
    const app = join(at, 'Mien.app')
    const contents = join(app, 'Contents')
    return { app, executable: join(contents, 'MacOS', 'Mien'), resources: join(contents, 'Resources') }
  }
  return {
    app: at,
    executable: join(at, process.platform === 'win32' ? 'Mien.exe' : 'mien'),
    resources: join(at, 'resources'),
  }
}

/** Runs a program to its end. */
export const run = (program: string, args: readonly string[], options: SpawnOptions = {}): Promise<Ran> =>
  output(spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }))
