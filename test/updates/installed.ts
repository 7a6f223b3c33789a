/** @file An AppImage that somebody downloaded, in a folder of his own, driven from outside. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { vi } from 'vitest'
import { freePort } from '../fixtures/listen.ts'
import { asRoot, asUser, processesOf, userEnv, type User } from '../fixtures/user-app.ts'

const nobody = 65534

export const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

export class Installed {
  readonly path: string
  readonly dataDir: string
  readonly user: User
  private child: ChildProcess | null = null
  private browser: Browser | null = null
  private port = 0
  output = ''

  /** Copies the AppImage `from` into `appDir`, as the user's own. */
  constructor(dir: string, from: string, appDir = join(dir, 'apps')) {
    this.user = { uid: nobody, gid: nobody, home: join(dir, 'home') }
    this.dataDir = join(this.user.home, 'data')
    this.path = join(appDir, 'Mien.AppImage')
    mkdirSync(appDir, { recursive: true })
    copyFileSync(from, this.path)
    chmodSync(this.path, 0o755)
    if (asRoot) for (const path of [appDir, this.path]) chownSync(path, nobody, nobody)
  }

  /** Starts it and gives the studio's page. */
  async start(address: string, env: Record<string, string> = {}): Promise<Page> {
    this.port = await freePort()
    const args = [`--remote-debugging-port=${String(this.port)}`, '--data-dir', this.dataDir]
    const [program, all] = asUser(this.user, [this.path, ...args])
    const all_env = { ...userEnv(this.user), MIEN_UPDATE_ADDRESS: address, TMPDIR: this.user.home, ...env }
    this.child = spawn(program, all, { env: all_env, cwd: this.user.home })
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (part: Buffer) => (this.output += part.toString()))
    return this.page()
  }

  /** The page of whichever version listens now: after a restart it is another process on the same port. */
  async page(): Promise<Page> {
    return vi.waitFor(
      async () => {
        this.browser = await chromium.connectOverCDP(`http://127.0.0.1:${String(this.port)}`)
        const pages = this.browser.contexts().flatMap((context) => context.pages())
        const page = pages.find((each) => each.url().startsWith('app://studio/'))
        if (!page) throw new Error(`there is no studio window: ${this.output}`)
        await page.getByRole('navigation').first().waitFor({ timeout: 10_000 })
        return page
      },
      { timeout: 40_000, interval: 200 },
    )
  }

  /** Processes of the app itself, whatever version. */
  processes(): number[] {
    return processesOf(this.dataDir).map(({ pid }) => pid)
  }

  /** The main process: the one that is nobody's helper. */
  main(): number {
    const mains = processesOf(this.dataDir).filter(
      ({ args }) => !args.includes('--type=') && !args.includes('/bin/sh '),
    )
    const found = mains.find(({ args }) => /\/mien /.test(args))
    if (!found) throw new Error('the app does not run')
    return found.pid
  }

  /** Ends it as the system does at a log-out, and waits until nothing of it runs. */
  async quit(): Promise<void> {
    process.kill(this.main(), 'SIGTERM')
    await this.ended()
  }

  async ended(): Promise<void> {
    await vi.waitFor(
      () => {
        if (this.processes().length > 0) throw new Error('it still runs')
      },
      { timeout: 30_000, interval: 50 },
    )
  }

  /** Whatever the test left behind. */
  dispose(): void {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself.
      }
    }
  }
}
