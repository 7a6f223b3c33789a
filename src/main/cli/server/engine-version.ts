/** @file Which workers can continue each other's work. */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { sha256Of } from '../../machine/disk/files.ts'

/**
 * The version of an engine: shortened SHA-256 of everything that its output depends on. Equal versions make equal
 * results, so they can continue each other's work.
 * @param folders the built engine and its models; their own paths don't matter
 * @param facts other dependencies, such as Chromium's version and the platform
 */
export async function engineVersion(folders: readonly string[], facts: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(facts))
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
    const names = paths.map((path) => relative(folder, path).replaceAll(sep, '/')).sort()
    for (const name of names) hash.update(`\n${name}\n${await sha256Of(join(folder, name))}`)
    hash.update('\n\n')
  }
  return hash.digest('hex').slice(0, 16)
}
