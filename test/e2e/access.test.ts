/** @file Every page and state of the real app under axe, in both themes: WCAG 2.2 AA, headings, landmarks, names. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { ModelStore } from '../../src/main/engine/models/model-store.ts'
import { languages } from '../../src/shared/language.ts'
import { shortClip } from '../fixtures/clip.ts'
import { swapper } from '../fixtures/swap-models.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { dropFiles, type Studio } from './app.ts'
import { violations } from './axe.ts'
import { fillSlots, go, openStudio, openSeeded } from './seeded.ts'

let studio: Studio

const button = (name: string | RegExp): Locator => studio.page.getByRole('button', { name })

/** One that was checked, and can't be run. */
async function addBrokenModel(dataDir: string): Promise<void> {
  const file = join(dataDir, 'blendswap_256.onnx')
  writeFileSync(file, swapper('blendswap', { paint: 'grey' }))
  const models = new ModelStore({ dir: join(dataDir, 'models'), now: Date.now, log: console.error })
  const { id } = await models.add(file, { confirmed: true })
  const wasm = { problem: 'failed', reason: null, loadMs: null, runMs: null } as const
  const absent = { ...wasm, problem: 'absent' } as const
  await models.setCheck(id, { wasm, webnn: absent, webgpu: absent, memoryBytes: 0, adapter: '' })
}

