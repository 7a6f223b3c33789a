/** @file The studio window as a person uses it: closing, zoom, keys, crashes, quitting with work. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MessageBoxOptions } from 'electron'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clips, repeatedClip } from '../fixtures/clip.ts'
import { sharedDir, tempDir } from '../fixtures/temp-dir.ts'
import { launch, type Studio, windowOf } from './app.ts'
import { seedSample, submitSample } from './seeded.ts'
import { launchWarm } from './warm.ts'

const mod = process.platform === 'darwin' ? 'meta' : 'control'

let studio: Studio

/** Closes the studio window as its button does. */
const closeWindow = async (open: Studio): Promise<void> =>
  open.app.evaluate((_, own) => own.close(), await windowOf(open))

const ended = ({ app }: Studio): Promise<number | null> =>
  new Promise((resolve) => app.process().once('exit', (code) => resolve(code)))

const logOf = ({ dataDir }: Studio): string => readFileSync(join(dataDir, 'logs', 'mien.log'), 'utf8')

/**
 * Answers every message box of main from now on.
 * @returns what they said. Each is told only when main has dealt with its answer: until then a second quit asks nothing.
 */
async function answerBoxes({ app }: Studio, response: number) {
  await app.evaluate(({ dialog }, clicked) => {
    const said: string[] = []
    Object.assign(globalThis, { said })
    dialog.showMessageBox = (...args: unknown[]) => {
      const { message } = args.at(-1) as MessageBoxOptions
      setImmediate(() => said.push(message))
      return Promise.resolve({ response: clicked, checkboxChecked: false })
    }
  }, response)
  return (): Promise<string[]> => app.evaluate(() => (globalThis as unknown as { said: string[] }).said)
}

/** Runs a script in the studio's page by main: Playwright's own page is gone after a crash. */
const inPage = async (open: Studio, script: string): Promise<unknown> =>
  open.app.evaluate(
    (_, { own, code }) => {
      // A page that has just crashed never answers.
      const late = new Promise((resolve) => setTimeout(resolve, 2000, null))
      return Promise.race([own.webContents.executeJavaScript(code).catch(() => null) as Promise<unknown>, late])
    },
    { own: await windowOf(open), code: script },
  )

/** Waits for the window, whose page is there a moment before it. */
const shown = ({ app }: Studio): Promise<void> =>
  expect
    .poll(() => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().some((each) => each.isVisible())))
    .toBe(true)

const crash = async (open: Studio): Promise<void> =>
  open.app.evaluate((_, own) => own.webContents.forcefullyCrashRenderer(), await windowOf(open))

/** A key for the window: main does not see the keys that come from Playwright. */
const press = async (open: Studio, keyCode: string, ...modifiers: ('control' | 'meta' | 'shift')[]): Promise<void> =>
  open.app.evaluate(
    (_, { own, key }) => {
      own.webContents.sendInputEvent({ type: 'keyDown', ...key })
      own.webContents.sendInputEvent({ type: 'keyUp', ...key })
    },
    { own: await windowOf(open), key: { keyCode, modifiers } },
  )

describe('a quit with a swap in progress', () => {
  it('asks each time, and ends Mien with its engine when the user says so', async () => {
    const dataDir = tempDir()
    // A minute: the swap must not end before the test has asked, paused and quit.
    seedSample(dataDir, await repeatedClip(clips.twelveSeconds, join(dataDir, 'minute.mp4'), 5))
    studio = await launch({ dataDir })
    const { page, app } = studio
    const isAwake = () =>
      app.evaluate(({ powerSaveBlocker }) =>
        Array.from({ length: 50 }, (_, id) => id).some((id) => powerSaveBlocker.isStarted(id)),
      )
    expect(await isAwake()).toBe(false)
    await submitSample(page, 'Interview', 'this-computer')
    await expect.poll(isAwake).toBe(true)
    const said = await answerBoxes(studio, 1)
    await app.evaluate(({ app: electron }) => {
      electron.quit()
    })
    await expect.poll(said).toEqual(['1 swap is in progress'])
    await closeWindow(studio)
    await expect.poll(said).toEqual(['1 swap is in progress', '1 swap is in progress'])
    await page.keyboard.press('ControlOrMeta+j')
    await page.getByRole('button', { name: 'Pause', exact: true }).first().click()
    await expect.poll(isAwake).toBe(false)
    await page.getByRole('button', { name: 'Resume', exact: true }).first().click()
    await expect.poll(isAwake).toBe(true)
    // On macOS Mien stays.
    if (process.platform === 'darwin') return studio.quit()
    // The engine opens its window at any time, also during the quit.
    await app.evaluate(({ BrowserWindow }, own) => void own.once('closed', () => new BrowserWindow({ show: false })), await windowOf(studio)) // prettier-ignore
    await answerBoxes(studio, 0)
    const over = ended(studio)
    await closeWindow(studio)
    expect(await over).toBe(0)
  })
})

