/** @file "Open with Mien" in the real app: files of a second start, and recent files. */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clips, sample } from '../fixtures/clip.ts'
import { electronPath, launch, patienceMs, type Studio } from './app.ts'
import { resize } from './seeded.ts'
import { shoot } from './shoot.ts'

const appDir = process.env['MIEN_APP_DIR'] ?? fileURLToPath(new URL('../..', import.meta.url))
let dir: string
let studio: Studio

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'mien-e2e-files-'))
  copyFileSync(sample.face, join(dir, 'Ellen Ochoa.jpg'))
  copyFileSync(clips.small, join(dir, 'astronaut.mp4'))
  writeFileSync(join(dir, 'notes.txt'), 'nothing')
  studio = await launch()
  await resize(studio, 1280, 800)
})
afterAll(async () => {
  await studio.quit()
  rmSync(dir, { recursive: true, force: true })
})

/** Starts Mien again with these arguments, in the folder of the files. Resolves with its exit code. */
function startAgain(...files: string[]): Promise<number | null> {
  const asRoot = process.getuid?.() === 0
  const args = [...(asRoot ? ['--no-sandbox'] : []), appDir, '--data-dir', studio.dataDir, ...files]
  const child = spawn(electronPath(), args, { cwd: dir, stdio: 'ignore' })
  return new Promise((resolve) => child.once('exit', resolve))
}

it('takes the files of a second start into the composer, and lists what it can’t open, as for a drop', async () => {
  const { page } = studio
  await page.keyboard.press('ControlOrMeta+,')
  // A path in the caller's folder, and a URL as some desktops pass it.
  const video = pathToFileURL(join(dir, 'astronaut.mp4')).href
  expect(await startAgain('Ellen Ochoa.jpg', video, 'notes.txt', 'nowhere.mp4')).toBe(0)
  await page.getByText('1 face found').waitFor()
  await page.getByText('1 person').waitFor()
  await page.getByText('astronaut.mp4', { exact: true }).waitFor()
  await page.getByText('2 files can’t be used').waitFor()
  await page.getByText('nowhere.mp4').waitFor()
  await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Close' }).click()
})

it('offers the files again in empty places, and forgets them', async () => {
  const { page, dataDir } = studio
  await page.getByRole('button', { name: 'Remove video' }).click()
  const video = page.locator('[data-slot=video]')
  await video.getByRole('button', { name: 'Recent' }).waitFor()
  await shoot(studio, 'MIEN_OPEN_SHOTS', 'recent')
  await video.getByRole('button', { name: 'Recent' }).click()
  await page.getByRole('menuitem', { name: 'astronaut.mp4' }).click()
  await page.getByText('1 person').waitFor()
  // Paths stay in main.
  const listed = await page.evaluate(() => window.mien.intake.recent())
  expect(JSON.stringify(listed)).not.toContain(dir)
  const settings = () => readFileSync(join(dataDir, 'settings.json'), 'utf8')
  expect(settings()).toContain('astronaut.mp4')
  await page.evaluate(() => window.mien.settings.set({ recentFiles: false }))
  await expect.poll(settings, { timeout: patienceMs }).not.toContain('astronaut.mp4')
})
