/**
 * @file `npm run dev`, in a copy of the sources: what is edited shows, without a restart where that can be.
 * @module-tag long
 */
import { spawn, type ChildProcess } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { patienceMs } from './app.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const folder = sharedDir()
let dataDir: string
let dev: ChildProcess
let output = ''
let browser: Browser
let page: Page

/** Everything that `npm run dev` reads; what is large and not edited is linked. */
function copySources(): void {
  for (const name of ['src', 'scripts', 'package.json', 'package-lock.json', 'electron.vite.config.ts', 'NOTICE']) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  mkdirSync(join(folder, 'resources'))
  for (const entry of readdirSync(join(root, 'resources'), { withFileTypes: true })) {
    const [from, to] = [join(root, 'resources', entry.name), join(folder, 'resources', entry.name)]
    if (entry.isDirectory()) symlinkSync(from, to, 'junction')
    else cpSync(from, to)
  }
}

/** Replaces a text in a file of the copy, at once: no one reads half a file. */
function edit(file: string, from: string, to: string): void {
  const path = join(folder, 'src', file)
  const text = readFileSync(path, 'utf8')
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
  const fresh = join(folder, 'fresh')
  writeFileSync(fresh, text.replace(from, to))
  renameSync(fresh, path)
}

/** The addresses of Chromium's debugger, one for each start of the app. */
const starts = (): string[] =>
  [...output.matchAll(/^DevTools listening on ws:\/\/([\d.:]+)\//gm)].map(([, at]) => at ?? '')

/** Waits until there is a value. */
const seen = <T>(look: () => T | undefined): Promise<T> =>
  vi.waitFor(
    () => {
      const found = look()
      if (found === undefined) throw new Error(`Not there:\n${output}`)
      return found
    },
    { timeout: patienceMs },
  )

const log = (): string => readFileSync(join(dataDir, 'logs', 'mien.log'), 'utf8')

/** Ids of the processes that have the data folder among their arguments (Linux only). */
const processes = (): string[] =>
  readdirSync('/proc').filter((id) => {
    const file = join('/proc', id, 'cmdline')
    try {
      return /^\d+$/.test(id) && existsSync(file) && readFileSync(file, 'utf8').includes(dataDir)
    } catch {
      return false
    }
  })

beforeAll(async () => {
  dataDir = join(folder, 'data')
  copySources()
  // Nothing of the test runner's own surroundings, and not the build that the other tests run.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_ENV$|MIEN_OUT$|MIEN_APP_DIR$)/.test(name)),
  )
  const args = ['scripts/dev.mjs', '--data-dir', dataDir, '--remote-debugging-port=0']
  dev = spawn(process.execPath, args, { cwd: folder, env: { ...env, MIEN_MEASURE_AFTER_MS: 'never' } })
  dev.stdout?.on('data', (text: Buffer) => (output += text.toString()))
  dev.stderr?.on('data', (text: Buffer) => (output += text.toString()))
  const address = await seen(() => starts()[0] ?? (dev.exitCode === null ? undefined : `never: ${output}`))
  browser = await chromium.connectOverCDP(`http://${address}`)
  const pages = (): Page[] => browser.contexts().flatMap((context) => context.pages())
  page = await seen(() => pages().find((each) => each.url().startsWith('app://studio/')))
  page.setDefaultTimeout(patienceMs)
  await page.getByRole('navigation').first().waitFor()
})
afterAll(async () => {
  if (dev.exitCode === null) {
    const ended = new Promise((resolve) => dev.once('exit', resolve))
    dev.kill('SIGTERM')
    await ended
  }
})

describe('npm run dev', () => {
  it('shows a changed component, and the page keeps its state', async () => {
    await page.getByRole('button', { name: 'Use a link…' }).click()
    const field = page.getByRole('textbox').first()
    await field.fill('https://example.com/typed-before')
    edit('renderer/studio/views/title-bar/TitleBar.svelte', '{m.library()}<', '{m.library()} edited<')
    await page.getByText('Library edited').waitFor()
    expect(await field.inputValue()).toBe('https://example.com/typed-before')
  })

  it('says what is wrong with a component, until it is mended', async () => {
    edit('renderer/studio/views/title-bar/TitleBar.svelte', '</header>', '</headr>')
    await page.locator('vite-error-overlay').getByText('TitleBar.svelte').first().waitFor()
    edit('renderer/studio/views/title-bar/TitleBar.svelte', '</headr>', '</header>')
    await page.locator('vite-error-overlay').waitFor({ state: 'detached' })
    await page.getByText('Library edited').waitFor()
  })

  it('loads the page again where that has to be', async () => {
    edit('renderer/studio/main.ts', 'const studio', "document.documentElement.dataset['edited'] = ''; const studio")
    await page.locator('html[data-edited]').waitFor()
  })

  it('keeps Mien running while main cannot be built, and restarts it with the correction', async () => {
    edit('main/app/window/start-window.ts', 'starts`', 'starts edited`) +')
    await expect.poll(() => output, { timeout: patienceMs }).toContain('main could not be built')
    expect(output).toContain('src/main/app/window/start-window.ts')
    await page.getByText('Library edited').waitFor()
    expect(starts()).toHaveLength(1)
    edit('main/app/window/start-window.ts', 'edited`) +', 'edited`')
    await expect.poll(log, { timeout: patienceMs }).toContain('starts edited')
    expect(output).toContain('Built main again: restarting Mien')
  })

  it('ends with all its processes', async () => {
    const ended = new Promise((resolve) => dev.once('exit', resolve))
    dev.kill('SIGINT')
    expect(await ended).toBe(0)
    if (process.platform === 'linux') await expect.poll(processes, { timeout: patienceMs }).toEqual([])
  })
})
