/** @file Damaged data under the command line: said with what to do, kept as a copy, and never lost without a word. */
import { appendFileSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sample } from '../fixtures/clip.ts'
import { jsonLines, type Ran } from '../fixtures/command.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { runWarm } from './warm.ts'

const dir = sharedDir()
const data = join(dir, 'data')

const mien = (args: string[]): Promise<Ran> =>
  runWarm([...args, '--json', '--data-dir', data], { cwd: dir, env: { DBUS_SESSION_BUS_ADDRESS: 'disabled:' } })
const broken = (): string[] => readdirSync(data).filter((name) => name.includes('broken'))

it('both are said by what only reads; what changes them keeps copies, and names them', async () => {
  const queued = await mien(['submit', '--profile', 'This computer', '--face', sample.face, '--video', sample.video])
  expect(queued, queued.stderr).toMatchObject({ code: 0 })
  const library = join(data, 'library.db')
  truncateSync(library, 5000)
  appendFileSync(join(data, 'settings.json'), '}')
  const damaged = readFileSync(library)
  const read = await mien(['list'])
  expect(read, read.stderr).toMatchObject({ code: 5 })
  expect(jsonLines(read)).toMatchObject([{ error: { code: 'data-damaged' } }])
  expect(read.stderr).toMatch(/library is damaged.*backup/i)
  expect(read.stderr).not.toContain('Your library is safe')
  expect(read.stderr).toContain('settings are damaged')
  expect(broken()).toEqual([])
  const changed = await mien(['watch'])
  expect(changed, changed.stderr).toMatchObject({ code: 0 })
  const copies = ['library.db', 'settings'].map((kept) => broken().find((name) => name.startsWith(kept)) ?? '?')
  expect(readFileSync(join(data, copies[0] ?? ''))).toEqual(damaged)
  for (const copy of copies) expect(changed.stderr).toContain(copy)
  expect(await mien(['list'])).toMatchObject({ code: 0, stdout: '' })
})
