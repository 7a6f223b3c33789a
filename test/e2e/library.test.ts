/** @file A library of a few thousand swaps, used by keyboard in the real app: its place, tags and filters. */
import { beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { clip, monaLisa, swap } from '../fixtures/fake-tasks.ts'
import { sample } from '../fixtures/clip.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { fillLibrary, resize, seedSample, openStudio, submitSample } from './seeded.ts'

const count = 3000
const dataDir = sharedDir()
let page: Page

beforeAll(() => {
  fillLibrary(dataDir, (store, media) => {
    const picture = media.addDerived(sample.face)
    const of = { face: { ...monaLisa(1), thumbnailId: picture }, video: clip({ coverId: picture }) }
    const from = new Date(2026, 0, 1).getTime()
    store.transaction(() => {
      for (let take = 1; take <= count; take += 1) {
        const more = { ...of, coverId: picture, peopleIds: [], title: `Take ${String(take)}` }
        store.put(swap(`swap-${String(take)}`, from + take * 3_600_000, more))
      }
    })
  })
  seedSample(dataDir)
})
const studio = openStudio({ dataDir })
beforeAll(() => void ({ page } = studio))

const cell = (take: number) => page.getByRole('gridcell', { name: new RegExp(`Take ${String(take)}(?!\\d)`) })
const focused = () =>
  page.evaluate(() => document.activeElement?.getAttribute('data-task') ?? document.activeElement?.tagName)
const shown = () =>
  page.locator('[data-task]').evaluateAll((cells) => cells.map((each) => each.getAttribute('data-task')))
const search = (text: string) => page.getByRole('searchbox').fill(text)

/** Scrolls, and waits until everything in sight is loaded. */
async function scrollTo(pixels: number): Promise<void> {
  await page.locator('main').evaluate((list, top) => {
    list.scrollTop = top
  }, pixels)
  const settled = () =>
    page.evaluate(() => {
      const list = document.querySelector('main')
      const { top = 0, bottom = 0 } = list?.getBoundingClientRect() ?? {}
      const cells = [...document.querySelectorAll('[data-number]')]
      const inSight = cells.filter((each) => {
        const box = each.getBoundingClientRect()
        return box.bottom > top && box.top < bottom
      })
      return inSight.length > 0 && inSight.every((each) => each.hasAttribute('data-task'))
    })
  await expect.poll(settled).toBe(true)
}

it('opens at the newest, with a few rows in the page', async () => {
  await cell(count).waitFor()
  expect((await shown()).slice(0, 3)).toEqual(['swap-3000', 'swap-2999', 'swap-2998'])
  expect((await shown()).length).toBeLessThan(120)
  expect(await page.getByRole('button', { name: /^All/ }).textContent()).toContain('3,000')
})

it('goes to its end and back by keys, and loads what comes into sight', async () => {
  await page.keyboard.press('ControlOrMeta+l')
  await cell(count).focus()
  await page.keyboard.press('End')
  await expect.poll(focused).toBe('swap-1')
  expect(await shown()).not.toContain('swap-3000')
  await page.keyboard.press('PageUp')
  await expect.poll(focused).not.toBe('swap-1')
  await page.keyboard.press('Home')
  await expect.poll(focused).toBe('swap-3000')
})

it('begins a search at its newest hit, wherever the library was scrolled to', async () => {
  await cell(count).focus()
  await page.keyboard.press('End')
  await expect.poll(focused).toBe('swap-1')
  await page.keyboard.press('ControlOrMeta+f')
  await search('take 17')
  await expect.poll(async () => (await shown())[0]).toBe('swap-2917')
  expect(await page.locator('main').evaluate((list) => list.scrollTop)).toBe(0)
  await search('')
  await expect.poll(async () => (await shown())[0]).toBe('swap-3000')
})

it('keeps the focus in the library when several are removed, and brings them back', async () => {
  await cell(2990).focus()
  for (let extend = 0; extend < 3; extend += 1) await page.keyboard.press('Shift+ArrowRight')
  await expect.poll(focused).toBe('swap-2987')
  await page.keyboard.press('Delete')
  await page.getByText('4 swaps removed').waitFor()
  await expect.poll(shown).not.toContain('swap-2987')
  await expect.poll(focused).toBe('swap-2986')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(focused).toBe('swap-2991')
  await page.keyboard.press('ControlOrMeta+z')
  await expect.poll(shown).toContain('swap-2989')
})

it('tags the selection by T, and filters by tag from F', async () => {
  await cell(count).focus()
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('t')
  await page.getByRole('dialog', { name: 'Tag 2 swaps' }).waitFor()
  await page.keyboard.type('Client review')
  await page.keyboard.press('Enter')
  await page.getByText('Tags changed on 2 swaps').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('f')
  await page.getByRole('menu', { name: 'Filters' }).waitFor()
  for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
  await expect.poll(shown).toEqual(['swap-3000', 'swap-2999'])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Remove filter Tag/ }).click()
  await expect.poll(async () => (await shown()).length).toBeGreaterThan(2)
})

it('keeps the place when something is added above', async () => {
  await scrollTo(20_000)
  const top = () =>
    page.evaluate(() => {
      const edge = document.querySelector('main')?.getBoundingClientRect().top ?? 0
      const inSight = [...document.querySelectorAll('[data-task]')].find(
        (each) => each.getBoundingClientRect().top > edge,
      )
      return [inSight?.getAttribute('data-task'), Math.round(inSight?.getBoundingClientRect().top ?? 0)].join(' ')
    })
  const before = await top()
  await page.evaluate(() => window.mien.profiles.pause({ profileId: 'this-computer', paused: true }))
  await submitSample(page, 'New', 'this-computer')
  await expect.poll(() => page.getByRole('button', { name: /^All/ }).textContent()).toContain('3,001')
  await expect.poll(top).toBe(before)
})

it.each([1280, 900])('opens a swap whole, and comes back to where it was, %i pixels wide', async (width) => {
  await resize(studio, width, 800)
  await scrollTo(30_000)
  const id = String(await page.getByRole('gridcell').nth(12).getAttribute('data-task'))
  // Not again the twelfth: after the new size, rows may still be added above.
  await page.locator(`[data-task=${id}]`).focus()
  await page.keyboard.press('Enter')
  await page.getByText('History').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(focused).toBe(id)
})
