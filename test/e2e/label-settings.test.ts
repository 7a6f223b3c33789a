/** @file The label in Settings and in the options of a swap, in the real app. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dropFiles, type Studio } from './app.ts'
import { launchWarm } from './warm.ts'
import { clips } from '../fixtures/clip.ts'

let studio: Studio
beforeAll(async () => {
  studio = await launchWarm()
}, 200_000)
afterAll(() => studio.quit())

const stored = (): { settings: object } =>
  JSON.parse(readFileSync(join(studio.dataDir, 'settings.json'), 'utf8')) as { settings: object }

it('a label is chosen in Settings, and is the default of a swap', { timeout: 200_000 }, async () => {
  const { page } = studio
  await page
    .getByRole('link', { name: 'Settings' })
    .or(page.getByRole('button', { name: 'Settings' }))
    .first()
    .click()
  await page.getByRole('button', { name: 'Labels and credentials' }).click()
  await page.getByRole('button', { name: 'Visible label Off' }).click()
  await page.getByRole('menuitemradio', { name: 'China: first seconds' }).click()
  const producer = page.getByRole('textbox', { name: 'Content producer' })
  await producer.fill('Studio Zürich')
  await page.getByText('Not saved: it has letters').waitFor()
  await producer.fill('Studio 7')
  await producer.press('Tab')
  await expect.poll(stored).toMatchObject({ settings: { label: 'china', contentProducer: 'Studio 7' } })
  await page.getByRole('button', { name: 'Visible label China' }).click()
  await page.getByRole('menuitemradio', { name: 'EU: whole video' }).click()
  await page.getByRole('button', { name: /Language of the label/ }).click()
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
  await page.getByText('“KI-bearbeitet: Gesicht ersetzt” in the top left corner.').waitFor()

  await page.keyboard.press('ControlOrMeta+N')
  await dropFiles(page, 'main', [clips.small])
  await page.getByText('1 person').waitFor()
  await page.keyboard.press('ControlOrMeta+e')
  await page.getByRole('button', { name: 'Visible label EU: whole video' }).waitFor()
})
