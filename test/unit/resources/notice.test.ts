import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const resources = fileURLToPath(new URL('../../../resources', import.meta.url))

it('every weight and sample is named in the notice, with the hash of the very file', () => {
  const notice = readFileSync(join(resources, 'NOTICE.md'), 'utf8')
  const listed = [...notice.matchAll(/^\| ((?:models|sample)\/\S+) \|.*\| ([0-9a-f]{64}) \|$/gm)].map(([, file, hash]) => ({
    file,
    hash,
  }))
  const there = ['models', 'sample'].flatMap((folder) =>
    readdirSync(join(resources, folder)).map((name) => ({
      file: `${folder}/${name}`,
      hash: createHash('sha256').update(readFileSync(join(resources, folder, name))).digest('hex'),
    })),
  )
  const byFile = (a: { file?: string | undefined }, b: { file?: string | undefined }) => (a.file ?? '').localeCompare(b.file ?? '')
  expect(listed.sort(byFile)).toEqual(there.sort(byFile))
})
