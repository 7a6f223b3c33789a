/** @file A folder of one run's own, and what is left of runs that were killed. */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDataFolder, inFolder } from '../data/data-folder.ts'

/**
 * Makes a folder that is removed when the process exits. What Chromium writes after that is removed by the next run.
 * @param dataDir where to make it; null: the system's temporary folder
 * @throws MienError `folder-read-only`, `disk-full`, `usage`
 */
export function makeRunFolder(dataDir: string | null): string {
  const parent = dataDir ?? tmpdir()
  ensureDataFolder(parent, { given: true, write: true })
  removeLeftRuns(parent)
  const dir = inFolder(parent, () => mkdtempSync(join(parent, `mien-run-${String(process.pid)}-`)))
  process.on('exit', () => {
    removeIfPossible(dir)
  })
  return dir
}

/** Removes the folders of this user's runs that are over. Those of others, and what cannot be removed, stay. */
export function removeLeftRuns(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = Number(/^mien-run-(\d+)-/.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid) || isAlive(pid)) continue
    const path = join(parent, name)
    if (isOurs(path)) removeIfPossible(path)
  }
}

/** Everybody may write to the temporary folder: a link or another user's folder with such a name is left alone. */
function isOurs(path: string): boolean {
  const info = lstatSync(path, { throwIfNoEntry: false })
  return info?.isDirectory() === true && (process.getuid === undefined || info.uid === process.getuid())
}

function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // It is tried again by a later run.
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
