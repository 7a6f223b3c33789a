/** @file Temporary folder of a run, and clean-up after killed runs. */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDataFolder, ensureFolder, inFolder } from '../../machine/disk/data-folder.ts'

/**
 * Creates a folder that is removed on exit. The next run removes what Chromium writes after that.
 * @param dataDir parent folder; null: the system's temporary folder
 * @throws MienError `folder-read-only`, `disk-full`, `usage`
 */
export function makeRunFolder(dataDir: string | null): string {
  const parent = dataDir ?? tmpdir()
  if (dataDir === null) ensureFolder(parent, true)
  else ensureDataFolder(parent, { given: true, write: true })
  removeLeftRuns(parent)
  const dir = inFolder(parent, () => mkdtempSync(join(parent, `mien-run-${String(process.pid)}-`)))
  process.on('exit', () => removeIfPossible(dir))
  return dir
}

/** Removes folders of this user's finished runs. Skips those of other users and those that can't be removed. */
export function removeLeftRuns(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(/^mien-run-(\d+)-/.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid) || isAlive(pid)) continue
    const path = join(parent, name)
    if (isOurs(path)) removeIfPossible(path)
  }
}

/** Everybody can write to the temporary folder: ignore links and other users' folders. */
function isOurs(path: string): boolean {
  const info = lstatSync(path, { throwIfNoEntry: false })
  return info?.isDirectory() === true && (process.getuid === undefined || info.uid === process.getuid())
}

function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // A later run tries again.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
