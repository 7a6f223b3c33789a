/** @file Actions in the real app: the application menu, and keys that the user changes. */
import { expect, it } from 'vitest'
import type { Studio } from './app.ts'
import { openSeeded } from './seeded.ts'

const studio = openSeeded()

/** An item of the application menu. */
const itemOf = ({ app }: Studio, id: string) =>
  app.evaluate(({ Menu }, wanted) => {
    const item = Menu.getApplicationMenu()?.getMenuItemById(wanted)
    return item ? { label: item.label, accelerator: item.accelerator, enabled: item.enabled } : null
  }, id)

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
  await page.keyboard.press('Control+j')
  await page.getByRole('button', { name: 'Replace', exact: true }).click()
  await expect.poll(() => itemOf(studio, 'anywhere.library')).toMatchObject({ accelerator: 'CmdOrCtrl+J' })
  await expect.poll(() => itemOf(studio, 'anywhere.queue')).toMatchObject({ accelerator: null })

  await studio.reopen()
  ;({ page } = studio)
  // The menu follows the first frame.
  await expect.poll(() => itemOf(studio, 'anywhere.library')).toMatchObject({ accelerator: 'CmdOrCtrl+J' })
  await page.keyboard.press('Control+l')
  await page.keyboard.press('Control+j')
  await page.getByRole('textbox', { name: 'Search the library' }).or(page.getByRole('searchbox')).first().waitFor()
  await page.keyboard.press('Control+,')
  await page.getByRole('button', { name: 'Restore defaults' }).click()
  await expect.poll(() => itemOf(studio, 'anywhere.library')).toMatchObject({ accelerator: 'CmdOrCtrl+L' })
})
