/** @file A model of the user's in the studio: added, checked, confirmed, chosen, used and removed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { shortClip } from '../fixtures/clip.ts'
import { swapper } from '../fixtures/swap-models.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { choosePaths } from './app.ts'
import { openStudio, fillSlots } from './seeded.ts'

const studio = openStudio()

it('is added, checked, chosen and used, and gone when it is removed', async () => {
  const { page } = studio
  const dir = tempDir()
  const put = (name: string, content: Uint8Array | string): string => {
    writeFileSync(join(dir, name), content)
    return join(dir, name)
  }
  const files = [
    put('uniface_256.onnx', swapper('uniface', { paint: 'identity' })),
    put('page.onnx', '<!doctype html>'),
  ]
  await choosePaths(studio, ...files)
  await page.keyboard.press('ControlOrMeta+,')
  await page.getByRole('button', { name: 'Add model…' }).click()
  await page.getByText('“page.onnx” can’t be used as a model').waitFor()
  const row = page.locator('[data-model="uniface_256"]')
  await row.getByRole('button', { name: 'I may use it' }).click()
  await row.getByText(/About \d+ ms for each frame on the processor/).waitFor()

  await page.keyboard.press('ControlOrMeta+N')
  await fillSlots(page, await shortClip(join(dir, 'short.mp4'), 5))
  await page.getByRole('checkbox', { name: /I may use this face/ }).check()
  await page.keyboard.press('ControlOrMeta+E')
  await page.getByRole('button', { name: 'Way to swap' }).click()
  await page.getByRole('menuitemradio', { name: 'uniface_256' }).click()
  await page.getByText(/^About \d+ (s|min) on the processor$/).waitFor()
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('Finished').first().waitFor()
  await page.getByText('uniface_256').first().waitFor()

  await page.keyboard.press('ControlOrMeta+,')
  await page.getByRole('button', { name: 'Remove uniface_256' }).click()
  await row.waitFor({ state: 'detached' })
  expect(await page.getByText('Built in', { exact: true }).count()).toBe(1)
})