describe('the window', () => {
  const zoom = () => studio.page.evaluate(() => Math.round(window.devicePixelRatio * 100))
  const dataDir = sharedDir()
  beforeAll(async () => {
    const place = { x: 5000, y: 5000, width: 9000, height: 9000, maximized: false }
    writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ version: 1, window: place }))
    studio = await launchWarm({ dataDir })
  })
  afterAll(() => studio.quit())

  it('fits the screen, may be small, and follows the zoom keys', async () => {
    await shown(studio)
    const sizes = await studio.app.evaluate(
      ({ screen }, own) => {
        const { width, height } = screen.getPrimaryDisplay().workArea
        return { bounds: own.getBounds(), min: own.getMinimumSize(), width, height }
      },
      await windowOf(studio),
    )
    const { bounds, width, height } = sizes
    // X11 takes one pixel from a window as large as its screen.
    const isFitting = width - bounds.width < 2 && height - bounds.height < 2
    expect({ ...sizes, isFitting }).toMatchObject({ min: [640, 480], isFitting: true })
    expect(await zoom()).toBe(100)
    await press(studio, '=', mod)
    await press(studio, '=', mod)
    await expect.poll(() => zoom()).toBe(125)
  })

  it('F12 opens the developer tools, Ctrl+Shift+I closes them, and F11 is full screen', async () => {
    const { app } = studio
    const areOpen = () =>
      app.evaluate(({ webContents }) => webContents.getAllWebContents().some((each) => each.isDevToolsOpened()))
    await press(studio, 'F12')
    await expect.poll(areOpen).toBe(true)
    await (process.platform === 'darwin' ? press(studio, 'F12') : press(studio, 'I', 'control', 'shift'))
    await expect.poll(areOpen).toBe(false)
    if (process.platform === 'darwin') return
    // A screen without a window manager has no full screen: what is asked for counts.
    const window = await windowOf(studio)
    await studio.app.evaluate((_, own) => {
      let full = false
      own.isFullScreen = () => full
      own.setFullScreen = (on) => {
        full = on
      }
    }, window)
    const isFull = () => studio.app.evaluate((_, own) => own.isFullScreen(), window)
    await press(studio, 'F11')
    await expect.poll(isFull).toBe(true)
    await press(studio, 'F11')
    await expect.poll(isFull).toBe(false)
  })

  it('errors of main and of the page are in the log and the diagnostics, without secrets', async () => {
    const open = studio
    const said = await answerBoxes(open, 0)
    await open.app.evaluate(() => {
      void Promise.reject(new Error('planted rejection'))
      setTimeout(() => {
        throw new Error('planted error, Authorization: Bearer planted-secret-1')
      })
    })
    await open.page.evaluate(() => {
      setTimeout(() => {
        throw new Error('planted on the page, key=planted-secret-2')
      })
    })
    await expect.poll(() => logOf(open)).toContain('planted on the page')
    await expect.poll(() => logOf(open)).toContain('planted error')
    await expect.poll(() => logOf(open)).toContain('planted rejection')
    expect(await said()).toEqual(['Something in Mien failed unexpectedly'])
    const collected = await open.page.evaluate(() => window.mien.diagnostics.collect({ codecs: {} }))
    expect(JSON.stringify(collected)).toContain('planted error')
    expect(logOf(open) + JSON.stringify(collected)).not.toContain('planted-secret')
  })

  // Playwright has no page after it.
  it('a page that crashed is loaded again; after three times Mien asks', async () => {
    const open = studio
    const isBack = () => inPage(open, `document.querySelector('nav') !== null && window.mark === undefined`)
    const said = await answerBoxes(open, 0)
    for (const turn of [1, 2, 3]) {
      await inPage(open, 'window.mark = true')
      await crash(open)
      await expect.poll(isBack).toBe(true)
      expect(await said()).toHaveLength(turn === 3 ? 1 : 0)
    }
    expect(logOf(open).match(/the studio page is gone: /g)).toHaveLength(3)
  })

  it('remembers the zoom at the next start', async () => {
    await studio.quit({ keep: true })
    studio = await launchWarm({ dataDir: studio.dataDir })
    await expect.poll(() => zoom()).toBe(125)
    await press(studio, '-', mod)
    await expect.poll(() => zoom()).toBe(110)
    await press(studio, '0', mod)
    await expect.poll(() => zoom()).toBe(100)
  })

  // It counts as a crash.
  it('a page that hangs is loaded again when the user says so', async () => {
    const open = studio
    const said = await answerBoxes(open, 1)
    await inPage(open, 'window.mark = true')
    await open.app.evaluate((_, own) => void own.emit('unresponsive'), await windowOf(open))
    const isBack = () => inPage(open, `document.querySelector('nav') !== null && window.mark === undefined`)
    await expect.poll(isBack).toBe(true)
    expect(await said()).toEqual(['Mien’s window isn’t responding'])
    expect(logOf(open)).toContain('the studio page does not respond')
  })
})
