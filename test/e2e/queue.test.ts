/** @file The queue in the real app, by role and key: order, pauses, a skipped swap, and notifications. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { shortClip } from '../fixtures/clip.ts'
import { clip } from '../fixtures/fake-tasks.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { signalEngine, startEngine } from './app.ts'
import { fillLibrary, seedSample, openStudio, submitSample } from './seeded.ts'

interface Told {
  title: string
  body: string
  silent: boolean
}
interface Recorder {
  told: Told[]
  progress: number[]
}

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

/** Clips of so many frames: enough to act on a swap while it is in progress. */
const lengths = { One: 5, Two: 5, Three: 5 }
const dataDir = sharedDir()

async function submitAll(): Promise<void> {
  for (const title of Object.keys(lengths)) await submitSample(studio.page, title, 'this-computer', title)
}

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
const savedAt = (title: string): number => statSync(join(studio.dataDir, 'results', `${title}.mp4`)).mtimeMs
const openQueue = async (page: Page): Promise<void> => {
  await page.keyboard.press('ControlOrMeta+j')
  await queue(page).waitFor()
}

beforeAll(async () => {
  seedSample(dataDir)
  for (const [title, frames] of Object.entries(lengths)) {
    const file = await shortClip(join(dataDir, `${title}.mp4`), frames)
    fillLibrary(dataDir, (_store, media) => media.addVideo(file, clip({ id: title })))
  }
})
const studio = openStudio({ dataDir })
beforeAll(record)

it('pauses after this one, changes the order by keys and says it, and skips the one in progress', async () => {
  const { page } = studio
  await startEngine(studio)
  await signalEngine(studio, 'SIGSTOP')
  await submitAll()
  await openQueue(page)
  await now(page).getByText('One', { exact: true }).waitFor()
  await button(page, 'More ways to pause').click()
  await page.getByRole('menuitem', { name: /^Pause after this one/ }).click()
  await signalEngine(studio, 'SIGCONT')
  await expect.poll(results).toEqual(['One.mp4'])
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

  await signalEngine(studio, 'SIGSTOP')
  await button(page, 'Resume').click()
  await now(page).getByText('Three', { exact: true }).waitFor()
  await now(page).filter({ hasText: 'Three' }).hover()
  await button(page, 'More for Three').click()
  await page.getByRole('menuitem', { name: /^Skip/ }).click()
  await signalEngine(studio, 'SIGCONT')
  await expect.poll(() => results().toSorted()).toEqual(['One.mp4', 'Three.mp4', 'Two.mp4'])
  expect(savedAt('Two')).toBeLessThan(savedAt('Three'))
  // One notification for the two.
  await expect
    .poll(async () => (await recorded()).told)
    .toMatchObject([{ title: 'Swap finished' }, { title: 'All swaps are finished' }])
  await expect.poll(async () => (await recorded()).progress.at(-1)).toBe(-1)
})
