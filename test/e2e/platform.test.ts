/** @file What the computer does to Mien: it sleeps, kills processes, refuses a folder. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Task } from '@shared/tasks/task.ts'
import type { Page } from 'playwright-core'
import { shortClip } from '../fixtures/clip.ts'
import { sharedDir, tempDir } from '../fixtures/temp-dir.ts'
import { dropSwap, electronPath, launch, signalEngine, type Studio } from './app.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const asRoot = process.getuid?.() === 0
const files = sharedDir()
let long: string
let dataDir: string
let studio: Studio | null

beforeAll(async () => {
  long = await shortClip(join(files, 'long.mp4'), 75)
})
beforeEach(() => {
  dataDir = tempDir()
  studio = null
})
afterEach(() => studio?.quit())

const log = (): string => readFileSync(join(dataDir, 'logs', 'mien.log'), 'utf8')
const finished = (page: Page) => page.getByRole('button', { name: 'Save as…' }).waitFor()

/** Sends a swap and waits until some of its frames are done. */
async function beginSwap({ page }: Studio): Promise<void> {
  await dropSwap(page, long)
  const framesDone = () =>
    page.evaluate(async () => {
      const answer = await window.mien.tasks.snapshot()
      const [task] = answer.ok ? (JSON.parse(answer.value.json) as Task[]) : []
      return task?.state === 'processing' ? (task.progress?.framesDone ?? 0) : 0
    })
  await expect.poll(framesDone, { interval: 50 }).toBeGreaterThan(5)
}

/** From now on what main does every second happens only with `tick`. */
async function holdSeconds({ app }: Studio) {
  await app.evaluate(() => {
    const real = { set: globalThis.setInterval, clear: globalThis.clearInterval }
    const held = new Map<object, () => void>()
    const set = (work: () => void, ms: number): object => {
      if (ms !== 1000) return real.set(work, ms)
      const handle = {}
      held.set(handle, work)
      return handle
    }
    const clear = (handle: NodeJS.Timeout | undefined): void => {
      if (handle === undefined || !held.delete(handle)) real.clear(handle)
    }
    Object.assign(globalThis, { setInterval: set, clearInterval: clear, held })
  })
  return (seconds: number): Promise<void> =>
    app.evaluate((_electron, count) => {
      const { held } = globalThis as unknown as { held: Map<object, () => void> }
      for (let second = 0; second < count; second += 1) for (const work of [...held.values()]) work()
    }, seconds)
}

describe.runIf(process.platform === 'linux')('an engine that says nothing', () => {
  it('has all its time again after the computer slept; then it is replaced', { tags: ['long'] }, async () => {
    studio = await launch({ dataDir })
    const tick = await holdSeconds(studio)
    await beginSwap(studio)
    await signalEngine(studio, 'SIGSTOP')
    await tick(59)
    await studio.app.evaluate(({ powerMonitor }) => {
      powerMonitor.emit('suspend')
      powerMonitor.emit('resume')
    })
    await tick(59)
    expect(log()).not.toContain('the engine gave no answer in time')
    // What it said before it was stopped may come late, and gives it its time again.
    const later = async (): Promise<string> => (await tick(10), log())
    await expect.poll(later).toContain('the engine gave no answer in time')
    await finished(studio.page)
  })
})

describe('Chromium’s network process', () => {
  it('may be killed in the middle of a swap where there is one', { tags: ['long'] }, async () => {
    // As on Windows and macOS: without the feature that main asks for.
    const hook = join(files, 'process.cjs')
    writeFileSync(
      hook,
      `const { commandLine } = require('electron').app
const append = commandLine.appendSwitch.bind(commandLine)
commandLine.appendSwitch = (name, value) => append(name, value?.replace('NetworkServiceInProcess2', ''))`,
    )
    studio = await launch({ dataDir, flags: ['-r', hook] })
    await beginSwap(studio)
    await studio.app.evaluate(({ app }) => {
      const network = app.getAppMetrics().find(({ serviceName }) => serviceName === 'network.mojom.NetworkService')
      if (network) process.kill(network.pid, 'SIGKILL')
    })
    await expect.poll(log).toMatch(/a process is gone: .*[Nn]etwork/)
    await finished(studio.page)
    const loads = () =>
      studio?.page.evaluate(() => [...document.images].every((image) => image.complete && image.naturalWidth > 0))
    await expect.poll(loads).toBe(true)
  })
})

/** Starts the window as a process of its own. `hook`: a script that runs first in main. */
function start(dir: string, hook?: string) {
  const app = process.env['MIEN_APP_DIR'] ?? root
  const args = [...(asRoot ? ['--no-sandbox'] : []), ...(hook === undefined ? [] : ['-r', hook]), app]
  const child = spawn(electronPath(), [...args, '--data-dir', dir])
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  const over = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { ended: over, said: () => said, kill: () => child.kill('SIGTERM') }
}

describe.runIf(process.platform === 'linux')('a data folder', () => {
  it('that cannot be written is named in a dialog, and Mien ends with 1', async () => {
    const hook = join(files, 'hook.cjs')
    writeFileSync(
      hook,
      `const { dialog } = require('electron')
dialog.showMessageBox = async (options) => (process.stderr.write(JSON.stringify(options)), { response: 0 })`,
    )
    const started = start('/sys/mien', hook)
    expect(await started.ended).toBe(1)
    expect(started.said()).toContain('"message":"Mien can’t start"')
    expect(started.said()).toContain('Mien can’t write to /sys/mien')
    expect(started.said()).not.toContain('already open')
  })

  // A small disk is a mounted one, which only root may do.
  it.runIf(asRoot)('on a full disk is told so, and Mien ends', async () => {
    const full = join(dataDir, 'full')
    mkdirSync(full)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', full])
    try {
      execFileSync('sh', ['-c', 'cat /dev/zero > "$1" 2>/dev/null || true', 'sh', join(full, 'filler')])
      const started = start(full)
      await expect.poll(started.said).toContain('The disk is full')
      started.kill()
      expect(await started.ended).toBe(1)
    } finally {
      execFileSync('umount', [full])
    }
  })
})
