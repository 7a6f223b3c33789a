/**
 * @file The main job as an ordinary user, with Chromium's own sandbox on. Root cannot have that
 * sandbox, so as root the app is copied to where everybody may read it and started as nobody.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shortClip } from '../fixtures/clip.ts'
import { asRoot, launchAsUser, processesOf, type UserApp } from '../fixtures/user-app.ts'
import { dropSwap, electronPath } from './app.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const nobody = 65534
let dir: string
let clip: string
let running: UserApp

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'mien-user-'))
  chmodSync(dir, 0o755)
  const app = join(dir, 'app')
  const runtime = join(dir, 'electron')
  const built = process.env['MIEN_APP_DIR'] ?? root
  // A checkout has `out`; a build elsewhere has its parts side by side.
  for (const name of ['package.json', 'out', 'main', 'preload', 'renderer', 'resources']) {
    const from = join(built, name)
    if (!existsSync(from)) continue
    cpSync(from, join(app, name), {
      recursive: true,
      dereference: true,
      filter: (path) => !path.includes('node_modules'),
    })
  }
  cpSync(join(root, 'node_modules', 'keytar'), join(app, 'node_modules', 'keytar'), { recursive: true })
  // Linked where it can be: it is 250 MB.
  execFileSync('sh', ['-c', 'cp -al "$1" "$2" 2>/dev/null || cp -a "$1" "$2"', 'sh', dirname(electronPath()), runtime])
  clip = await shortClip(join(dir, 'clip.mp4'))
  const user = { uid: nobody, gid: nobody, home: join(dir, 'home') }
  running = await launchAsUser(user, [join(runtime, 'electron'), app], ['--data-dir', join(user.home, 'data')])
})
afterAll(async () => {
  await running.quit()
  rmSync(dir, { recursive: true, force: true })
})

describe('as an ordinary user', () => {
  it('the main job ends in a kept video, with every renderer behind seccomp', async () => {
    const { page } = running
    await dropSwap(page, clip)
    await page.getByRole('progressbar').first().waitFor()
    const working = processesOf(join(dir, 'electron', 'electron'))
    await page.getByRole('button', { name: 'Save as…' }).waitFor()
    const renderers = working.filter(({ args }) => args.includes('--type=renderer'))
    // The studio's and the engine's.
    expect(renderers.length).toBeGreaterThanOrEqual(2)
    for (const each of renderers) expect(each).toMatchObject({ seccomp: 2 })
    for (const { args } of working) expect(args).not.toContain('--no-sandbox')
    if (asRoot) expect(new Set(working.map(({ uid }) => uid))).toEqual(new Set([nobody]))
    expect(readdirSync(join(dir, 'home', 'data', 'results'))).toEqual(['Clip.mp4'])
  })
})
