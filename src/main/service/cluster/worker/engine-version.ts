/** @file The version of an engine. Equal versions make equal results, so they can continue each other's work. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'

/**
 * Shortened SHA-256 of everything that an engine's output depends on.
 * @param folders the built engine and its models; their own paths don't matter
 * @param facts other dependencies, such as Chromium's version and the platform
 */
export async function engineVersion(folders: readonly string[], facts: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(facts))
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
    const names = paths.map((path) => relative(folder, path).replaceAll(sep, '/')).sort()
    for (const name of names) {
      const file = createHash('sha256')
      await pipeline(createReadStream(join(folder, name)), file)
      hash.update(`\n${name}\n${file.digest('hex')}`)
    }
    hash.update('\n\n')
  }
  return hash.digest('hex').slice(0, 16)
}
