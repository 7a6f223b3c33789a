/** @file Verifying files, in the real app and by command: what a swap signed, a changed copy, and other files. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { shortClip } from '../fixtures/clip.ts'
import { jsonLines } from '../fixtures/command.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { violations } from './axe.ts'
import { dropFiles, dropSwap } from './app.ts'
import { runWarm } from './warm.ts'
import { openStudio } from './seeded.ts'

const dir = sharedDir()
const studio = openStudio()

const shown = (name: string): Promise<void> => studio.page.getByRole('heading', { name }).waitFor()

/** Writes a copy with another byte in the middle of the pictures. */
function changedCopy(path: string): string {
  const bytes = readFileSync(path)
  const at = Math.floor((bytes.lastIndexOf('mdat') + bytes.length) / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  const to = join(dir, 'changed.mp4')
  writeFileSync(to, bytes)
  return to
}

it('shows whether a file is as a swap saved it', async () => {
  const { page, dataDir } = studio
  const clip = await shortClip(join(dir, 'clip.mp4'), 9)
  await dropSwap(page, clip)
  await page.getByRole('button', { name: 'Check credentials' }).click()
  await shown('Made with Mien, unchanged')
  expect(await page.locator('dl img').count()).toBe(2)

  const results = join(dataDir, 'results')
  const result = join(results, readdirSync(results).find((name) => name.endsWith('.mp4')) ?? '')
  const changed = changedCopy(result)
  await dropFiles(page, 'main', [changed])
  await shown('Changed after it was signed')
  expect(await page.locator('dl img').count()).toBe(0)
  await page.locator('summary').click()
  expect(await violations(studio)).toEqual([])

  await dropFiles(page, 'main', [clip])
  await shown('No credentials found')

  // While the studio is open, and without a keyring.
  const ran = await runWarm(['verify', result, changed, clip, '--json', '--data-dir', dataDir], {
    cwd: dir,
    env: { DBUS_SESSION_BUS_ADDRESS: 'disabled:' },
  })
  expect(jsonLines(ran), ran.stderr).toMatchObject([
    { verdict: 'unchanged', signer: { kind: 'this-copy' } },
    { verdict: 'changed', signer: { kind: 'this-copy' } },
    { verdict: 'none', signer: null },
  ])
  expect(ran.code).toBe(7)
  const both = await runWarm(['verify', clip, 'gone.mp4'], { cwd: dir })
  expect(both).toMatchObject({ code: 3, stderr: expect.stringContaining('“gone.mp4” can’t be found') as string })
  expect(both.stdout).toContain(`${clip}  No credentials found`)
})
