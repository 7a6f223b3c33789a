/** @file Folders and files that a command cannot use, or must not: refused with a sentence, before any work. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { sample, shortClip } from '../fixtures/clip.ts'
import { jsonLines, runMien, type CommandOptions, type Ran } from '../fixtures/command.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { asRoot, copyForUsers } from '../fixtures/user-app.ts'
import { runWarm } from './warm.ts'

const dir = sharedDir()
let clip: string
/** Root may write everywhere, so as root these commands are run as nobody. */
let as: Required<CommandOptions>['as'] | undefined

beforeAll(async () => {
  const user = { uid: 65534, gid: 65534, home: join(dir, 'home') }
  if (asRoot) as = { user, ...copyForUsers(dir) }
  else mkdirSync(user.home)
  clip = await shortClip(join(dir, 'clip.mp4'))
})

const env = { DBUS_SESSION_BUS_ADDRESS: 'disabled:' }
const mien = (args: string[], more: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  runMien([...args, '--json'], { cwd: dir, env: { ...env, ...more } })
const asOther = (args: string[], more: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  runMien([...args, '--json'], { cwd: join(dir, 'home'), env: { ...env, ...more }, ...(as ? { as } : {}) })
const warm = (args: string[]): Promise<Ran> => runWarm([...args, '--json'], { cwd: dir })
const swap = (out: string, video = clip, face = sample.face): string[] => [
  ...['swap', '--face', face, '--video', video, '--out', out],
]

const refused = (ran: Ran, code: number, error: string): void => {
  expect(ran, ran.stderr).toMatchObject({ code })
  expect(jsonLines(ran)).toMatchObject([{ error: { code: error } }])
  expect(ran.stderr).not.toContain('Something went wrong')
}

describe('what a killed run of another user left in the temporary folder', () => {
  it.runIf(asRoot)('stops nobody, and is left alone', async () => {
    const temporary = join(dir, 'sticky')
    mkdirSync(temporary)
    chmodSync(temporary, 0o1777)
    const others = join(temporary, 'mien-run-4000000-stale', 'x')
    mkdirSync(others, { recursive: true })
    writeFileSync(join(others, 'f'), '')
    const own = join(temporary, 'mien-run-4000001-stale')
    mkdirSync(own)
    chownSync(own, 65534, 65534)
    symlinkSync(others, join(temporary, 'mien-run-4000002-stale'))
    mkdirSync(join(dir, 'home'), { recursive: true })
    const ran = await asOther(['list', '--data-dir', join(dir, 'home', 'data')], { TMPDIR: temporary })
    expect(ran, ran.stderr).toMatchObject({ code: 0 })
    expect(existsSync(join(others, 'f'))).toBe(true)
    expect(existsSync(own)).toBe(false)
  })
})

describe('--data-dir', () => {
  it('in a folder that cannot be written to is refused', async () => {
    const locked = join(dir, 'locked')
    mkdirSync(locked)
    chmodSync(locked, 0o555)
    refused(await asOther(['list', '--data-dir', join(locked, 'data')]), 2, 'usage')
  })

  const tooLong = join(dir, ...Array<string>(24).fill('x'.repeat(99)))
  it.each([
    ['swap', 'where no folder can be made', () => swap('o.mp4'), '/proc/mien/data', ''],
    ['list', 'of 2,400 characters', () => ['list'], tooLong, 'too long'],
    ['list', 'that is a file', () => ['list'], sample.face, ''],
  ])('%s refuses one %s', async (_command, _what, args, folder, said) => {
    const ran = await warm([...args(), '--data-dir', folder])
    refused(ran, 2, 'usage')
    expect(ran.stderr).toContain(said)
  })

  it('is made for its owner only; one that exists keeps its mode, and what is made in it is the owner’s', async () => {
    const mode = (...path: string[]): string => (statSync(join(dir, ...path)).mode & 0o777).toString(8)
    const add = ['profile', 'add', 'A', '--base-url', 'https://a.example', '--data-dir']
    mkdirSync(join(dir, 'given'))
    chmodSync(join(dir, 'given'), 0o755)
    for (const data of ['made', 'given']) expect((await warm([...add, data])).code).toBe(0)
    expect(mode('made')).toBe('700')
    expect(mode('given')).toBe('755')
    const folders = readdirSync(join(dir, 'given'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name)).toEqual(expect.arrayContaining(['media', 'logs']))
    for (const { name } of folders) expect(`${name} ${mode('given', name)}`).toBe(`${name} 700`)
  })

  it('that is the default one is closed to other users', async () => {
    const folder = join(dir, 'config', 'Mien')
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o755)
    await mien(['profile', 'add', 'A', '--base-url', 'https://a.example'], { XDG_CONFIG_HOME: join(dir, 'config') })
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })
})

// A small disk is a mounted one, which only root may do.
describe.runIf(asRoot)('a full disk', () => {
  const onFullDisk = async (run: (disk: string) => Promise<Ran>): Promise<Ran> => {
    const disk = mkdtempSync(join(dir, 'disk-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk])
    try {
      spawnSync('sh', ['-c', `cat /dev/zero > "$1"/fill`, 'sh', disk])
      return await run(disk)
    } finally {
      execFileSync('umount', ['-l', disk])
    }
  }

  it('of the temporary folder: swap says so', async () => {
    refused(await onFullDisk((disk) => mien(swap('never.mp4'), { TMPDIR: disk })), 5, 'disk-full')
    expect(existsSync(join(dir, 'never.mp4'))).toBe(false)
  })
})
