/** @file An AppImage that somebody downloaded, in a folder of his own, driven from outside. */
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { vi } from 'vitest'
import { asRoot, launchAsUser, processesOf, type User } from '../fixtures/user-app.ts'

const nobody = 65534

export const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

export class Installed {
  readonly path: string
  readonly dataDir: string
  readonly user: User

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
    const all = { MIEN_UPDATE_ADDRESS: address, TMPDIR: this.user.home, ...env }
    const command = ['env', ...Object.entries(all).map(([name, value]) => `${name}=${value}`), this.path]
    const { page } = await launchAsUser(this.user, command, ['--data-dir', this.dataDir])
    await page.getByRole('navigation').first().waitFor()
    return page
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
