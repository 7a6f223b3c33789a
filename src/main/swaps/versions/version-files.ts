/**
 * @file The files of versions: `<folder>/<task id>/<number>.mp4`. Every version of a swap has one, also the current one,
 * whose file in the user's folder is the same or a copy. Each file is there as a whole or not at all.
 */
import { constants } from 'node:fs'
import { copyFile, link, mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { privateMode } from '../../machine/disk/data-folder.ts'
import { removeFile, replaceFile, syncNames } from '../../machine/disk/files.ts'

export class VersionFiles {
  constructor(private readonly dir: string) {}

  /** Ids of swaps that have a folder. */
  async taskIds(): Promise<string[]> {
    return readdir(this.dir).catch(() => [])
  }

  path(taskId: string, number: number): string {
    return join(this.dir, taskId, `${String(number)}.mp4`)
  }

  /** An empty folder for the engine. */
  async makeWork(taskId: string): Promise<string> {
    const work = join(this.dir, taskId, 'work')
    await rm(work, { recursive: true, force: true })
    await mkdir(work, { recursive: true, mode: privateMode })
    return work
  }

  /** Moves a file that the engine wrote. */
  async take(file: string, taskId: string, number: number): Promise<void> {
    await replaceFile(file, this.path(taskId, number))
    await syncNames(join(this.dir, taskId))
  }

  /** Keeps a file of the user's folder, which stays there. */
  async keep(file: string, taskId: string, number: number): Promise<void> {
    await copyOver(file, this.path(taskId, number), join(this.dir, taskId, 'keeping'))
  }

  /** Replaces a file in the user's folder by a version. */
  async place(taskId: string, number: number, file: string): Promise<void> {
    await copyOver(this.path(taskId, number), file, join(dirname(file), `mien-${taskId}.part`))
  }

  /** Removes everything of a swap but these versions. Without any, removes its folder. */
  async removeOthers(taskId: string, numbers: readonly number[]): Promise<void> {
    const folder = join(this.dir, taskId)
    const kept = new Set(numbers.map((number) => `${String(number)}.mp4`))
    if (kept.size === 0) await rm(folder, { recursive: true, force: true })
    else
      for (const name of await readdir(folder).catch(() => []))
        if (!kept.has(name)) await rm(join(folder, name), { recursive: true, force: true })
  }
}

/** Replaces `to` at once by a file with the content of `from`. @param temporary in the folder of `to` */
async function copyOver(from: string, to: string, temporary: string): Promise<void> {
  await removeFile(temporary)
  try {
    await linkOrCopy(from, temporary)
    await replaceFile(temporary, to)
  } finally {
    // Renaming does nothing if both names are links to one file. If it failed, the next time removes the temporary one.
    await removeFile(temporary).catch(() => undefined)
  }
  await syncNames(dirname(to))
}

/** A link needs no space, but not every file system has them, and both names must be on one. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch {
    await copyFile(from, to, constants.COPYFILE_FICLONE)
    const handle = await open(to, 'r+')
    await handle.sync().finally(() => handle.close())
  }
}
