/**
 * @file Creates folders. `mkdir` with `recursive` never ends where a file system answers ENOENT although the parent
 * exists, as /proc does: Node then tries the parent and the folder in turns, and no signal ends the process. So these
 * functions create one folder at a time, and only then use it.
 */
import { mkdirSync, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

interface FolderOptions {
  /** Defaults to what the process's mask allows. */
  mode?: number
}

/** Whether a file or a folder has that name already. */
export const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST'

/** A folder and those it is in, the outermost first. */
function pathTo(dir: string): string[] {
  const path = [resolve(dir)]
  for (let at = resolve(dir); dirname(at) !== at; at = dirname(at)) path.unshift(dirname(at))
  return path
}

/** Creates a folder, and those it is in. Rejects with the system's error; EEXIST or ENOTDIR: a file is there. */
export async function makeFolder(dir: string, options: FolderOptions = {}): Promise<void> {
  for (const each of pathTo(dir)) {
    if (await stat(each).catch(() => null)) continue
    await mkdir(each, options).catch((error: unknown) => {
      if (!isTaken(error)) throw error
    })
  }
  await mkdir(dir, { recursive: true, ...options })
}

/** As {@link makeFolder}, for what must be done before the app is ready. */
export function makeFolderSync(dir: string, options: FolderOptions = {}): void {
  for (const each of pathTo(dir)) {
    if (statSync(each, { throwIfNoEntry: false })) continue
    try {
      mkdirSync(each, options)
    } catch (error) {
      if (!isTaken(error)) throw error
    }
  }
  mkdirSync(dir, { recursive: true, ...options })
}
