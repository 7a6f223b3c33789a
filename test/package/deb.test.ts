/** @file The deb, installed by dpkg, used by an ordinary user with Chromium's sandbox on, and removed. Needs root. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sample, shortClip } from '../fixtures/clip.ts'
import type { Ran } from '../fixtures/command.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { describePageTrust } from '../fixtures/page-trust.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { asRoot, asUser, launchAsUser, processesOf, userEnv, type User, type UserApp } from '../fixtures/user-app.ts'
import { packageFile, run } from './packages.ts'

const home = '/opt/Mien'
const executable = join(home, 'mien')
const command = '/usr/bin/mien'
const canInstall = process.platform === 'linux' && asRoot

let user: User
const dir = sharedDir()
let before: string[]

/** Everything where a package could leave something, but for the caches that others keep. */
const traces = (): string[] =>
  ['/opt', '/usr', '/etc', '/var/lib']
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      execFileSync('find', [folder, '-xdev', '-iname', '*mien*'], { encoding: 'utf8' }).split('\n').filter(Boolean),
    )
    .sort()

const dpkg = (...args: string[]): string => execFileSync('dpkg', args, { encoding: 'utf8' })

function mien(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const [program, all] = asUser(user, [command, ...args])
  return run(program, all, { cwd: user.home, env: { ...userEnv(user), ...env } })
}

