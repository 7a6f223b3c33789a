/** @file Sets in the library: folded, opened in place and selected by keyboard and pointer in the real app. */
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import type { MediaStore } from '../../src/main/media/media-store.ts'
import type { TaskStore } from '../../src/main/swaps/store/task-store.ts'
import type { Task } from '../../src/shared/tasks/task.ts'
import { sample } from '../fixtures/clip.ts'
import { clip, eileen, monaLisa, outline, swap } from '../fixtures/fake-tasks.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { fillLibrary, openStudio } from './seeded.ts'

const sampleCover = join(import.meta.dirname, '../../src/renderer/studio/assets/sample-clip.jpg')
const dataDir = sharedDir()
let page: Page

function fill(store: TaskStore, media: MediaStore): void {
  const [cover, ochoa, video] = [sampleCover, sample.face, sample.video].map((path) => media.addDerived(path))
  const faces = [monaLisa(1), eileen(1)].map((face, at) => ({ ...face, thumbnailId: (at === 0 ? cover : ochoa) ?? '' }))
  // Noon of yesterday: all swaps lie under the heading of one day, whatever time it is now.
  const noon = new Date().setHours(-12, 0, 0, 0)
  const put = (id: string, title: string, ago: number, at: number, count: number, change: Partial<Task>): void => {
    const createdAt = noon - ago * 60_000 + at
    const base = swap(id, createdAt, { title, createdAt })
    store.put({
      ...base,
      batch: count === 1 ? null : { id: `batch-${title}`, number: at + 1, count },
      face: faces[at < count / 2 ? 0 : 1] ?? base.face,
      video: clip({ id: video ?? '', coverId: ochoa ?? '', sizeBytes: 1000, faces: [outline(652, 492, 446, 508)] }),
      ...{ coverId: (at % 2 === 0 ? cover : ochoa) ?? null, peopleIds: [] },
      result: base.result && { ...base.result, mediaId: video ?? '' },
      ...change,
    })
  }
  put('new', 'Crew portrait', 1, 0, 1, {})
  const failed = { state: 'failed', result: null, error: { code: 'no-face-in-video', details: {} } } as const
  for (let at = 0; at < 6; at += 1) put(`launch-${String(at)}`, 'Launch set', 20, at, 6, at === 3 ? failed : {})
  for (let at = 0; at < 3; at += 1) put(`reel-${String(at)}`, 'Reel', 40, at, 3, {})
  put('old', 'Archive', 60, 0, 1, {})
}

beforeAll(() => {
  fillLibrary(dataDir, fill)
})
const studio = openStudio({ dataDir })
beforeAll(() => void ({ page } = studio))

const set = (name: string) => page.getByRole('gridcell', { name })
const folded = () => set('Set 2 faces, 1 file, 5 of 6 finished, 1 failed, folded')
const open = () => set('Set 2 faces, 1 file, 5 of 6 finished, 1 failed, open')
const shown = () =>
  page
    .getByRole('gridcell')
    .evaluateAll((cells) => cells.map((each) => each.getAttribute('data-task') ?? each.getAttribute('data-set')))
const press = async (...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}
const all = ['new', 'batch-Launch set', 'batch-Reel', 'old']
const launched = [5, 4, 3, 2, 1, 0].map((at) => `launch-${String(at)}`)

it('shows swaps that were added together as one set', async () => {
  await folded().waitFor()
  await expect.poll(shown).toEqual(all)
  await folded().getByText('5 of 6 · 1 failed').waitFor()
  await set('Set 2 faces, 1 file, 3 of 3 finished, folded').waitFor()
  expect(await folded().getAttribute('aria-expanded')).toBe('false')
  await page.getByText('11 swaps').first().waitFor()
})

it('opens a set in place by right and Enter, and folds it by left and a click', async () => {
  await folded().focus()
  await press('ArrowRight')
  await open().waitFor()
  await expect.poll(shown).toEqual(['new', 'batch-Launch set', ...launched, 'batch-Reel', 'old'])
  expect(await open().getAttribute('aria-expanded')).toBe('true')
  await press('ArrowRight', 'ArrowLeft', 'ArrowLeft')
  await expect.poll(shown).toEqual(all)
  await press('Enter')
  await open().click()
  await expect.poll(shown).toEqual(all)
  expect(await folded().evaluate((cell) => cell === document.activeElement)).toBe(true)
})

it('selects all swaps of a set, tags them, and undoes it', async () => {
  await folded().focus()
  await press('Space')
  await page.getByText('6 selected').waitFor()
  await press('t')
  await page.getByRole('dialog', { name: 'Tag 6 swaps' }).waitFor()
  await page.keyboard.type('Client')
  await press('Enter')
  await page.getByText('Tags changed on 6 swaps').waitFor()
  await press('Escape', 'ControlOrMeta+z')
  await expect.poll(() => page.getByText('6 selected').count()).toBe(0)
})

it('has a menu for a set, which removes its swaps', async () => {
  await folded().click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Open set' }).waitFor()
  await page.getByRole('menuitem', { name: /Remove 6 swaps/ }).click()
  await expect.poll(shown).toEqual(['new', 'batch-Reel', 'old'])
  await press('ControlOrMeta+z')
  await expect.poll(shown).toEqual(all)
})

it('lists sets in the list too, and unfolds them for a filter', async () => {
  await page.getByRole('radio', { name: 'List' }).click()
  await folded().focus()
  await press('Enter')
  await expect.poll(shown).toEqual(['new', 'batch-Launch set', ...launched, 'batch-Reel', 'old'])
  await page.getByRole('button', { name: /Needs attention/ }).click()
  await expect.poll(shown).toEqual(['launch-3'])
  await page.getByRole('button', { name: /^All/ }).click()
  await open().waitFor()
})
