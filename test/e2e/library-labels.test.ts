/** @file Tags, notes, favourites and filters of the library, used by keyboard in the real app. */
import { beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { sample } from '../fixtures/clip.ts'
import { eileen, monaLisa } from '../fixtures/fake-tasks.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { fillLibrary, openStudio, finished } from './seeded.ts'

const titles = ['Crew portrait', 'Launch day interview', 'Interview, blue', 'Archive', 'Walk-on', 'Gallery loop']
const dataDir = sharedDir()
let page: Page

beforeAll(() => {
  fillLibrary(dataDir, (store, media) => {
    const thumbnailId = media.addDerived(sample.face)
    for (const [at, title] of titles.entries()) {
      const createdAt = Date.now() - (at < 3 ? at : at * 1440 * 12) * 60_000
      const face = { ...(at % 2 === 0 ? monaLisa(1) : eileen(1)), thumbnailId }
      const video = { sizeBytes: 1000 + at }
      const change = { id: `swap-${String(at)}`, createdAt, face, video }
      const failed = { state: 'failed', result: null, error: { code: 'no-face-in-video', details: {} } } as const
      store.put({ ...finished(media, title, [sample.video, sample.video], change), ...(at === 4 ? failed : {}) })
    }
  })
})
const studio = openStudio({ dataDir })
beforeAll(() => void ({ page } = studio))

const cell = (title: string) => page.getByRole('gridcell', { name: new RegExp(title) })
const shown = () =>
  page
    .locator('[data-task]')
    .evaluateAll((cells) => cells.map((each) => Number(each.getAttribute('data-task')?.slice(5))))
const press = async (...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}
const tagDialog = () => page.getByRole('dialog', { name: /^Tag/ })

it('tags the selection by T, several at once, and completes what is typed', async () => {
  await cell('Crew portrait').focus()
  await press('Shift+ArrowRight', 't')
  await page.getByRole('dialog', { name: 'Tag 2 swaps' }).waitFor()
  await page.keyboard.type('Client review, Crew')
  await press('Enter')
  await page.getByText('Tags changed on 2 swaps').waitFor()
  await expect.poll(() => cell('Launch day').getByText('Client review').count()).toBe(1)
  await press('Escape')
  await cell('Interview, blue').focus()
  await press('t')
  await tagDialog().waitFor()
  await page.keyboard.type('CLI')
  await tagDialog()
    .getByRole('option', { name: /Client review/ })
    .waitFor()
  await press('ArrowDown', 'Enter', 'Enter')
  await expect.poll(() => cell('blue').getByText('Client review').count()).toBe(1)
})

it('refuses a tag that is too long, in a sentence, and keeps what was typed', async () => {
  await cell('Archive').focus()
  await press('t')
  await tagDialog().getByRole('combobox').fill('x'.repeat(10_000))
  await press('Enter')
  await tagDialog().getByText('A tag has at most 64 characters', { exact: false }).waitFor()
  expect((await tagDialog().getByRole('combobox').inputValue()).length).toBe(10_000)
  await press('Escape', 'Escape')
  await tagDialog().waitFor({ state: 'hidden' })
})

it('makes favourites by S, and filters by tag and favourite from F', async () => {
  await cell('Launch day').focus()
  await press('s')
  await page.getByText('1 swap added to favourites').waitFor()
  await press('f')
  const menu = page.getByRole('menu', { name: 'Filters' })
  await menu.waitFor()
  await press('ArrowDown', 'ArrowRight', 'Enter')
  await expect.poll(shown).toEqual([0, 1, 2])
  await page.getByRole('menuitemcheckbox', { name: /Client review/ }).waitFor()
  await press('ArrowLeft', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'Space')
  await expect.poll(shown).toEqual([1])
  await press('Escape')
  await page.getByText('1 of 6').waitFor()
  await page.getByRole('button', { name: 'Remove filter Favourites' }).click()
  await expect.poll(shown).toEqual([0, 1, 2])
})

it('says what hides all swaps, and clears it', async () => {
  await page.getByRole('searchbox').fill('nothing like it')
  await page.getByText('No swaps match these filters').waitFor()
  await page.getByText('Tag: Client review', { exact: false }).last().waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect.poll(shown).toEqual([0, 1, 2, 3, 4, 5])
})

it('undoes tags and favourites by mod+Z', async () => {
  await cell('Archive').focus()
  await press('t')
  await tagDialog().waitFor()
  await page.keyboard.type('v2')
  await press('Enter')
  await expect.poll(() => cell('Archive').getByText('v2').count()).toBe(1)
  await press('ControlOrMeta+z')
  await expect.poll(() => cell('Archive').getByText('v2').count()).toBe(0)
})

it('sorts the list by its heads', async () => {
  await page.getByRole('radio', { name: 'List' }).click()
  await page.getByRole('button', { name: 'Title', exact: true }).click()
  await expect.poll(shown).toEqual([3, 0, 5, 2, 1, 4])
  await page.getByRole('button', { name: 'Title', exact: true }).click()
  await expect.poll(shown).toEqual([4, 1, 2, 5, 0, 3])
  await page.getByRole('button', { name: 'Added', exact: true }).click()
  await expect.poll(shown).toEqual([0, 1, 2, 3, 4, 5])
})

it('saves a note while it is typed, finds its words, and puts the old one back', async () => {
  await cell('Archive').focus()
  await press('Enter')
  const note = page.getByRole('textbox', { name: 'Note' })
  await note.fill('The client wants the second take')
  await page.getByRole('heading', { name: 'Tags' }).click()
  await page.getByText('Note saved').waitFor()
  await press('ControlOrMeta+l')
  await page.getByRole('searchbox').fill('second take')
  await expect.poll(shown).toEqual([3])
  await page.getByRole('searchbox').fill('')
  await page.getByRole('searchbox').blur()
  await press('ControlOrMeta+z')
  await expect.poll(async () => (await page.evaluate(() => window.mien.library.note({ number: 4 }))).ok).toBe(true)
  await page.getByRole('searchbox').fill('second take')
  await page.getByText('Nothing matches').waitFor()
})
