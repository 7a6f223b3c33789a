/** @file Actions in the real app: the palette, the application menu, and keys that the user changes. */
import { expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import type { Studio } from './app.ts'
import { go, openSeeded } from './seeded.ts'

const studio = openSeeded()

/** An item of the application menu. */
const itemOf = ({ app }: Studio, id: string) =>
  app.evaluate(({ Menu }, wanted) => {
    const item = Menu.getApplicationMenu()?.getMenuItemById(wanted)
    return item ? { label: item.label, accelerator: item.accelerator, enabled: item.enabled } : null
  }, id)

const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' })
/** Opens the palette and types a search. */
async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  const field = palette(page).getByRole('combobox')
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.type(text)
}
const options = (page: Page) => palette(page).getByRole('option')

it('the palette runs actions, and goes to swaps and settings', async () => {
  const { page } = studio
  await go(page, 'l')
  await page.getByRole('gridcell', { name: /Launch day interview/ }).focus()
  await search(page, '')
  await page.keyboard.type('launch')
  await options(page).filter({ hasText: 'Launch day interview' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Launch day interview' }).waitFor()
  await page.getByText('History').waitFor()

  await search(page, 'play')
  await expect.poll(() => options(page).allTextContents()).toHaveLength(2)
  expect(await options(page).last().getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.press('Escape')
  await palette(page).waitFor({ state: 'detached' })

  await search(page, 'side by')
  await page.keyboard.press('Enter')
  await expect
    .poll(() => page.evaluate(async () => window.mien.settings.get()))
    .toMatchObject({ value: { compareMode: 'side', recentActions: ['viewer.side'] } })
  await search(page, 'notif')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Notifications' }).waitFor()
})

it('new keys work at once, also in the menu and after a restart', async () => {
  let { page } = studio
  // The page offers its actions to the menu once it is shown.
  await expect
    .poll(() => itemOf(studio, 'anywhere.library'))
    .toEqual({
      label: 'Library',
      accelerator: 'CmdOrCtrl+L',
      enabled: true,
    })
  expect(await itemOf(studio, 'viewer.play')).toMatchObject({ enabled: false })
  expect(await itemOf(studio, 'window.quit')).toMatchObject({ accelerator: 'CmdOrCtrl+Q' })

  const before = page.url()
  await page.evaluate(() => Object.assign(window, { mark: true }))
  for (const keys of ['Control+r', 'F5', 'Control+Shift+r']) await page.keyboard.press(keys)
  await page.keyboard.press('Control+,')
  await page.getByRole('button', { name: 'Keyboard', exact: true }).click()
  expect(await page.evaluate(() => 'mark' in window)).toBe(true)
  expect(page.url()).toBe(before)

  const change = page.getByRole('button', { name: 'Change “Library”' })
  await change.focus()
  await page.keyboard.press('Enter')
  for (const [keys, text] of [
    ['Control+x', 'Text fields need Ctrl X. Press other keys.'],
    ['F11', 'F11 always means “Full-screen window”'],
    ['Control+v', 'Ctrl V always means'],
  ] as const) {
    await page.keyboard.press(keys)
    await page.getByRole('alert').filter({ hasText: text }).waitFor()
  }
  await page.keyboard.press('Control+j')
  await page.getByText('Ctrl J is used for “Queue”').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => change.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+j')
  await page.getByRole('button', { name: 'Replace', exact: true }).click()
  await expect.poll(() => itemOf(studio, 'anywhere.library')).toMatchObject({ accelerator: 'CmdOrCtrl+J' })
  await expect.poll(() => itemOf(studio, 'anywhere.queue')).toMatchObject({ accelerator: null })

  await studio.reopen()
  ;({ page } = studio)
  expect(await itemOf(studio, 'anywhere.library')).toMatchObject({ accelerator: 'CmdOrCtrl+J' })
  await page.keyboard.press('Control+l')
  await page.keyboard.press('Control+j')
  await page.getByRole('textbox', { name: 'Search the library' }).or(page.getByRole('searchbox')).first().waitFor()
  await page.keyboard.press('Control+,')
  await page.getByRole('button', { name: 'Restore defaults' }).click()
  await expect.poll(() => itemOf(studio, 'anywhere.library')).toMatchObject({ accelerator: 'CmdOrCtrl+L' })
})
