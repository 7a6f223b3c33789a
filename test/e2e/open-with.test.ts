/** @file "Open with Mien" in the real app: files of a second start, and recent files. */
import { spawn } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clips, sample } from '../fixtures/clip.ts'
import { output, type Ran } from '../fixtures/command.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { electronPath, launch, type Studio } from './app.ts'
import { resize } from './seeded.ts'

const appDir = process.env['MIEN_APP_DIR'] ?? fileURLToPath(new URL('../..', import.meta.url))
const dir = sharedDir()
let studio: Studio

beforeAll(async () => {
  copyFileSync(sample.face, join(dir, 'Ellen Ochoa.jpg'))
  copyFileSync(clips.small, join(dir, 'astronaut.mp4'))
  writeFileSync(join(dir, 'notes.txt'), 'nothing')
  studio = await launch()
  await resize(studio, 1280, 800)
})
afterAll(() => studio.quit())

/** Starts Mien again with these arguments, in the folder of the files, to its end. */
function startAgain(...files: string[]): Promise<Ran> {
  const asRoot = process.getuid?.() === 0
  const args = [...(asRoot ? ['--no-sandbox'] : []), appDir, '--data-dir', studio.dataDir, ...files]
  return output(spawn(electronPath(), args, { cwd: dir }))
}

it('takes the files of a second start into its window, shows that, and lists what it can’t open, as for a drop', async () => {
  const { app, page } = studio
  const isVisible = () =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().some((each) => each.isVisible()))
  await expect.poll(isVisible).toBe(true)
  await page.keyboard.press('ControlOrMeta+,')
  await app.evaluate(({ BrowserWindow }) => {
    for (const each of BrowserWindow.getAllWindows()) each.hide()
  })
  expect(await isVisible()).toBe(false)
  // A path in the caller's folder, and a URL as some desktops pass it.
  const video = pathToFileURL(join(dir, 'astronaut.mp4')).href
  const again = await startAgain('Ellen Ochoa.jpg', video, 'notes.txt', 'nowhere.mp4')
  expect(again).toMatchObject({ code: 0 })
  expect(again.stderr).toContain('Mien is already open')
  await expect.poll(isVisible).toBe(true)
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
  await video.getByRole('button', { name: 'Recent' }).click()
  await page.getByRole('menuitem', { name: 'astronaut.mp4' }).click()
  await page.getByText('1 person').waitFor()
  // Paths stay in main.
  const listed = await page.evaluate(() => window.mien.intake.recent())
  expect(JSON.stringify(listed)).not.toContain(dir)
  const settings = () => readFileSync(join(dataDir, 'settings.json'), 'utf8')
  expect(settings()).toContain('astronaut.mp4')
  await page.evaluate(() => window.mien.settings.set({ recentFiles: false }))
  await expect.poll(settings).not.toContain('astronaut.mp4')
})
