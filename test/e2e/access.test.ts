/** @file Every page and state of the real app under axe, in both themes: WCAG 2.2 AA, headings, landmarks, names. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import AxeBuilder from '@axe-core/playwright'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { swapper } from '../fixtures/swap-models.ts'
import { dropFiles, launch, type Studio } from './app.ts'
import { fillSlots, go, launchSeeded, resize, type SeededStudio } from './seeded.ts'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Rules that axe leaves out unless they are asked for. */
const more = { 'label-content-name-mismatch': { enabled: true }, 'target-size': { enabled: true } }

let studio: Studio

/** What file choosers give from now on. */
const chooseFiles = (...filePaths: string[]): Promise<void> =>
  studio.app.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: chosen })
  }, filePaths)

const button = (name: string | RegExp): Locator => studio.page.getByRole('button', { name })

/** What axe finds on the page as it is, in both themes. */
async function violations(): Promise<string[]> {
  const found: string[] = []
  for (const theme of ['dark', 'light'] as const) {
    await studio.page.evaluate((value) => window.mien.settings.set({ theme: value }), theme)
    await studio.page.locator(`html[data-theme="${theme}"]`).waitFor({ state: 'attached' })
    // A colour on its way from one theme to the other is no colour of either.
    await studio.page.waitForFunction(() => document.getAnimations().length === 0)
    const axe = new AxeBuilder({ page: studio.page }).setLegacyMode().options({ rules: more }).withTags(tags)
    const { violations: list } = await axe.analyze()
    for (const { id, nodes } of list) {
      for (const node of nodes) found.push(`${theme} ${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`)
    }
  }
  return found
}

describe('at the first start', () => {
  beforeAll(async () => {
    studio = await launch()
    await resize(studio, 1280, 800)
  })
  afterAll(() => studio.quit())

  it('the welcome has no violation', async () => {
    expect(await violations()).toEqual([])
  })

  it('the composer has none: filled, with its menu open, and with files that are wrong', async () => {
    const { page } = studio
    await fillSlots(page)
    expect(await violations()).toEqual([])
    await button(/^Runs on/).click()
    await page.getByRole('menu', { name: 'Runs on' }).waitFor()
    expect(await violations()).toEqual([])
    await page.keyboard.press('Escape')
    const photo = fileURLToPath(new URL('../bench/quality/people/ellen-ochoa.jpg', import.meta.url))
    const model = join(studio.dataDir, 'blendswap_256.onnx')
    writeFileSync(model, swapper('blendswap', { paint: 'grey' }))
    await chooseFiles(photo)
    await button('Add photos…').click()
    await page.getByText('2 photos, used together').waitFor()
    await button(/^Options/).click()
    expect(await violations()).toEqual([])
    await chooseFiles(model)
    await go(page, ',')
    await button('Add model…').click()
    await page.locator('[data-model="blendswap_256"]').getByText('can’t be run').waitFor()
    expect(await violations()).toEqual([])
    await page.keyboard.press('Control+n')
    await button(/^Options/).click()
    await page.getByRole('complementary', { name: 'Options' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await button('Remove picture').click()
    const notes = join(studio.dataDir, 'notes.mp4')
    writeFileSync(notes, 'These are notes.\n')
    await dropFiles(page, '[data-slot=video]', [notes])
    await page.getByText('“notes.mp4” isn’t a video').waitFor()
    expect(await violations()).toEqual([])
    await button('Remove picture').click()
    await button('Remove video').click()
    await button('Use a link…').click()
    expect(await violations()).toEqual([])
  })
})

describe('with a library', () => {
  let library: SeededStudio
  beforeAll(async () => {
    library = await launchSeeded()
    studio = library.studio
    await resize(studio, 1280, 800)
  })
  afterAll(() => library.end())

  it('the library has no violation: cards, list, selection, menu, nothing found, dialog', async () => {
    const { page } = studio
    await go(page, 'l')
    expect(await violations()).toEqual([])
    await page.getByRole('radio', { name: 'List' }).click()
    await page
      .getByRole('gridcell')
      .nth(4)
      .click({ modifiers: ['Control'] })
    expect(await violations()).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('radio', { name: 'Grid' }).click()
    await page.locator('[data-state=kept]').first().click({ button: 'right' })
    await page.getByRole('menu', { name: 'Swap' }).waitFor()
    expect(await violations()).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByPlaceholder('Search').fill('nowhere')
    await page.getByText(/Nothing matches/).waitFor()
    expect(await violations()).toEqual([])
    await button('Show all').click()
    await button('Decide…').click()
    await page.getByRole('alertdialog').waitFor()
    expect(await violations()).toEqual([])
    await page.keyboard.press('Escape')
  })

  it.each(['processing', 'waiting', 'unconfirmed', 'kept', 'failed', 'missing', 'cancelled'])(
    'a swap that is %s has no violation',
    async (state) => {
      await go(studio.page, 'l')
      await studio.page.locator(`[data-state=${state}]`).first().press('Enter')
      await studio.page.getByRole('complementary').waitFor()
      expect(await violations()).toEqual([])
    },
  )

  it('the empty composer and toasts have no violation', async () => {
    const { page } = studio
    await go(page, 'l')
    await page.locator('[data-state=failed]').first().press('Delete')
    // Nothing leaves while it is under the pointer.
    await page.locator('.toast').hover()
    expect(await violations()).toEqual([])
    await page.keyboard.press('Control+n')
    expect(await violations()).toEqual([])
    await page.keyboard.press('Control+z')
  })

  it('the list of shortcuts has no violation, and Escape closes it', async () => {
    const { page } = studio
    await go(page, 'l')
    await page.keyboard.press('F1')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.waitFor()
    expect(await violations()).toEqual([])
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
  })

  it('the settings have no violation, with every service and dialog', async () => {
    const { page } = studio
    await go(page, ',')
    for (const name of ['Agency', 'Studio Cloud']) {
      await button(`Open ${name}`).click()
      expect(await violations()).toEqual([])
    }
    await button('Add service…').click()
    expect(await violations()).toEqual([])
    for (const name of ['Licences', 'Save diagnostics…']) {
      await button(name).click()
      await page.getByRole('dialog').waitFor()
      expect(await violations()).toEqual([])
      await page.keyboard.press('Escape')
    }
  })
})
