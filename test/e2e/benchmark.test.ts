/** @file The computer is measured once, when Mien has nothing else to do. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sample } from '../fixtures/clip.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { dropFiles } from './app.ts'
import { openStudio } from './seeded.ts'

const dataDir = sharedDir()
const studio = openStudio({ dataDir, env: { MIEN_MEASURE_AFTER_MS: '0' } })
const stored = (): { encoder: string; hardware: { problem: string | null }; fps: number } | null =>
  // Written by the app.
  (JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8')) as { machine: ReturnType<typeof stored> }).machine

it('serves a dropped file while it measures, and measures afterwards', async () => {
  const { page } = studio
  const row = page.locator('#computer [role=status]')
  await page.keyboard.press('Control+,')
  await row.getByText('Measuring this computer').waitFor()
  expect(stored()).toBeNull()
  await page.keyboard.press('Control+n')
  await dropFiles(page, '[data-slot=face]', [sample.face])
  await page.getByText('1 face found').waitFor()
  expect(stored()).toBeNull()
  await page.keyboard.press('Control+,')
  await row.getByText('Measured today').waitFor()
  // There is no graphics chip here, and a swap of 720p took some time.
  expect(stored()).toMatchObject({ encoder: 'software', hardware: { problem: 'absent' } })
  expect(stored()?.fps).toBeGreaterThan(1)
  expect(existsSync(join(dataDir, 'measuring'))).toBe(false)
  expect(await page.locator('#computer .speeds').innerText()).toMatch(/fps\s+360p[^]+fps\s+720p[^]+fps\s+1080p/)
})
