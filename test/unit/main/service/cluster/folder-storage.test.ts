/** @file What only the storage in a folder has to do. */
import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { BlobStorage } from '../../../../../src/main/service/cluster/storage/blob-storage.ts'
import { openStorage } from '../../../../../src/main/cli/server/open-storage.ts'
import { asRoot } from '../../../../fixtures/as-user.ts'
import { fileToStore, listOf, type StoredFile } from '../../../../fixtures/stored-files.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const mega = 1 << 20
const day = 24 * 3_600_000

const inDir = tempPaths()
let storage: BlobStorage

const source = (bytes: number): StoredFile => fileToStore(inDir(), bytes)
const listed = (): Promise<Map<string, number>> => listOf(storage)

/** Its own process, which runs TypeScript. */
const putFile = (...args: string[]): ChildProcess =>
  fork(join(import.meta.dirname, 'put-file.ts'), args, {
    execArgv: ['--experimental-transform-types', '--no-warnings'],
  })

describe('a folder', () => {
  let root: string
  beforeEach(async () => {
    root = inDir('storage')
    mkdirSync(root)
    storage = openStorage(root, {})
    await storage.check()
  })

  it('is nobody else’s to read', async () => {
    const file = source(10)
    await storage.put(file.name, file.path)
    const path = join(root, file.name.slice(0, 2), file.name)
    const modes = [dirname(path), path].map((each) => statSync(each).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600])
  })

  it.runIf(process.platform === 'linux')('takes a file of its disk as it is, and copies one of another', async () => {
    const file = source(10)
    chmodSync(file.path, 0o644)
    const other = openStorage(mkdtempSync('/dev/shm/mien-'), {})
    await other.check()
    for (const each of [storage, other]) await each.take(file.name, file.path, { sync: true })
    const [own, copy] = [storage, other].map((each) => each.pathOf(file.name) ?? '')
    expect(statSync(own ?? '')).toMatchObject({ ino: statSync(file.path).ino, mode: 0o100600 })
    expect(statSync(copy ?? '').dev).not.toBe(statSync(file.path).dev)
    expect(readFileSync(copy ?? '')).toEqual(file.content)
    rmSync(dirname(dirname(copy ?? '')), { recursive: true })
  })

  it.runIf(process.platform !== 'win32')('has no half file after a kill, and no leftovers a day later', async () => {
    const large = source(64 * mega)
    const file = source(3 * mega)
    const ended = await once(putFile(root, large.name, large.path), 'exit')
    expect(ended).toEqual([null, 'SIGKILL'])
    const incoming = join(root, 'incoming')
    const [size = 0, ...more] = readdirSync(incoming).map((name) => statSync(join(incoming, name)).size)
    expect(size > 0 && size < 64 * mega && more.length === 0).toBe(true)
    expect(await storage.has(large.name)).toBe(false)
    expect(await storage.has(file.name)).toBe(false)
    expect(await listed()).toEqual(new Map())
    await storage.put(file.name, file.path)
    await storage.check()
    const [left = ''] = readdirSync(incoming)
    const before = new Date(Date.now() - day - 60_000)
    utimesSync(join(incoming, left), before, before)
    await storage.check()
    expect(readdirSync(incoming)).toEqual([])
    expect([...(await listed()).keys()]).toEqual([file.name])
  })

  it('is unreachable while its disk is gone, and has what it had when it is back', async () => {
    const file = source(10)
    await storage.put(file.name, file.path)
    renameSync(root, `${root}-gone`)
    const { name, path } = file
    for (const call of [() => storage.has(name), () => storage.read(name), () => storage.put(name, path), listed])
      await expect(call()).rejects.toMatchObject({ code: 'storage-unreachable' })
    // The disk's folder stays where the disk is gone.
    mkdirSync(root)
    await expect(storage.has(file.name)).rejects.toMatchObject({ code: 'storage-unreachable' })
    await expect(storage.put(file.name, file.path)).rejects.toMatchObject({ code: 'storage-unreachable' })
    expect(readdirSync(root)).toEqual([])
    rmdirSync(root)
    renameSync(`${root}-gone`, root)
    expect(await storage.has(file.name)).toBe(true)
  })

  it('cannot be a file', async () => {
    writeFileSync(inDir('a file'), '')
    const code = 'folder-missing'
    await expect(openStorage(inDir('a file', 'storage'), {}).check()).rejects.toMatchObject({ code })
  })

  // Only root may mount a small disk.
  it.runIf(asRoot && process.platform === 'linux')('names a full disk, and one that is read-only', async () => {
    const disk = inDir('disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
    try {
      const small = openStorage(disk, {})
      await small.check()
      const [file, large, another] = [source(10), source(2 * mega), source(10)]
      await small.put(file.name, file.path)
      await expect(small.put(large.name, large.path)).rejects.toMatchObject({
        ...{ code: 'disk-full', details: { needBytes: 2 * mega, folder: expect.stringContaining('disk') as string } },
      })
      expect(readdirSync(join(disk, 'incoming'))).toEqual([])
      expect(() => writeFileSync(join(disk, 'ballast'), large.content)).toThrow(/ENOSPC/)
      await expect(small.check()).rejects.toMatchObject({ code: 'disk-full' })
      rmSync(join(disk, 'ballast'))
      execFileSync('mount', ['-o', 'remount,ro', disk])
      const refused = { code: 'folder-read-only' }
      await expect(small.check()).rejects.toMatchObject(refused)
      await expect(small.put(another.name, another.path)).rejects.toMatchObject(refused)
      await expect(small.remove(file.name)).rejects.toMatchObject(refused)
      await small.put(file.name, file.path)
      expect(await small.fetch(file.name, inDir('copy'))).toBe(true)
    } finally {
      execFileSync('umount', ['-l', disk])
    }
  })
})
