/** @file Checks the paths of a command before any work starts, and names all that are wrong. */
import { mkdtemp, realpath, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { MienError, withDetails, usage } from '@shared/errors.ts'
import { checkReadable } from '../../machine/disk/disk-errors.ts'
import { commandLines } from './report-error.ts'
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
  // Tried, because some folders, such as /proc, only say that they can be written to. Room is checked with the size known.
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

/**
 * @param out the result's path; null: none is written
 * @param inputs paths of files that are read
 * @throws MienError of the first wrong path. `also`: a line for each of the others
 */
export async function checkPaths(command: string, out: string | null, inputs: readonly string[]): Promise<void> {
  const checks = [...(out === null ? [] : [checkOut(out, inputs)]), ...[...new Set(inputs)].map(checkInput)]
  const results = await Promise.allSettled(checks)
  const problems = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  const [first, ...others] = problems
  if (problems.length === 0) return
  if (!(first instanceof MienError)) throw first
  const also = others.flatMap((each) => (each instanceof MienError ? (commandLines(command, each.body)[0] ?? []) : []))
  throw also.length > 0 ? withDetails(first, { also: also.join('\n') }) : first
}

/** @throws MienError as `checkReadable`, with the file's name */
async function checkInput(path: string): Promise<void> {
  await checkReadable(path).catch((error: unknown) => {
    throw withDetails(error, { name: basename(path) })
  })
}
