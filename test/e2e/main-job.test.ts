/** @file The main job in the real app: from nothing to a kept result, with real files. */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { sample, shortClip } from '../fixtures/clip.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { dropFiles } from './app.ts'
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
})

it('a wrong file is called what it is, and the right one after it works', async () => {
  const { page } = studio
  await page.keyboard.press('ControlOrMeta+n')
  const wrong = async (name: string, content: string | Buffer, says: RegExp): Promise<void> => {
    writeFileSync(join(files, name), content)
    await dropFiles(page, 'main', [join(files, name)])
    await page.getByText(says).first().waitFor()
  }
  await wrong('notes.mp4', 'only some notes\n', /It’s a text file with a video extension/)
  await wrong('face.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]), /“face\.png” can’t be read as a picture/)
  // A grey picture, drawn by the page itself.
  const data = await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 640
    const context = canvas.getContext('2d')
    if (context) {
      context.fillStyle = '#888'
      context.fillRect(0, 0, 640, 640)
    }
    return canvas.toDataURL('image/png').split(',')[1] ?? ''
  })
  await wrong('grey.png', Buffer.from(data, 'base64'), /No face found in this picture/)
  await dropFiles(page, 'main', [sample.face])
  await page.getByText('1 face found').waitFor()

  const folder = join(files, 'holiday')
  mkdirSync(folder)
  await dropFiles(page, 'main', [folder])
  await page.getByText('“holiday” is a folder').waitFor()
  // One with one picture in it stands for that picture: on the right, it is what the face is swapped into.
  copyFileSync(sample.face, join(folder, 'me.jpg'))
  await dropFiles(page, 'main', [folder])
  await page.getByText('1 person').waitFor()
})
