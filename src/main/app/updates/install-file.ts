/** @file Replaces a program file atomically, so that there is always a complete one. */
import { constants } from 'node:fs'
import { chmod, copyFile, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { digestOf, syncNames } from '../../machine/disk/files.ts'

/**
 * Next to the program, so that it is on the same disk. A leftover of a killed process is overwritten by the next try.
 */
export const halfPath = (target: string): string => join(dirname(target), `.${basename(target)}.new`)

/**
 * Copies `source` next to `target`, verifies the copy, and renames it over `target`.
 * @throws MienError `update-damaged`; disk errors (ENOSPC, EACCES) pass through. `target` is unchanged then.
 */
export async function installFile(
  source: string,
  target: string,
  promised: { sha512: string; size: number },
): Promise<void> {
  const half = halfPath(target)
  try {
    // Use a copy-on-write clone where the file system supports it.
    await copyFile(source, half, constants.COPYFILE_FICLONE)
    await checkFile(half, promised)
    await chmod(half, 0o755)
    await flush(half)
    await rename(half, target)
    await syncNames(dirname(target))
  } catch (error) {
    await rm(half, { force: true })
    throw error
  }
}

/** @throws MienError `update-damaged` */
export async function checkFile(path: string, promised: { sha512: string; size: number }): Promise<void> {
  const { size } = await stat(path)
  if (size !== promised.size || (await digestOf(path, 'sha512')).toString('base64') !== promised.sha512)
    throw new MienError('update-damaged')
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
