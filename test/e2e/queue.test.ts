/** @file The queue in the real app, by role and key: order, pauses, a skipped swap, failed ones, and notifications. */
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { sample, shortClip } from '../fixtures/clip.ts'
import { dropFiles, patienceMs, type Studio } from './app.ts'
import { launchWarm } from './warm.ts'

interface Told {
  title: string
  body: string
  silent: boolean
}
interface Recorder {
  told: Told[]
  progress: number[]
}

let studio: Studio
let files: string

/** Records what the system would show, as if the user looked elsewhere. */
async function record(): Promise<void> {
  await studio.app.evaluate(({ Notification, BrowserWindow }) => {
    const recorder: Recorder = { told: [], progress: [] }
    Object.assign(globalThis, { recorder })
    Notification.isSupported = () => true
    Notification.prototype.show = function () {
      recorder.told.push({ title: this.title, body: this.body, silent: this.silent })
    }
    BrowserWindow.prototype.isFocused = () => false
    BrowserWindow.prototype.setProgressBar = (share) => {
      recorder.progress.push(share)
    }
  })
}
const recorded = (): Promise<Recorder> =>
  studio.app.evaluate(() => (globalThis as unknown as { recorder: Recorder }).recorder)

const submit = (page: Page, titles: readonly string[]): Promise<void> =>
  page.evaluate(async (all) => {
    const sample = await window.mien.intake.sample()
    if (!sample.ok) throw new Error(sample.error.code)
    const { face, video } = sample.value
    for (const title of all)
      await window.mien.tasks.submit({ faceId: face.id, videoId: video.id, title, profileId: 'this-computer' })
  }, titles)

const queue = (page: Page) => page.getByRole('dialog', { name: 'Queue' })
const now = (page: Page) => queue(page).getByRole('list', { name: 'Now, on this computer' }).getByRole('listitem')
const next = (page: Page) => queue(page).getByRole('list', { name: 'Waiting, in order' }).getByRole('listitem')
const button = (page: Page, name: string) => queue(page).getByRole('button', { name, exact: true })
const titles = (page: Page): Promise<string[]> => next(page).locator('strong').allTextContents()
const results = (): string[] => {
  try {
    return readdirSync(join(studio.dataDir, 'results'))
  } catch {
    return []
  }
}
const openQueue = async (page: Page): Promise<void> => {
  await page.keyboard.press('ControlOrMeta+j')
  await queue(page).waitFor()
}

beforeAll(async () => {
  files = mkdtempSync(join(tmpdir(), 'mien-e2e-queue-'))
  studio = await launchWarm()
  await record()
})
afterAll(async () => {
  await studio.quit()
  rmSync(files, { recursive: true, force: true })
})

it('pauses after this one, and changes the order by keys and says it', async () => {
  const { page } = studio
  await submit(page, ['One', 'Two', 'Three'])
  await openQueue(page)
  await now(page).getByText('One', { exact: true }).waitFor()
  await button(page, 'More ways to pause').click()
  await page.getByRole('menuitem', { name: /^Pause after this one/ }).click()
  await expect.poll(results, { timeout: patienceMs }).toEqual(['One.mp4'])
  await button(page, 'Resume').waitFor()
  await expect
    .poll(async () => (await recorded()).told)
    .toEqual([{ title: 'Swap finished', body: 'One', silent: true }])
  expect((await recorded()).progress.some((share) => share > 0)).toBe(true)
  await expect.poll(() => titles(page)).toEqual(['Two', 'Three'])

  await next(page).filter({ hasText: 'Three' }).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await queue(page).getByRole('status').getByText('Three, now 1 of 2').waitFor()
  await expect.poll(() => titles(page)).toEqual(['Three', 'Two'])
  await page.keyboard.press('Alt+End')
  await expect.poll(() => titles(page)).toEqual(['Two', 'Three'])
  await page.keyboard.press('Alt+Home')
  await expect.poll(() => titles(page)).toEqual(['Three', 'Two'])
})

it('keeps the order over a restart, and skips the one in progress', async () => {
  await studio.quit({ keep: true })
  studio = await launchWarm({ dataDir: studio.dataDir })
  await record()
  const { page } = studio
  await openQueue(page)
  await expect.poll(() => titles(page)).toEqual(['Three', 'Two'])
  await button(page, 'Resume').click()
  await now(page).getByText('Three', { exact: true }).waitFor()
  await now(page).filter({ hasText: 'Three' }).hover()
  await button(page, 'More for Three').click()
  await page.getByRole('menuitem', { name: /^Skip/ }).click()
  await now(page).getByText('Two', { exact: true }).waitFor()
  await expect.poll(() => titles(page)).toEqual(['Three'])
  await expect.poll(() => results().toSorted()).toEqual(['One.mp4', 'Three.mp4', 'Two.mp4'])
  // One notification for the two.
  await expect.poll(async () => (await recorded()).told).toMatchObject([{ title: 'All swaps are finished' }])
  await expect.poll(async () => (await recorded()).progress.at(-1)).toBe(-1)
})

it('retries all that failed', async () => {
  const { page } = studio
  const clip = await shortClip(join(files, 'beach.mp4'))
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+n')
  await dropFiles(page, 'main', [sample.face])
  await page.getByText('1 face found').waitFor()
  await dropFiles(page, 'main', [clip])
  await page.getByText('1 person').waitFor()
  await page.getByRole('checkbox', { name: /I may use this face/ }).check()
  const moved = `${clip}.moved`
  renameSync(clip, moved)
  await page.getByRole('button', { name: 'Swap', exact: true }).click()
  await openQueue(page)
  await queue(page).getByRole('list', { name: 'Failed' }).getByRole('listitem').waitFor()
  renameSync(moved, clip)
  await button(page, 'Retry all').click()
  await expect.poll(() => results().toSorted()).toEqual(['Beach.mp4', 'One.mp4', 'Three.mp4', 'Two.mp4'])
})
