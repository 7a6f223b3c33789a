/** @file A swap goes on after the whole app was killed. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { shortClip } from '../fixtures/clip.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { dropSwap } from './app.ts'
import { killWarm, launchWarm } from './warm.ts'

/** Whether a swap of this data folder has a segment on disk. */
function hasCheckpoint(dataDir: string): boolean {
  const jobs = join(dataDir, 'service', 'jobs')
  return existsSync(jobs) && readdirSync(jobs).some((id) => existsSync(join(jobs, id, 'work', 'segment-0000.json')))
}

it('a killed app goes on at its next start with what it had saved', async () => {
  const dataDir = tempDir()
  // It is saved after each four seconds: here after 8 of 41 frames.
  const clip = await shortClip(join(dataDir, 'clip.mp4'), 41, 2)
  const first = await launchWarm({ dataDir })
  await dropSwap(first.page, clip)
  await expect.poll(() => hasCheckpoint(dataDir), { interval: 20 }).toBe(true)
  killWarm()
  const second = await launchWarm({ dataDir })
  await second.page.getByText('Clip').first().click()
  await second.page.getByRole('button', { name: /Save as/ }).waitFor()
  await second.quit()
})
