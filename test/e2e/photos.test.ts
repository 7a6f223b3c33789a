/** @file Several photos of one person, and the options of a swap, in the real app. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { defaultOptions } from '../../src/shared/options/default-options.ts'
import { clips, portrait, portraitOf } from '../fixtures/clip.ts'
import { choosePaths, dropFiles } from './app.ts'
import { violations } from './axe.ts'
import { openStudio, storedTasks, fillSlots } from './seeded.ts'

const text = fileURLToPath(new URL('../../README.md', import.meta.url))

const studio = openStudio()

it('swaps the person of two photos with the chosen options', async () => {
  const { page, dataDir } = studio
  await fillSlots(page, portrait, portraitOf('sally-ride'))
  await page.getByRole('checkbox', { name: /I may use this face/ }).check()

  await choosePaths(studio, portraitOf('sally-ride-1984'), portrait, text)
  // It says that for some seconds only.
  const notAdded = page.getByText('Not added: frederick-gregory.jpg and README.md').waitFor()
  await page.getByRole('button', { name: 'Add photos…' }).click()
  await Promise.all([notAdded, page.getByText('2 photos, used together').waitFor()])
  expect(await page.getByRole('checkbox', { name: /I may use this face/ }).isChecked()).toBe(true)

  await page.keyboard.press('ControlOrMeta+E')
  const slider = page.getByRole('slider', { name: 'Likeness' })
  await slider.focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('button', { name: 'Mouth' }).click()
  await page.getByText('2 changes').first().waitFor()
  expect(await violations(studio)).toEqual([])
  await page.keyboard.press('Escape')
  expect(await slider.count()).toBe(0)

  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('Finished').first().waitFor()
  const wanted = { ...defaultOptions, likeness: 70, keep: ['mouth', 'glasses', 'hair'] }
  const [task] = storedTasks(dataDir)
  expect([task?.pictures.map(({ name }) => name), task?.options]).toEqual([['sally-ride-1984.jpg'], wanted])
  expect(JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8'))).toMatchObject({
    settings: { swapOptions: wanted },
  })
})

it('takes the face of who fills most of a video that is dropped on the face, or of somebody else in it', async () => {
  const { page } = studio
  await page.keyboard.press('ControlOrMeta+N')
  await dropFiles(page, '[data-slot=face]', [clips.handAndTurn])
  const people = page.getByRole('group', { name: 'People in this video' })
  const shown = page.locator('[data-slot=face] .picture img')
  await people.waitFor()
  const first = await shown.getAttribute('src')
  await people.getByRole('button', { name: 'Use the face of person 2' }).click()
  await expect.poll(() => shown.getAttribute('src')).not.toBe(first)
  expect(await violations(studio)).toEqual([])
})