describe.runIf(canInstall)('the deb', () => {
  beforeAll(() => {
    // A Mien that somebody uses would be removed at the end.
    if (existsSync(home)) throw new Error(`Mien is installed here (${home}): remove it to run these tests.`)
    before = traces()
    dpkg('-i', packageFile('.deb'))
    chmodSync(dir, 0o755)
    const name = `mien-test-${String(process.pid)}`
    execFileSync('useradd', ['--no-create-home', '--home-dir', join(dir, 'home'), name])
    const id = (flag: string): number => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
    user = { uid: id('-u'), gid: id('-g'), home: join(dir, 'home') }
    userEnv(user)
  })
  afterAll(() => {
    // For when a test failed before its end: a user who runs something cannot be removed.
    for (const { pid, uid } of processesOf('')) if (uid === user.uid) process.kill(pid, 'SIGKILL')
    execFileSync('userdel', [`mien-test-${String(process.pid)}`])
    // For when a test failed before the last one.
    execFileSync('dpkg', ['--purge', '--force-all', 'mien'], { stdio: 'ignore' })
  })

  it('puts the command on the PATH, the program into the menu, and the setuid bit on Chromium’s helper', () => {
    expect(readlinkSync(command)).toBe(executable)
    const helper = statSync(join(home, 'chrome-sandbox'))
    expect([(helper.mode & 0o7777).toString(8), helper.uid]).toEqual(['4755', 0])
    const entry = readFileSync('/usr/share/applications/mien.desktop', 'utf8')
    expect(entry).toContain('\nExec=/opt/Mien/mien %U\n')
    expect(entry).toMatch(/\nCategories=AudioVideo;Video;/)
    execFileSync('desktop-file-validate', ['/usr/share/applications/mien.desktop'])
    for (const size of [16, 48, 256]) {
      expect(existsSync(`/usr/share/icons/hicolor/${String(size)}x${String(size)}/apps/mien.png`)).toBe(true)
    }
    expect(dpkg('-s', 'mien')).toContain('Status: install ok installed')
    expect(dpkg('--verify', 'mien')).toBe('')
  })

  it('needs no library that its dependencies do not bring', () => {
    expect(execFileSync('ldd', [executable], { encoding: 'utf8' })).not.toContain('not found')
  })

  it('swaps on the command line, for an ordinary user', async () => {
    const out = join(user.home, 'out.mp4')
    const face = join(home, 'resources', 'resources', 'sample', 'ellen-ochoa.jpg')
    const clip = await shortClip(join(user.home, 'clip.mp4'))
    const ran = await mien(['swap', '--face', face, '--video', clip, '--out', out, '--json'])
    expect([ran.code, ran.stderr.includes('25 frames')]).toEqual([0, true])
    expect(ran.stderr).not.toContain('[OpenH264]')
    const told = JSON.parse(ran.stdout) as { swappedFrames: number }
    expect(told).toMatchObject({ status: 'completed', output: out, width: 640, height: 360, frames: 25 })
    expect(told.swappedFrames).toBeGreaterThanOrEqual(23)
    const [from, to] = await Promise.all([mediaFacts(clip), mediaFacts(out)])
    expect(to.audio).toEqual(from.audio)
    expect(to.frameTimes).toEqual(from.frameTimes)
  })

  it('has what a server and a worker need', async () => {
    const nowhere = 'postgres://mien:secret@127.0.0.1:1/mien'
    const data = ['--storage', join(user.home, 'files'), '--data-dir', join(user.home, 'server')]
    for (const name of ['serve', 'worker']) {
      const ran = await mien([name, '--database', nowhere, ...data])
      expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining('The database at 127.0.0.1 can’t be reached')])
    }
  })

  describe('its window', () => {
    let running: UserApp

    beforeAll(async () => {
      running = await launchAsUser(user, [command], ['--data-dir', join(user.home, 'data')])
    })
    afterAll(() => running.quit())

    it('does the sample job, with every renderer behind seccomp', async () => {
      const { page } = running
      await page.getByRole('button', { name: 'Try it with sample media' }).click()
      await page.getByRole('progressbar').first().waitFor()
      const working = processesOf(executable).concat(processesOf(`${command} `))
      await page.getByRole('button', { name: 'Save as…' }).waitFor()
      const renderers = working.filter(({ args }) => args.includes('--type=renderer'))
      expect(renderers.length).toBeGreaterThanOrEqual(2)
      for (const each of renderers) expect(each).toMatchObject({ seccomp: 2, uid: user.uid })
      for (const { args } of working) expect(args).not.toContain('--no-sandbox')
      expect(readdirSync(join(user.home, 'data', 'results'))).toEqual(['Sample swap.mp4'])
    })

    describePageTrust(() => running.page, sample.face)

    it('shows the licences of what it is made of', async () => {
      const answer = await running.page.evaluate(() => window.mien.app.licences())
      const text = answer.ok ? answer.value.text : ''
      for (const part of ['mediabunny', 'svelte', 'electron', 'hono', '@github/keytar']) {
        expect(text).toMatch(new RegExp(`^${part} \\d+\\.\\d+`, 'm'))
      }
    })
  })

  it('says so when it is started without the sandbox, as an AppImage’s launcher may do', async () => {
    const running = await launchAsUser(user, [command, '--no-sandbox'], ['--data-dir', join(user.home, 'data')])
    await running.page.getByText('Mien is running without its sandbox.').waitFor()
    await running.quit()
  })

  describe('its program', () => {
    it('does not become Node', async () => {
      // Node would look for a script of that name.
      const ran = await mien(['help'], { ELECTRON_RUN_AS_NODE: '1' })
      expect([ran.code, ran.stdout.includes('Usage: mien')]).toEqual([0, true])
    })

    it('runs nothing that the environment names, and opens no inspector', async () => {
      const planted = join(user.home, 'planted.cjs')
      writeFileSync(planted, 'process.stdout.write("planted")')
      const ran = await mien(['--inspect=0', 'help'], { NODE_OPTIONS: `--require ${planted}` })
      expect(ran.stdout).toContain('Usage: mien')
      expect(ran.stdout).not.toContain('planted')
      expect(ran.stderr).not.toContain('Debugger listening')
    })

    it('loads its app from the archive alone', async () => {
      // A copy, as an intruder may have one; its archive is gone, and a folder in its place.
      const copy = join(dir, 'copy')
      cpSync(home, copy, { recursive: true })
      const app = join(copy, 'resources', 'app')
      mkdirSync(app)
      writeFileSync(join(app, 'package.json'), '{"name": "mien", "main": "main.js"}')
      writeFileSync(join(app, 'main.js'), 'process.stdout.write("planted"); process.exit(0)')
      const start = (): Promise<Ran> => {
        const [program, args] = asUser(user, [join(copy, 'mien'), 'help'])
        return run(program, args, { cwd: user.home, env: userEnv(user) })
      }
      expect((await start()).stdout).toContain('Usage: mien')
      renameSync(join(copy, 'resources', 'app.asar'), join(copy, 'resources', 'away.asar'))
      expect((await start()).stdout).not.toContain('planted')
    })
  })

  it('is still there after it was installed over itself', () => {
    dpkg('-i', packageFile('.deb'))
    expect(readlinkSync(command)).toBe(executable)
    expect(statSync(join(home, 'chrome-sandbox')).mode & 0o4000).toBe(0o4000)
  })

  it('leaves nothing when it is removed', () => {
    expect(traces()).not.toEqual(before)
    dpkg('--purge', 'mien')
    expect(traces()).toEqual(before)
    expect(existsSync(home)).toBe(false)
  })
})
