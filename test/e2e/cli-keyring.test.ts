/** @file A keyring that does not answer: commands say so and end, and a window quits. The test's session has its own keyring. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { jsonLines, runMien, type Ran } from '../fixtures/command.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { launch } from './app.ts'
import { runWarm } from './warm.ts'

const dir = sharedDir()
let bus: ChildProcess
let env: Record<string, string>
let keyring: number

const inData = (args: string[]): string[] => [...args, '--data-dir', join(dir, 'mien'), '--json']
const mien = (args: string[], more: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  runMien(inData(args), { cwd: dir, env: { ...env, ...more } })

/** The keyring of this session, among those of others. */
function keyringOf(session: string): number {
  const found = readdirSync('/proc').find((pid) => {
    try {
      const isKeyring = readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('gnome-keyring-daemon')
      return isKeyring && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`XDG_RUNTIME_DIR=${session}`)
    } catch {
      return false
    }
  })
  return Number(found)
}

beforeAll(async () => {
  const folders = { XDG_DATA_HOME: 'data', XDG_CONFIG_HOME: 'config', XDG_RUNTIME_DIR: 'run' }
  env = Object.fromEntries(Object.entries(folders).map(([name, folder]) => [name, join(dir, folder)]))
  for (const path of Object.values(env)) {
    mkdirSync(path)
    chmodSync(path, 0o700)
  }
  bus = spawn('dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address=3'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  env['DBUS_SESSION_BUS_ADDRESS'] = await new Promise<string>((resolve) => {
    bus.stdio[3]?.once('data', (text: Buffer) => resolve(text.toString().trim()))
  })
  const args = ['--unlock', '--components=secrets']
  spawnSync('gnome-keyring-daemon', args, { env: { ...process.env, ...env }, input: '\n' })
  keyring = keyringOf(join(dir, 'run'))
  await runWarm(inData(['profile', 'add', 'Agency', '--base-url', 'https://a.example']), { cwd: dir })
  process.kill(keyring, 'SIGSTOP')
})
afterAll(() => {
  process.kill(keyring, 'SIGKILL')
  bus.kill()
})

it('key status says that the keyring does not answer, and ends with 4', async () => {
  // Half a minute is over at once (test/unit/main/machine/keychain has the real limit).
  const sooner = join(dir, 'sooner.cjs')
  // Electron takes it from there, too.
  const patch = "const t = require('timers'), s = t.setTimeout; globalThis.setTimeout = t.setTimeout"
  writeFileSync(sooner, `${patch} = (work, ms, ...more) => s(work, ms === 30_000 ? 500 : ms, ...more)`)
  const ran = await mien(['key', 'status', '--profile', 'Agency'], { NODE_OPTIONS: `--require ${sooner}` })
  expect(ran, ran.stderr).toMatchObject({ code: 4 })
  expect(jsonLines(ran)).toMatchObject([{ error: { code: 'no-keychain', details: { reason: 'silent' } } }])
  expect(ran.stderr).toContain('keychain isn’t responding')
  expect(ran.stdout).not.toContain('"kept"')
})

it('list does not ask the keyring at all', async () => expect(await mien(['list'])).toMatchObject({ code: 0 }))

it('a window quits in time, without a crash', async () => {
  const studio = await launch({ dataDir: join(dir, 'mien'), env })
  // Playwright forgets the process once it has ended.
  const child = studio.app.process()
  // Answered after a second, while the keyring is still being asked for the service's key.
  await studio.page.evaluate(() => window.mien.profiles.list())
  const from = performance.now()
  await studio.quit({ keep: true })
  expect([child.exitCode, child.signalCode]).toEqual([0, null])
  // It waits three seconds for the keyring. Without care, keytar would hold the process for half a minute and abort it.
  expect(performance.now() - from).toBeLessThan(20_000)
})
