import { link } from 'node:fs/promises'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { placeFile, wasPlaced, renameResult, fileNames } from '../../../../../src/main/swaps/results/place-file.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const at = tempPaths()

/** As on FAT and many network shares. */
const noLinks = (): Promise<void> => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' }))

const place = (content: string, links: typeof link, onTry: (path: string) => void = () => undefined) => {
  const part = at(`${content}.part`)
  writeFileSync(part, content)
  return placeFile({ part, folder: at(), names: fileNames('Clip', 'mp4'), onTry, link: links })
}

describe.each([
  ['with links', link],
  ['without links', noLinks],
])('a file on a disk %s', (_what, links) => {
  it('gets the first free name, and nothing else is left', async () => {
    writeFileSync(at('Clip.mp4'), 'mine')
    const tried: string[] = []
    const path = await place('ours', links, (each) => tried.push(basename(each)))
    expect(basename(path)).toBe('Clip 2.mp4')
    expect(tried).toEqual(['Clip 2.mp4'])
    expect(readdirSync(at()).sort()).toEqual(['Clip 2.mp4', 'Clip.mp4'])
    expect(readFileSync(path, 'utf8')).toBe('ours')
  })

  it('goes to the next name when one is taken at the last moment', async () => {
    const path = await place('ours', links, (each) => {
      if (!each.endsWith('3.mp4')) writeFileSync(each, 'mine', { flag: 'wx' })
    })
    expect(basename(path)).toBe('Clip 3.mp4')
    for (const name of ['Clip.mp4', 'Clip 2.mp4']) expect(readFileSync(at(name), 'utf8')).toBe('mine')
  })

  it('and thirty others in a race all stay whole', async () => {
    const contents = Array.from({ length: 30 }, (_, index) => `content-${String(index)}`)
    const paths = await Promise.all(contents.map((content) => place(content, links)))
    expect(new Set(paths).size).toBe(30)
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(contents)
    expect(readdirSync(at())).toHaveLength(30)
  })
})

describe('after a crash', () => {
  const [part, path] = ['x.part', 'Clip.mp4']

  it.each<[string, Record<string, string>, boolean, string[]]>([
    ['before anything was placed', { [part]: 'ours' }, false, [part]],
    ['after it was placed', { [path]: 'ours' }, true, [path]],
    ['with a file of somebody else there', { [part]: 'ours', [path]: 'mine' }, false, [path, part]],
    ['between the placeholder and the file', { [part]: 'ours', [path]: '' }, false, [part]],
    ['with nothing left of it', {}, false, []],
  ])('%s, it is known what happened', async (_what, files, placed, left) => {
    for (const [name, content] of Object.entries(files)) writeFileSync(at(name), content)
    expect(await wasPlaced(at(part), at(path))).toBe(placed)
    expect(readdirSync(at()).sort()).toEqual([...left].sort())
  })

  it('between the link and the removal of the part, it is known that it was placed', async () => {
    writeFileSync(at(part), 'ours')
    await link(at(part), at(path))
    expect(await wasPlaced(at(part), at(path))).toBe(true)
    expect(existsSync(at(part))).toBe(true)
  })
})

describe('the name of a result', () => {
  let path: string
  beforeEach(() => {
    path = at('Clip.mp4')
    writeFileSync(path, 'ours')
  })

  it('gives the file its name, with its extension', async () => {
    let during: string[] = []
    await renameResult(path, 'Launch day', (placed) => {
      expect(basename(placed)).toBe('Launch day.mp4')
      // Recorded while both names are there, so that a crash loses neither.
      during = readdirSync(at()).sort()
    })
    expect(during).toEqual(['Clip.mp4', 'Launch day.mp4'])
    expect(readdirSync(at())).toEqual(['Launch day.mp4'])
  })

  it('never overwrites a file', async () => {
    writeFileSync(at('Launch day.mp4'), 'mine')
    await renameResult(path, 'Launch day', () => undefined)
    expect(readFileSync(at('Launch day.mp4'), 'utf8')).toBe('mine')
    expect(readFileSync(at('Launch day 2.mp4'), 'utf8')).toBe('ours')
  })

  it('says that the file is gone', async () => {
    const renaming = renameResult(at('gone.mp4'), 'Launch day', () => undefined)
    await expect(renaming).rejects.toMatchObject({ code: 'file-missing' })
  })
})
