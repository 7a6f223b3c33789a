import { statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureDataFolder } from '../../../../../src/main/machine/disk/data-folder.ts'
import { makeFolder, makeFolderSync } from '../../../../../src/main/machine/disk/make-folder.ts'
import { sharedDir } from '../../../../fixtures/temp-dir.ts'

const dir = sharedDir()
beforeAll(() => {
  writeFileSync(join(dir, 'file'), '')
  symlinkSync(join(dir, 'nowhere'), join(dir, 'link'))
})

describe.each([
  ['makeFolder', makeFolder],
  [
    'makeFolderSync',
    (...args: Parameters<typeof makeFolderSync>) =>
      new Promise<void>((resolve) => {
        makeFolderSync(...args)
        resolve()
      }),
  ],
])('%s', (name, make) => {
  it('makes a folder and those it is in, and accepts one that exists', async () => {
    const path = join(dir, name, 'a', 'b')
    await make(path, { mode: 0o700 })
    await make(path, { mode: 0o700 })
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  it.runIf(process.platform === 'linux').each([
    ['a file system that makes no folders', () => '/proc/mien', /ENOENT/],
    ['a folder in such a one', () => '/proc/mien/data', /ENOENT/],
    ['a link that leads nowhere', () => join(dir, 'link'), /ENOENT/],
    ['a file', () => join(dir, 'file'), /EEXIST/],
    ['a folder in a file', () => join(dir, 'file', 'data'), /ENOTDIR/],
  ])('refuses %s', async (_what, path, code) => {
    await expect((async () => make(path()))()).rejects.toThrow(code)
  })
})

it.runIf(process.platform === 'linux')('a --data-dir that can’t be made is wrong usage', () => {
  const ensure = (given: boolean) => (): void => {
    ensureDataFolder('/proc/mien', { given, write: false })
  }
  expect(ensure(true)).toThrow(expect.objectContaining({ code: 'usage' }))
  expect(ensure(false)).toThrow(expect.objectContaining({ code: 'folder-read-only' }))
})
