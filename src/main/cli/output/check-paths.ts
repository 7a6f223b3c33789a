/** @file Checks the paths of a command before any work starts, and names all that are wrong. */
import { basename } from 'node:path'
import { MienError, withDetails } from '@shared/errors.ts'
import { checkReadable } from '../../machine/disk/file-failure.ts'
import { checkOut } from './out-file.ts'
import { commandLines } from './report-error.ts'

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