describe('at the first start', () => {
  const dataDir = sharedDir()
  beforeAll(() => addBrokenModel(dataDir))
  const own = openStudio({ dataDir, size: [1280, 800] })
  beforeAll(() => void (studio = own))

  it('the welcome has no violation', async () => expect(await violations(studio)).toEqual([]))

  it('the composer has none: filled, with its menu open, and with files that are wrong', async () => {
    const { page } = studio
    await fillSlots(page, await shortClip(join(studio.dataDir, 'clip.mp4'), 9))
    expect(await violations(studio)).toEqual([])
    await button(/^Runs on/).click()
    await page.getByRole('menu', { name: 'Runs on' }).waitFor()
    expect(await violations(studio, '[role=menu]')).toEqual([])
    await page.keyboard.press('Escape')
    await button(/^Options/).click()
    expect(await violations(studio)).toEqual([])
    await go(page, ',')
    await page.locator('[data-model="blendswap_256"]').getByText('can’t be run').waitFor()
    expect(await violations(studio)).toEqual([])
    await page.keyboard.press('Control+n')
    await button(/^Options/).click()
    await page.getByRole('complementary', { name: 'Options' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    const notes = join(studio.dataDir, 'notes.mp4')
    writeFileSync(notes, 'These are notes.\n')
    await dropFiles(page, '[data-slot=video]', [notes])
    await page.getByText('“notes.mp4” isn’t a video').waitFor()
    expect(await violations(studio)).toEqual([])
    await button('Remove picture').click()
    await button('Remove video').click()
    await button('Use a link…').click()
    expect(await violations(studio)).toEqual([])
  })
})

describe('with a library', () => {
  const own = openSeeded([1280, 800])
  beforeAll(() => void (studio = own))

  it('the library has no violation: cards, list, selection, menu, nothing found, dialog', async () => {
    const { page } = studio
    await go(page, 'l')
    expect(await violations(studio)).toEqual([])
    await page.getByRole('radio', { name: 'List' }).click()
    await page
      .getByRole('gridcell')
      .nth(4)
      .click({ modifiers: ['Control'] })
    expect(await violations(studio)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('radio', { name: 'Grid' }).click()
    await page.locator('[data-state=kept]').first().click({ button: 'right' })
    await page.getByRole('menu', { name: 'Swap' }).waitFor()
    expect(await violations(studio, '[role=menu]')).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByPlaceholder('Search').fill('nowhere')
    await page.getByText(/Nothing matches/).waitFor()
    expect(await violations(studio)).toEqual([])
    await button('Show all').click()
    await button('Decide…').click()
    await page.getByRole('alertdialog').waitFor()
    expect(await violations(studio, '[role=alertdialog]')).toEqual([])
    await page.keyboard.press('Escape')
  })

  it.each(['processing', 'waiting', 'unconfirmed', 'kept', 'failed', 'missing', 'cancelled'])(
    'a swap that is %s has no violation',
    async (state) => {
      await go(studio.page, 'l')
      await studio.page.locator(`[data-state=${state}]`).first().press('Enter')
      await studio.page.getByRole('complementary').waitFor()
      expect(await violations(studio)).toEqual([])
    },
  )

  it('the empty composer and toasts have no violation', async () => {
    const { page } = studio
    await go(page, 'l')
    await page.locator('[data-state=failed]').first().press('Delete')
    // Nothing leaves while it is under the pointer.
    await page.locator('.toast').hover()
    expect(await violations(studio)).toEqual([])
    await page.keyboard.press('Control+n')
    expect(await violations(studio)).toEqual([])
    await page.keyboard.press('Control+z')
  })

  it('the page that verifies files has none: empty, and with a file', async () => {
    const { page } = studio
    await go(page, 'l')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('verify')
    await page.keyboard.press('Enter')
    await button(/^Drop a file/).waitFor()
    expect(await violations(studio)).toEqual([])
    await go(page, 'l')
    await page.locator('[data-state=kept]').first().click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Check credentials' }).click()
    await page.getByRole('heading', { name: 'No credentials found' }).waitFor()
    expect(await violations(studio)).toEqual([])
  })

  it('the list of shortcuts has no violation, and Escape closes it', async () => {
    const { page } = studio
    await go(page, 'l')
    await page.keyboard.press('F1')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.waitFor()
    expect(await violations(studio, 'dialog[open]')).toEqual([])
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
  })

  it('the settings have no violation, with every service and dialog', async () => {
    const { page } = studio
    await go(page, ',')
    for (const name of ['Agency', 'Studio Cloud']) {
      await button(`Open ${name}`).click()
      expect(await violations(studio)).toEqual([])
    }
    await button('Add service…').click()
    expect(await violations(studio)).toEqual([])
    for (const name of ['Licences', 'Save diagnostics…']) {
      await button(name).click()
      await page.getByRole('dialog').waitFor()
      expect(await violations(studio, 'dialog[open]')).toEqual([])
      await page.keyboard.press('Escape')
    }
  })

  it('the palette, the filters, the tags and the keys have none', async () => {
    const { page } = studio
    await go(page, 'l')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    expect(await violations(studio, 'dialog[open]')).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('combobox').waitFor({ state: 'detached' })
    await page.locator('[data-state=kept]').first().focus()
    await page.keyboard.press('f')
    await page.getByRole('menu').or(page.getByRole('dialog')).first().waitFor()
    expect(await violations(studio, '[role=menu], dialog[open]')).toEqual([])
    await page.keyboard.press('Escape')
    await page.locator('[data-state=kept]').first().focus()
    await page.keyboard.press('t')
    await page.getByRole('dialog').waitFor()
    expect(await violations(studio, 'dialog[open]')).toEqual([])
    await page.keyboard.press('Escape')
    await go(page, ',')
    await page.getByRole('button', { name: 'Keyboard', exact: true }).click()
    await page.getByRole('searchbox').first().waitFor()
    expect(await violations(studio)).toEqual([])
  })

  it.each(languages.filter((language) => language !== 'en'))(
    'no page has one in %s',
    { tags: ['long'] },
    async (language) => {
      const { page } = studio
      await page.evaluate((value) => window.mien.settings.set({ language: value }), language)
      await page.locator(`html[lang="${language}"]`).waitFor({ state: 'attached' })
      const pages = { n: '[data-slot=video]', l: '[role=grid]', ',': 'nav + main', j: '.queue', k: '[role=combobox]' }
      for (const [key, shown] of Object.entries(pages)) {
        await go(page, key)
        await page.locator(shown).first().waitFor()
        expect(await violations(studio), shown).toEqual([])
      }
    },
  )
})
