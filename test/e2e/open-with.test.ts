/** @file "Open with Mien" in the real app: files of a second start. */
import { spawn } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { clips, sample } from '../fixtures/clip.ts'
import { output } from '../fixtures/command.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { electronPath, launch } from './app.ts'

const appDir = process.env['MIEN_APP_DIR'] ?? fileURLToPath(new URL('../..', import.meta.url))

it('is told when its page has painted, takes the files of a second start into its window, shows that, and lists what it can’t open, as for a drop', async () => {
  const dir = tempDir()
  copyFileSync(sample.face, join(dir, 'Ellen Ochoa.jpg'))
  copyFileSync(clips.small, join(dir, 'astronaut.mp4'))
  writeFileSync(join(dir, 'notes.txt'), 'nothing')
  const studio = await launch({ env: { MIEN_READY_MARK: '1' } })
  onTestFinished(() => studio.quit())
  const { app, page } = studio
  const isVisible = () =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().some((each) => each.isVisible()))
  await expect.poll(isVisible).toBe(true)
  await expect.poll(studio.output).toContain('MIEN_READY')
  await page.keyboard.press('ControlOrMeta+,')
  await app.evaluate(({ BrowserWindow }) => {
    for (const each of BrowserWindow.getAllWindows()) each.hide()
  })
  expect(await isVisible()).toBe(false)
  // A path in the caller's folder, and a URL as some desktops pass it.
  const files = ['Ellen Ochoa.jpg', pathToFileURL(join(dir, 'astronaut.mp4')).href, 'notes.txt', 'nowhere.mp4']
  const asRoot = process.getuid?.() === 0
  const args = [...(asRoot ? ['--no-sandbox'] : []), appDir, '--data-dir', studio.dataDir, ...files]
  const again = await output(spawn(electronPath(), args, { cwd: dir }))
  expect(again).toMatchObject({ code: 0 })
  expect(again.stderr).toContain('Mien is already open')
  await expect.poll(isVisible).toBe(true)
  await page.getByText('1 face found').waitFor()
  await page.getByText('1 person').waitFor()
  await page.getByText('astronaut.mp4', { exact: true }).waitFor()
  await page.getByText('2 files can’t be used').waitFor()
  await page.getByText('nowhere.mp4').waitFor()
})
