/**
 * @file Pictures of every screen and state of the real app, in both themes and two sizes, into MIEN_SHOTS. First a
 * fresh start to a finished sample swap, then the same data with a library in every state, then the main pages in three
 * languages. Started by `npm run shots`.
 */
import './shared-alias.ts'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { dropFiles, launch, type Studio } from '../e2e/app.ts'
import { screenPixels } from '../e2e/screen-pixels.ts'
import { sample } from '../fixtures/clip.ts'
import type { Language } from '../../src/shared/language.ts'
import { refusingService, slowService, slowVideo } from './remote.ts'
import { batchFiles, tour } from './tour.ts'

const folder = process.env['MIEN_SHOTS'] ?? 'shots'
mkdirSync(folder, { recursive: true })
const scratch = mkdtempSync(join(tmpdir(), 'mien-shots-'))
const dataDir = join(scratch, 'data')
const sizes = { '': [1280, 800], '-960x640': [960, 640] } as const
const themes = ['dark', 'light'] as const
const languages: readonly Language[] = ['en', 'zh-CN', 'de']

let studio: Studio
let opened: Studio | null = null

/** Sets size and theme as the user would: by the window's edge and by the settings. */
async function set(size: readonly [number, number], theme: 'dark' | 'light'): Promise<void> {
  await studio.app.evaluate(({ BrowserWindow }, [width, height]) => {
    const window = BrowserWindow.getAllWindows().find((each) => each.webContents.getURL().startsWith('app://studio'))
    window?.setContentSize(width, height)
  }, size)
  await studio.page.evaluate((value) => window.mien.settings.set({ theme: value }), theme)
  await studio.page.locator(`html[data-theme="${theme}"]`).waitFor({ state: 'attached' })
}

/** One picture in every theme, and in every size unless it would be the same. */
async function shoot(name: string, only: 'large' | 'all' = 'all'): Promise<void> {
  for (const [suffix, size] of Object.entries(sizes)) {
    if (only === 'large' && suffix !== '') continue
    for (const theme of themes) {
      await set(size, theme)
      await studio.page.waitForTimeout(250)
      await studio.page.screenshot({ path: join(folder, `${name}${suffix}-${theme}.png`) })
    }
  }
  await set(sizes[''], 'dark')
}

const button = (name: string | RegExp): ReturnType<Page['getByRole']> => studio.page.getByRole('button', { name })
const go = async (key: string): Promise<void> => {
  await studio.page.keyboard.press('Escape')
  await studio.page.keyboard.press(`Control+${key}`)
}

async function firstStart(): Promise<void> {
  const { page } = studio
  await page.getByText(/fps at 720p/).waitFor({ timeout: 90_000 })
  await shoot('first-start')
  await button('Try it with sample media').click()
  await page.getByRole('region', { name: 'Live picture' }).getByText('After', { exact: true }).waitFor({ timeout: 60_000 })
  await shoot('task-processing', 'large')
  await button('Save as…').waitFor({ timeout: 120_000 })
}

/** Waits until the video's bright background is drawn, at most 30 s. */
async function pictureDrawn(): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    await studio.page.waitForTimeout(500)
    const [pixel] = await screenPixels(studio, [{ x: 100, y: 300 }])
    if (pixel && Math.min(...pixel) > 100) return
  }
}

async function taskPage(): Promise<void> {
  const { page } = studio
  await page.keyboard.press('End')
  await page.keyboard.press('Home')
  for (let second = 0; second < 3; second += 1) await page.keyboard.press('ArrowRight')
  await pictureDrawn()
  await shoot('task')
  await page.keyboard.press('2')
  await shoot('task-side', 'large')
  await page.keyboard.press('4')
  await shoot('task-after', 'large')
  await page.keyboard.press('1')
}

async function composer(): Promise<void> {
  const { page } = studio
  await go('n')
  await shoot('composer-empty', 'large')
  await dropFiles(page, '[data-slot=face]', [sample.face])
  await page.getByText('1 face found').waitFor({ timeout: 30_000 })
  await dropFiles(page, '[data-slot=video]', [sample.video])
  await page.getByText('1 person').waitFor({ timeout: 30_000 })
  await shoot('composer')
  await button(/^Runs on/).click()
  await shoot('composer-runs-on', 'large')
  await page.keyboard.press('Escape')

  const noFace = join(scratch, 'hands.jpg')
  execFileSync('ffmpeg', ['-v', 'error', '-i', sample.face, '-vf', 'crop=110:110:0:0,scale=440:440', noFace])
  await dropFiles(page, '[data-slot=face]', [noFace])
  await page.getByText('No face found in this picture').waitFor({ timeout: 30_000 })
  await shoot('composer-invalid')
  const notes = join(scratch, 'notes.mp4')
  writeFileSync(notes, 'These are notes.\n')
  await dropFiles(page, '[data-slot=video]', [notes])
  await page.getByText('“notes.mp4” isn’t a video').waitFor({ timeout: 30_000 })
  await shoot('composer-invalid-both', 'large')

  await button('Remove picture').click()
  await button('Remove video').click()
  const video = await slowVideo(readFileSync(sample.video))
  await button('Use a link…').click()
  await page.getByLabel('Link to the video').fill(`${video.baseUrl}/astronaut-clip.mp4`)
  await shoot('composer-address', 'large')
  await page.keyboard.press('Enter')
  await page.getByText('Reading', { exact: true }).waitFor()
  await page.waitForTimeout(500)
  await shoot('composer-reading', 'large')
  await button('Cancel').click()
  await video.stop()

  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [sample.face], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 640, y: 400, data })
  }
  await shoot('composer-drag', 'large')
  await session.send('Input.dispatchDragEvent', { type: 'dragCancel', x: 640, y: 400, data })
  await session.detach()
}

