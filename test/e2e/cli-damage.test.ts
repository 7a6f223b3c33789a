/** @file Damaged data under the command line: said with what to do, kept as a copy, and never lost without a word. */
import { copyFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/clip.ts'
import { jsonLines, type Ran } from '../fixtures/command.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { runWarm } from './warm.ts'

const dir = sharedDir()
let data: string
let sound: Buffer

const mien = (args: string[]): Promise<Ran> =>
  runWarm([...args, '--json', '--data-dir', data], { cwd: dir, env: { DBUS_SESSION_BUS_ADDRESS: 'disabled:' } })
const library = (): string => join(data, 'library.db')
const broken = (): string[] => readdirSync(data).filter((name) => name.includes('broken'))

beforeAll(async () => {
  data = join(dir, 'data')
  const queued = await mien(['submit', '--profile', 'This computer', '--face', sample.face, '--video', sample.video])
  expect(queued, queued.stderr).toMatchObject({ code: 0 })
  sound = readFileSync(library())
})
beforeEach(() => {
  for (const name of [...broken(), 'library.db-wal', 'library.db-shm']) rmSync(join(data, name), { force: true })
  writeFileSync(library(), sound)
})

describe('a damaged library', () => {
  it.each([
    ['cut off', () => truncateSync(library(), 5000)],
    ['emptied', () => truncateSync(library(), 0)],
    ['another file', () => copyFileSync(sample.face, library())],
  ])('%s: what only reads says so; what changes it keeps a copy, and names it', async (_what, damage) => {
    damage()
    const damaged = readFileSync(library())
    const read = await mien(['list'])
    expect(read, read.stderr).toMatchObject({ code: 5 })
    expect(jsonLines(read)).toMatchObject([{ error: { code: 'data-damaged' } }])
    expect(read.stderr).toMatch(/library is damaged.*backup/i)
    expect(read.stderr).not.toContain('Your library is safe')
    expect(broken()).toEqual([])
    const changed = await mien(['watch'])
    expect(changed, changed.stderr).toMatchObject({ code: 0 })
    const [copy = ''] = broken()
    expect(readFileSync(join(data, copy))).toEqual(damaged)
    expect(changed.stderr).toContain(copy)
    expect(await mien(['list'])).toMatchObject({ code: 0, stdout: '' })
  })
})

describe('damaged settings', () => {
  it('with one bad profile: said, a copy is kept and named, and the other profiles stay', async () => {
    for (const name of ['One', 'Two']) await mien(['profile', 'add', name, '--base-url', 'https://a.example'])
    const file = join(data, 'settings.json')
    const text = readFileSync(file, 'utf8').replace(/("name": "Two"[^}]*"durationUnit": )"ms"/, '$1"sec"')
    expect(text).toContain('"sec"')
    writeFileSync(file, text)
    const listed = await mien(['profile', 'list'])
    expect(jsonLines(listed).map(({ name }) => name)).toEqual(['This computer', 'One'])
    expect(listed.stderr).toContain('settings are damaged')
    expect(broken()).toEqual([])
    const added = await mien(['profile', 'add', 'Three', '--base-url', 'https://a.example'])
    const [copy = ''] = broken()
    expect(added.stderr).toContain(copy)
    expect(readFileSync(join(data, copy), 'utf8')).toBe(text)
    expect(jsonLines(await mien(['profile', 'list'])).map(({ name }) => name)).toEqual([
      'This computer',
      'One',
      'Three',
    ])
  })
})
