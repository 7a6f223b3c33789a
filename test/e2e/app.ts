/**
 * @file The real app in real Electron, with a fresh data folder. Playwright finds Electron through
 * ELECTRON_OVERRIDE_DIST_PATH or the installed one (given an executable path it hangs now and then).
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { _electron, type ElectronApplication, type Page } from 'playwright-core'
import { sample } from '../fixtures/clip.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export { electronPath } from '../fixtures/electron-path.ts'

/** No test is about speed: this is for what hangs. Below the limit of a test (vitest.config.ts), so that it says where. */
export const patienceMs = 150_000

export interface Studio {
  app: ElectronApplication
  page: Page
  dataDir: string
  /** What the main process wrote on stdout and stderr. */
  output: () => string
  /** Ends the app as the user does; false keeps the data folder for another start. */
  quit: (options?: { keep?: boolean }) => Promise<void>
}

/** Those that are open now. */
export const openStudios = new Set<Studio>()

/** Adds a studio to those that are open, until it quits. */
export function opened(studio: Studio): Studio {
  openStudios.add(studio)
  const { quit } = studio
  return Object.assign(studio, {
    quit: (options?: { keep?: boolean }) => {
      openStudios.delete(studio)
      return quit(options)
    },
  })
}

export interface LaunchOptions {
  dataDir?: string
  env?: Record<string, string>
  /** For Electron itself. */
  flags?: string[]
}

/**
 * V8's inspector loses an answer whose promise is collected before it is sent: about one of 2,500 that main gives in its
 * first seconds (microsoft/playwright#33737). So main keeps each answer, and is asked for it again; nothing is done twice.
 */
function keepAnswers(app: ElectronApplication): ElectronApplication {
  const asked = (ask: typeof app.evaluate | typeof app.evaluateHandle) => async (work: unknown, arg: unknown) => {
    const call = { id: randomUUID(), source: String(work), arg }
    const once = (): Promise<unknown> =>
      (ask as typeof app.evaluate)((electron, { id, source, arg: given }) => {
        const kept = ((globalThis as { answers?: Map<string, unknown> }).answers ??= new Map())
        // Playwright sends a function as its source, too.
        const { runInThisContext } = process.getBuiltinModule('node:vm')
        if (!kept.has(id))
          kept.set(id, (runInThisContext(`(${source})`) as (...of: unknown[]) => unknown)(electron, given))
        return kept.get(id)
      }, call)
    for (;;) {
      try {
        return await once()
      } catch (error) {
        if (!String(error).includes('Resulting promise was garbage collected')) throw error
      }
    }
  }
  return Object.assign(app, {
    evaluate: asked(app.evaluate.bind(app)),
    evaluateHandle: asked(app.evaluateHandle.bind(app)),
  })
}

/** Starts Electron. */
export async function launchElectron(args: string[], more: Record<string, string> = {}): Promise<ElectronApplication> {
  const asRoot = process.getuid?.() === 0
  const env = Object.fromEntries(
    Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  const app = await _electron.launch({
    args: [...(asRoot ? ['--no-sandbox'] : []), ...args],
    // Tests are not disturbed by the benchmark of this computer.
    env: { ...env, LC_ALL: 'C.UTF-8', MIEN_MEASURE_AFTER_MS: 'never', ...more },
    chromiumSandbox: !asRoot,
    timeout: patienceMs,
  })
  return keepAnswers(app)
}

/** Starts the built app, and waits until its first view can be used. */
export async function launch(options: LaunchOptions = {}): Promise<Studio> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'mien-e2e-'))
  const args = [...(options.flags ?? []), process.env['MIEN_APP_DIR'] ?? root, '--data-dir', dataDir]
  const app = await launchElectron(args, options.env)
  let output = ''
  app.process().stdout?.on('data', (text: Buffer) => (output += text.toString()))
  app.process().stderr?.on('data', (text: Buffer) => (output += text.toString()))
  const page = await windowAt(app, 'app://studio/')
  page.setDefaultTimeout(patienceMs)
  await page.getByRole('navigation').first().waitFor()
  return opened({
    app,
    page,
    dataDir,
    output: () => output,
    quit: async ({ keep = false } = {}) => {
      const ended = new Promise((resolve) => app.process().once('exit', resolve))
      // It may be gone before it has answered.
      await app
        .evaluate(({ app: electron, dialog }) => {
          // Whether to quit while swaps are in progress.
          dialog.showMessageBox = () => Promise.resolve({ response: 0, checkboxChecked: false })
          electron.quit()
        })
        .catch(() => undefined)
      await ended
      // Chromium's helper processes may still write there for a moment.
      if (!keep) rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  })
}

/**
 * The page of the window whose address begins so, once it is there. Polls: a window's event may come before anybody
 * listens, and before the window has its address.
 */
export async function windowAt(app: ElectronApplication, start: string): Promise<Page> {
  const end = Date.now() + patienceMs
  for (;;) {
    const found = app.windows().find((page) => page.url().startsWith(start))
    if (found) return found
    if (Date.now() > end) throw new Error(`There is no window at ${start}`)
    await delay(20)
  }
}

/** The studio's window in main, also after its page crashed. */
export const windowOf = ({ app }: Studio) =>
  app.evaluateHandle(({ BrowserWindow }) => {
    const own = BrowserWindow.getAllWindows().find((each) => each.webContents.getURL().startsWith('app://studio/'))
    if (!own) throw new Error('The studio has no window')
    return own
  })

/** The system's dialogs choose these files or folders from now on, and the first of them for a file to save. */
export const choosePaths = ({ app }: Studio, ...paths: string[]): Promise<void> =>
  app.evaluate(({ dialog }, filePaths) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths })
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: filePaths[0] ?? '' })
  }, paths)

export const engineAddress = 'app://engine/'

/** Moves the mouse in the composer, which starts the engine but no work. @returns the engine's page */
export async function startEngine({ app, page }: Studio): Promise<Page> {
  await page.mouse.move(300, 300)
  await page.mouse.move(320, 320)
  return windowAt(app, engineAddress)
}

/** Stops or continues the engine's process: what it works on stays in progress. Windows has no such signals. */
export const signalEngine = ({ app }: Studio, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> =>
  app.evaluate(({ webContents }, name) => {
    const engine = webContents.getAllWebContents().find((each) => each.getURL().startsWith('app://engine/'))
    if (engine && process.platform !== 'win32') process.kill(engine.getOSProcessId(), name)
  }, signal)

/** Puts a face, that of the sample, on the person in a video: both dropped, confirmed, and sent. */
export async function dropSwap(page: Page, video: string, face = sample.face): Promise<void> {
  await dropFiles(page, 'main', [face])
  await page.getByText('1 face found').waitFor()
  await dropFiles(page, 'main', [video])
  await page.getByText('1 person').waitFor()
  await page.getByRole('checkbox', { name: /I may use this face/ }).check()
  await page.getByRole('button', { name: 'Swap', exact: true }).click()
}

/**
 * Drops real files from outside onto an element, the way a file manager does: onto its middle, but pictures onto the
 * corner of `main`, as its middle is the slot for videos, which takes pictures too.
 */
export async function dropFiles(page: Page, selector: string, files: string[]): Promise<void> {
  const box = await page.locator(selector).first().boundingBox()
  if (!box) throw new Error(`${selector} is not on the page`)
  const isCorner = selector === 'main' && files.every((file) => /\.(?:jpe?g|png|webp)$/i.test(file))
  const at = isCorner ? { x: box.x + 4, y: box.y + 4 } : { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, ...at, data })
  }
  await session.detach()
}