async function addService(name: string, url: string, key: string): Promise<string> {
  const { page } = studio
  await button('Add service…').click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await page.getByRole('textbox', { name: 'Address', exact: true }).fill(url)
  await button('Add service').last().click()
  await page.getByPlaceholder('Paste the key').fill(key)
  await page.getByText('Save key').or(page.getByText('Keep until I quit')).click()
  await page.getByText(`••••${key.slice(-4)}`).waitFor()
  const list = await page.evaluate(() => window.mien.profiles.list())
  const id = list.ok ? list.value.find((profile) => profile.name === name)?.id : undefined
  if (id === undefined) throw new Error(`${name} was not added`)
  return id
}

async function settings(urls: { slow: string; refusing: string }): Promise<{ cloud: string; agency: string }> {
  const { page } = studio
  await go(',')
  const agency = await addService('Agency', urls.refusing, 'sk-agency-8f2c')
  await button('Close Agency').click()
  const cloud = await addService('Studio Cloud', urls.slow, 'sk-cloud-1234')
  await button('Test connection').click()
  await page.getByText(/answered in|Answered in/).waitFor()
  await shoot('settings')
  await page.getByRole('navigation').getByRole('button', { name: 'This computer' }).click()
  await shoot('settings-2', 'large')
  await button('Measure again').click()
  await shoot('settings-measuring', 'large')
  await button('Cancel').click()
  return { cloud, agency }
}

async function library(): Promise<void> {
  const { page } = studio
  await page.getByText('Waiting').first().waitFor()
  await page.getByText(/doesn’t accept the key ending in/).waitFor({ timeout: 30_000 })
  await shoot('library')
  await page.getByRole('radio', { name: 'List' }).click()
  await page.getByRole('gridcell').nth(4).click({ modifiers: ['Control'] })
  await shoot('library-list')
  await page.keyboard.press('Escape')
  await page.getByRole('radio', { name: 'Grid' }).click()
  await page.locator('[data-state=kept]').first().click({ button: 'right' })
  await shoot('library-menu', 'large')
  await page.keyboard.press('Escape')
  await button('Decide…').click()
  await shoot('library-confirm')
  await page.keyboard.press('Escape')
  for (const state of ['failed', 'missing', 'unconfirmed', 'cancelled', 'processing']) {
    await page.locator(`[data-state=${state}]`).first().press('Enter')
    await shoot(`task-${state === 'processing' ? 'online' : state}`, 'large')
    await page.keyboard.press('Escape')
  }
  await page.locator('[data-state=kept]').nth(1).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Delete')
  await page.getByText(/ removed$/).waitFor()
  await shoot('library-toast', 'large')
  await page.keyboard.press('Control+z')
  await page.getByPlaceholder('Search').fill('nowhere')
  await shoot('library-nothing-found', 'large')
  await button('Show all').click()
}

const slow = await slowService()
const refusing = await refusingService()
try {
  opened = studio = await launch({ dataDir, env: { MIEN_MEASURE_AFTER_MS: '0' } })
  await firstStart()
  await taskPage()
  await composer()
  const profiles = await settings({ slow: slow.baseUrl, refusing: refusing.baseUrl })
  await studio.quit({ keep: true })
  const { seed } = await import('./seed.ts')
  seed(dataDir, profiles)
  opened = studio = await launch({ dataDir })
  await library()
  await studio.quit({ keep: true })
  const files = batchFiles(join(scratch, 'batch'))
  for (const language of languages) {
    opened = studio = await launch({ dataDir })
    await studio.page.evaluate((value) => window.mien.settings.set({ language: value }), language)
    await set(sizes[''], 'dark')
    await tour(studio, (name, only) => shoot(`${language}-${name}`, only), files)
    await studio.quit({ keep: true })
  }
} catch (error) {
  await opened?.app.close().catch(() => undefined)
  throw error
} finally {
  await slow.stop()
  await refusing.stop()
  rmSync(scratch, { recursive: true, force: true })
}
