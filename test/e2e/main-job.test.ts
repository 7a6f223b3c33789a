/** @file The main job in the real app: from nothing to a kept result, with real files. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { shortClip } from '../fixtures/clip.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { openStudio, fillSlots } from './seeded.ts'

const files = sharedDir()
let clip: string
beforeAll(async () => {
  clip = await shortClip(join(files, 'city-walk.mp4'), 9)
})
const studio = openStudio()

const finished = (page: Page) => page.getByRole('button', { name: 'Save as…' }).waitFor()

it('a dropped face and a dropped video, confirmed, are swapped; the library has it after a restart, and once more after Undo', async () => {
  const { page } = studio
  await fillSlots(page, clip)
  await expect.poll(() => page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('City walk')
  const swap = page.getByRole('button', { name: 'Swap', exact: true })
  expect(await swap.isEnabled()).toBe(false)
  await page.getByRole('checkbox', { name: /I may use this face/ }).check()
  await swap.click()
  await finished(page)
  expect(existsSync(join(studio.dataDir, 'results', 'City walk.mp4'))).toBe(true)

  await studio.reopen()
  await studio.page.getByText('City walk').first().click()
  await finished(studio.page)
  const pictures = studio.page.getByRole('img', { name: /^(Before|After):/ }).locator('canvas')
  await expect.poll(() => pictures.count()).toBe(2)
  // A canvas is 300 × 150 until a frame is drawn.
  const shapes = (): Promise<number[]> =>
    pictures.evaluateAll((all) => all.map((each) => (each instanceof HTMLCanvasElement ? each.width / each.height : 0)))
  await expect.poll(async () => (await shapes()).map((shape) => shape.toFixed(1))).toEqual(['1.8', '1.8'])

  // It is offered for six seconds, which a machine that is busy may need: it is waited for before.
  const undone = studio.page.getByRole('button', { name: 'Undo' }).click()
  await studio.page.getByRole('button', { name: 'Remove' }).click()
  await undone
  await studio.page.keyboard.press('ControlOrMeta+l')
  await studio.page.getByText('City walk').first().waitFor()
  const digits = (): Promise<string[]> =>
    studio.page.locator('.num').evaluateAll((all) => all.map((each) => getComputedStyle(each).fontVariantNumeric))
  await studio.page.getByRole('radio', { name: 'List' }).click()
  await expect.poll(async () => [...new Set(await digits())]).toEqual(['tabular-nums'])
})
