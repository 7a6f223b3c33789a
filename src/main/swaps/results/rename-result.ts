/** @file Renames the file of a result in its folder. Never overwrites a file. */
import { stat } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { saveFailure } from '../../machine/disk/disk-errors.ts'
import { placeFile } from './place-file.ts'
import { fileNames } from './result-name.ts'

/**
 * @param name without extension
 * @param onPlaced called when the file has its new name and, where the file system has links, still its old one
 * @throws MienError `file-missing`, `folder-read-only`, `disk-full`
 */
export async function renameResult(path: string, name: string, onPlaced: (path: string) => void): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) throw new MienError('file-missing', { name })
  const names = fileNames(name, extname(path).slice(1))
  try {
    await placeFile({ part: path, folder: dirname(path), names, onTry: () => undefined, onPlaced })
  } catch (error) {
    throw await saveFailure(error, path)
  }
}
