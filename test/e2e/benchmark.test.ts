/** @file The computer is measured once, when Mien has nothing else to do, and again when it is asked for. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { sample } from '../fixtures/clip.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { dropFiles, type Studio } from './app.ts'
import { openStudio } from './seeded.ts'

const dataDir = sharedDir()
const studio = openStudio({ dataDir, env: { MIEN_MEASURE_AFTER_MS: '0' } })
const stored = (): { at: number; encoder: string; hardware: { problem: string | null }; fps: number } | null =>
  // Written by the app.
  (JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8')) as { machine: ReturnType<typeof stored> }).machine

const row = (page: Page) => page.locator('#computer [role=status]')
const toSettings = async ({ page }: Studio): Promise<void> => {
  await page.keyboard.press('Control+,')
  await row(page).waitFor()
}
const measured = (page: Page): Promise<void> => row(page).getByText('Measured today').waitFor()

it('serves a dropped file while it measures, and measures afterwards', async () => {
  const { page } = studio
  await toSettings(studio)
  await row(page).getByText('Measuring this computer').waitFor()
  expect(stored()).toBeNull()
  await page.keyboard.press('Control+n')
  await dropFiles(page, '[data-slot=face]', [sample.face])
  await page.getByText('1 face found').waitFor()
  expect(stored()).toBeNull()
  await toSettings(studio)
  await measured(page)
  // There is no graphics chip here, and a swap of 720p took some time.
  expect(stored()).toMatchObject({ encoder: 'software', hardware: { problem: 'absent' } })
  expect(stored()?.fps).toBeGreaterThan(1)
  expect(existsSync(join(dataDir, 'measuring'))).toBe(false)
  expect(await page.locator('#computer .speeds').innerText()).toMatch(/fps\s+360p[^]+fps\s+720p[^]+fps\s+1080p/)
})

it('begins again when it is asked for, and keeps what it knew when that is cancelled', async () => {
  const { page } = studio
  const before = stored()
  await page.getByRole('button', { name: 'Measure again' }).click()
  await row(page).getByText('Measuring this computer').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await measured(page)
  expect(stored()).toEqual(before)
})

it('measures again', { tags: ['long'] }, async () => {
  const { page } = studio
  const before = stored()
  await page.getByRole('button', { name: 'Measure again' }).click()
  await expect.poll(() => stored()?.at).toBeGreaterThan(before?.at ?? Infinity)
  await measured(page)
})

it('knows the computer on the next start', async () => {
  const before = stored()
  await studio.reopen()
  const { page } = studio
  // What is known is said where nothing was swapped yet.
  await page
    .getByText(/About \d+ fps at 720p/)
    .first()
    .waitFor()
  await toSettings(studio)
  await measured(page)
  expect(await row(page).innerText()).toContain('fps at 720p on the processor')
  expect(stored()).toEqual(before)
})
