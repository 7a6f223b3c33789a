/**
 * @file Whether an open window may still use a library. Reads Chromium's lock files: asking for its lock again and again
 * could end a window that doesn't answer.
 */
import { existsSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** @param dataDir the library's folder. False: its lock can be asked for */
export function mayBeOpen(dataDir: string, platform: NodeJS.Platform = process.platform): boolean {
  // Removed with the process.
  if (platform === 'win32') return existsSync(join(dataDir, 'lockfile'))
  try {
    // A link to `host-pid`. It stays after a crash.
    const pid = Number(readlinkSync(join(dataDir, 'SingletonLock')).split('-').at(-1))
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
