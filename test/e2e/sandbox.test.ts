/**
 * @file The sample job as an ordinary user, with Chromium's own sandbox on. Root cannot have that
 * sandbox, so as root the app is copied to where everybody may read it and started as nobody.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { electronPath } from './app.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const asRoot = process.getuid?.() === 0
const nobody = 65534
let dir: string
let child: ChildProcess
let browser: Browser
let page: Page

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
  const home = join(dir, 'home')
  mkdirSync(home)
  // The screen's cookie, where it has one, in a copy that this user may read.
  const cookie = join(home, '.Xauthority')
  if (process.env['XAUTHORITY']) cpSync(process.env['XAUTHORITY'], cookie)
  for (const path of [home, cookie]) if (asRoot && existsSync(path)) chownSync(path, nobody, nobody)
  const command = [join(runtime, 'electron'), '--remote-debugging-port=0', app, '--data-dir', join(home, 'data')]
  const as = asRoot ? ['setpriv', `--reuid=${String(nobody)}`, `--regid=${String(nobody)}`, '--clear-groups'] : []
  const [program = '', ...args] = [...as, ...command]
  child = spawn(program, args, {
    env: {
      ...process.env,
      HOME: home,
      XAUTHORITY: cookie,
      XDG_RUNTIME_DIR: home,
      XDG_CONFIG_HOME: home,
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    },
    cwd: home,
  })
  browser = await chromium.connectOverCDP(await debuggerAddress(child))
  page = await studioPage(browser)
})
afterAll(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
  rmSync(dir, { recursive: true, force: true })
})

function debuggerAddress(electron: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    electron.stderr?.on('data', (part: Buffer) => {
      text += part.toString()
      const address = /DevTools listening on (ws:\S+)/.exec(text)?.[1]
      if (address) resolve(address)
    })
    electron.once('exit', (code) => {
      reject(new Error(`Electron ended with ${String(code)}: ${text}`))
    })
  })
}

const studioPage = (from: Browser): Promise<Page> =>
  vi.waitFor(
    () => {
      const pages = from.contexts().flatMap((context) => context.pages())
      const found = pages.find((each) => each.url().startsWith('app://studio/'))
      if (!found) throw new Error('there is no studio window')
      return found
    },
    { timeout: 10_000 },
  )

interface Process {
  pid: number
  args: string
  uid: number
  seccomp: number
}

/** The app's processes, as the kernel sees them. */
function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
        if (!args.includes(join(dir, 'electron', 'electron'))) return []
        const status = readFileSync(`/proc/${name}/status`, 'utf8')
        const field = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1])
        return [{ pid: Number(name), args, uid: field('Uid'), seccomp: field('Seccomp') }]
      } catch {
        // It ended between the look and the read.
        return []
      }
    })
}

describe('as an ordinary user', () => {
  it('the sample job ends in a kept video, with every renderer behind seccomp', async () => {
    await page.getByRole('button', { name: 'Try it with sample media' }).click()
    await page.getByRole('progressbar').first().waitFor()
    const working = processes()
    await page.getByRole('button', { name: 'Save as…' }).waitFor({ timeout: 90_000 })
    const renderers = working.filter(({ args }) => args.includes('--type=renderer'))
    // The studio's and the engine's.
    expect(renderers.length).toBeGreaterThanOrEqual(2)
    for (const each of renderers) expect(each).toMatchObject({ seccomp: 2 })
    for (const { args } of working) expect(args).not.toContain('--no-sandbox')
    if (asRoot) expect(new Set(working.map(({ uid }) => uid))).toEqual(new Set([nobody]))
    expect(readdirSync(join(dir, 'home', 'data', 'results'))).toEqual(['Sample swap.mp4'])
  })
})
