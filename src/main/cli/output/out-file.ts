/** @file Checks a command's output path before any work starts. */
import { access, constants, mkdtemp, realpath, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { usage } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'

/** Suffixes that a running download adds to the name (remote/client/transport/download.ts). */
const added = ['', '.part', '.part.tag'] as const
/** Max bytes of a file name on common file systems. */
const maxNameBytes = 255

/**
 * Accepts a new file or an existing one to overwrite, in an existing folder. Refuses any of `inputs`, however spelled
 * (including links), because they would be lost.
 * @throws MienError `usage`
 */
export async function checkOut(out: string, inputs: readonly string[]): Promise<void> {
  const refuse = (reason: string, cause?: unknown): never => {
    throw usage(reason, cause)
  }
  const folder = dirname(out)
  const room = maxNameBytes - '.part.tag'.length
  if (Buffer.byteLength(basename(out)) > room) refuse(m.cli_out_long({ max: room }))
  try {
    await access(folder, constants.W_OK)
    if (!(await stat(folder)).isDirectory()) throw new Error('It is a file.')
  } catch (error) {
    refuse(m.cli_out_folder({ folder }), error)
  }
  // Some folders, such as /proc, say that they can be written to. A full disk is told once the size is known.
  try {
    await rmdir(await mkdtemp(join(folder, '.mien-')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') refuse(m.cli_out_folder({ folder }), error)
  }
  const there = await stat(out).catch(() => null)
  if (there?.isDirectory()) refuse(m.cli_out_is_folder({ path: out }))
  if (there && !there.isFile()) refuse(m.cli_out_special({ path: out }))
  for (const input of inputs)
    for (const end of added) if (await isSame(out + end, input)) refuse(m.cli_out_overwrites({ path: out, input }))
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([identity(one), identity(other)])
  if (a === null || b === null) return false
  // Some network drives on Windows have no inode numbers.
  return a.path === b.path || (a.ino !== 0n && a.ino === b.ino && a.dev === b.dev)
}

async function identity(path: string): Promise<{ path: string; dev: bigint; ino: bigint } | null> {
  try {
    const { dev, ino } = await stat(path, { bigint: true })
    return { path: await realpath(path), dev, ino }
  } catch {
    // A missing file can't be overwritten.
    return null
  }
}
