/** @file Verifies a file of the user's, and makes what its credentials say safe to show. */
import { basename } from 'node:path'
import { MienError, withDetails } from '@shared/errors.ts'
import { plain } from '@shared/plain.ts'
import { verificationSchema, type Verification } from '@shared/files/verification.ts'
import { checkReadable } from '../machine/disk/disk-errors.ts'
import { stampOf } from '../machine/disk/files.ts'

/** Anybody can write anything into credentials: longer texts are cut, and further entries left out. */
const maxCharacters = 200
const maxEntries = 100

export type Verify = (path: string, signal?: AbortSignal) => Promise<Verification>

export const shownName = (path: string): string => plain(basename(path), maxCharacters)

/**
 * Runs `verify` on a file.
 * @throws MienError `file-missing`, `file-is-folder`, `file-unreadable`, `file-unreachable`, `file-empty`;
 * `file-changed` if it isn't the same after as before; all with the file's name. The reason of `signal`
 */
export async function verifyFile(path: string, verify: Verify, signal?: AbortSignal): Promise<Verification> {
  await checkFile(path)
  const before = await stateOf(path)
  const found = await Promise.allSettled([verify(path, signal)])
  signal?.throwIfAborted()
  if ((await stateOf(path)) !== before) throw new MienError('file-changed', { name: shownName(path) })
  const [result] = found
  if (result.status === 'rejected') throw named(result.reason, path)
  return withPlainTexts(result.value)
}

/** @throws MienError as `verifyFile`, but not `file-changed` */
export async function checkFile(path: string): Promise<void> {
  await checkReadable(path).catch((error: unknown) => {
    throw named(error, path)
  })
}

function named(error: unknown, path: string): unknown {
  const isFolder = error instanceof MienError && error.code === 'file-is-folder'
  return withDetails(error, { name: shownName(path), ...(isFolder && { reason: 'one-file' }) })
}

/** As `stampOf`, also of a file that is gone. */
const stateOf = (path: string): Promise<string> => stampOf(path).catch(() => 'gone')

const withPlainTexts = (found: Verification): Verification =>
  verificationSchema.parse(
    JSON.parse(
      JSON.stringify(found, (_, part: unknown) => {
        if (typeof part === 'string') return plain(part, maxCharacters).trim()
        return Array.isArray(part) ? part.slice(0, maxEntries) : part
      }),
    ),
  )
