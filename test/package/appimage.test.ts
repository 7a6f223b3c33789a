/** @file The AppImage and the rpm, as far as they can be tried where neither is at home. Linux. */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { asUser, launchAsUser, processesOf, userEnv, type User } from '../fixtures/user-app.ts'
import { packageFile, run } from './packages.ts'

/** Nobody else's, so that no other process is taken for ours. */
const someone = 65_533
const dir = sharedDir()
let user: User
let image: string

describe.runIf(process.platform === 'linux')('the AppImage', () => {
  beforeAll(() => {
    chmodSync(dir, 0o755)
    user = { uid: someone, gid: someone, home: join(dir, 'home') }
    image = join(dir, 'Mien.AppImage')
    copyFileSync(packageFile('.AppImage'), image)
    chmodSync(image, 0o755)
  })

  it('is a command line too', async () => {
    const [program, args] = asUser(user, [image, 'swap', '--fly'])
    const ran = await run(program, args, { cwd: user.home, env: { ...userEnv(user), TMPDIR: user.home } })
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('Unknown option: --fly')
  })

  it('opens its window for an ordinary user, in Chromium’s sandbox', async () => {
    const running = await launchAsUser(user, [image], ['--data-dir', join(user.home, 'data')])
    await running.page.getByRole('button', { name: 'Try it with sample media' }).waitFor()
    const renderers = processesOf('--type=renderer').filter(({ uid }) => uid === someone)
    expect(renderers.length).toBeGreaterThanOrEqual(1)
    for (const each of renderers) {
      expect(each).toMatchObject({ seccomp: 2 })
      expect(each.args).not.toContain('--no-sandbox')
    }
    await running.quit()
  })

  it('starts by its menu entry with the sandbox on', () => {
    const offset = execFileSync(image, ['--appimage-offset'], { encoding: 'utf8' }).trim()
    const entry = execFileSync('unsquashfs', ['-offset', offset, '-cat', image, 'mien.desktop'], { encoding: 'utf8' })
    expect(entry).toMatch(/^Exec=AppRun %U$/m)
  })
})

describe.runIf(process.platform === 'linux')('the rpm', () => {
  const ask = (...args: string[]): string =>
    execFileSync('rpm', ['-qp', ...args, packageFile('.rpm')], { encoding: 'utf8' })

  it('holds the program, its menu entry and its icons, and no links by build id', () => {
    const files = ask('-l').split('\n')
    for (const path of ['/opt/Mien/mien', '/opt/Mien/chrome-sandbox', '/usr/share/applications/mien.desktop']) {
      expect(files).toContain(path)
    }
    expect(files.filter((path) => path.includes('.build-id'))).toEqual([])
  })

  it('keeps the command when a new version takes over: rpm removes the old one afterwards', () => {
    expect(ask('--scripts')).toContain('chmod 4755')
    // rpm tells its script how many versions stay.
    expect(ask('--scripts')).toMatch(/\[1-9\]\*\) exit 0/)
  })
})
