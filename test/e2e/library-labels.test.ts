/** @file Tags, notes, favourites and filters of the library, used by keyboard in the real app. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { MediaStore } from '../../src/main/media/media-store.ts'
import { openLibrary } from '../../src/main/swaps/store/library-db.ts'
import { TaskStore } from '../../src/main/swaps/store/task-store.ts'
import { sample } from '../fixtures/clip.ts'
import { clip, eileen, monaLisa, outline, swap } from '../fixtures/fake-tasks.ts'
import { patienceMs, type Studio } from './app.ts'
import { launchWarm } from './warm.ts'

const titles = ['Crew portrait', 'Launch day interview', 'Interview, blue', 'Archive', 'Walk-on', 'Gallery loop']
let dataDir: string
let studio: Studio
let page: Page

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'mien-e2e-'))
  const { db } = openLibrary(join(dataDir, 'library.db'), 1)
  const store = new TaskStore(db, console.error)
  const media = new MediaStore(db)
  const [picture, video] = [media.addDerived(sample.face), media.addDerived(sample.video)]
  const faces = [monaLisa(1), eileen(1)].map((face) => ({ ...face, thumbnailId: picture }))
  const now = Date.now()
  for (const [at, title] of titles.entries()) {
    const createdAt = now - (at < 3 ? at : at * 1440 * 12) * 60_000
    const base = swap(`swap-${String(at)}`, createdAt, { title, createdAt })
    store.put({
      ...base,
      face: faces[at % 2] ?? base.face,
      video: clip({ id: video, coverId: picture, sizeBytes: 1000 + at, faces: [outline(652, 492, 446, 508)] }),
      ...{ coverId: picture, peopleIds: [picture], result: base.result && { ...base.result, mediaId: video } },
      ...(at === 4 ? { state: 'failed', result: null, error: { code: 'no-face-in-video', details: {} } } : {}),
    })
  }
  db.close()
  studio = await launchWarm({ dataDir })
  ;({ page } = studio)
})
afterAll(async () => {
  await studio.quit()
  rmSync(dataDir, { recursive: true, force: true })
})

const cell = (title: string) => page.getByRole('gridcell', { name: new RegExp(title) })
const until = <T>(value: () => T) => expect.poll(value, { timeout: patienceMs })
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
  await until(() => cell('Launch day').getByText('Client review').count()).toBe(1)
  await press('Escape')
  await cell('Interview, blue').focus()
  await press('t')
  await tagDialog().waitFor()
  await page.keyboard.type('CLI')
  await tagDialog()
    .getByRole('option', { name: /Client review/ })
    .waitFor()
  await press('ArrowDown', 'Enter', 'Enter')
  await until(() => cell('blue').getByText('Client review').count()).toBe(1)
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
  await until(shown).toEqual([0, 1, 2])
  await page.getByRole('menuitemcheckbox', { name: /Client review/ }).waitFor()
  await press('ArrowLeft', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'Space')
  await until(shown).toEqual([1])
  await press('Escape')
  await page.getByText('1 of 6').waitFor()
  await page.getByRole('button', { name: 'Remove filter Favourites' }).click()
  await until(shown).toEqual([0, 1, 2])
})

it('says what hides all swaps, and clears it', async () => {
  await page.getByRole('searchbox').fill('nothing like it')
  await page.getByText('No swaps match these filters').waitFor()
  await page.getByText('Tag: Client review', { exact: false }).last().waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await until(shown).toEqual([0, 1, 2, 3, 4, 5])
})

it('undoes tags and favourites by mod+Z', async () => {
  await cell('Archive').focus()
  await press('t')
  await tagDialog().waitFor()
  await page.keyboard.type('v2')
  await press('Enter')
  await until(() => cell('Archive').getByText('v2').count()).toBe(1)
  await press('ControlOrMeta+z')
  await until(() => cell('Archive').getByText('v2').count()).toBe(0)
})

it('sorts the list by its heads', async () => {
  await page.getByRole('radio', { name: 'List' }).click()
  await page.getByRole('button', { name: 'Title', exact: true }).click()
  await until(shown).toEqual([3, 0, 5, 2, 1, 4])
  await page.getByRole('button', { name: 'Title', exact: true }).click()
  await until(shown).toEqual([4, 1, 2, 5, 0, 3])
  await page.getByRole('button', { name: 'Added', exact: true }).click()
  await until(shown).toEqual([0, 1, 2, 3, 4, 5])
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
  await until(shown).toEqual([3])
  await page.getByRole('searchbox').fill('')
  await page.getByRole('searchbox').blur()
  await press('ControlOrMeta+z')
  await until(async () => (await page.evaluate(() => window.mien.library.note({ number: 4 }))).ok).toBe(true)
  await page.getByRole('searchbox').fill('second take')
  await page.getByText('Nothing matches').waitFor()
})
