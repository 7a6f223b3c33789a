/**
 * @file A job's folder: `input` has downloads, `work` the engine's files, `footage` the video's cover, and `result` what
 * the service serves.
 */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../../data/busy-files.ts'
import { exists } from '../../data/exists.ts'
import { syncNames } from '../../data/sync-names.ts'

/** Creates the folder for a run; partial work stays. */
export async function prepareFolder(folder: string): Promise<void> {
  await rm(join(folder, 'result'), { recursive: true, force: true })
  for (const name of ['input', 'footage', 'work']) await mkdir(join(folder, name), { recursive: true })
}

export const hasPartialWork = (folder: string): Promise<boolean> => exists(join(folder, 'work', 'segment-0000.json'))

/** Moves the engine's output into place as the result. Safe to repeat after an interruption. */
export async function moveWorkToResult(folder: string): Promise<void> {
  const work = join(folder, 'work')
  if (!(await exists(work))) return
  for (const name of await readdir(work)) if (name.startsWith('segment-')) await rm(join(work, name))
  await replaceFile(work, join(folder, 'result'))
  await syncNames(folder)
}
