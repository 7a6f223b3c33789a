/** @file Labels, size, quality, presets and saved frames in the real app, as people use them. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { sample, shortClip } from '../fixtures/clip.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { openStudio, fillSlots } from './seeded.ts'

const dir = sharedDir()
/** The answer of all file dialogs from now on. */
const dialogsChoose = (path: string) =>
  studio.app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = (...args: unknown[]) => {
      Object.assign(globalThis, { saving: args.at(-1) })
      return Promise.resolve({ canceled: false, filePath })
    }
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [filePath] })
  }, path)

beforeAll(() => shortClip(join(dir, 'clip.mp4'), 9, 25, 0, sample.video))
const studio = openStudio({ size: [1280, 800] })

it('lets a label be chosen in Settings', async () => {
  const { page, dataDir } = studio
  await page.keyboard.press('ControlOrMeta+,')
  await page.getByRole('button', { name: 'Labels and credentials' }).click()
  await page.getByRole('button', { name: 'Visible label Off' }).click()
  await page.getByRole('menuitemradio', { name: 'China: first seconds' }).click()
  const producer = page.getByRole('textbox', { name: 'Content producer' })
  await producer.fill('Studio Zürich')
  await page.getByText('Not saved: it has letters').waitFor()
  await producer.fill('Studio 7')
  await producer.press('Tab')
  const stored = () => JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8')) as object
  await expect.poll(stored).toMatchObject({ settings: { label: 'china', contentProducer: 'Studio 7' } })
  await page.getByRole('button', { name: 'Visible label China' }).click()
  await page.getByRole('menuitemradio', { name: 'EU: whole video' }).click()
  await page.getByRole('button', { name: /Language of the label/ }).click()
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
  await page.getByText('“KI-bearbeitet: Gesicht ersetzt” in the top left corner.').waitFor()
  await page.keyboard.press('ControlOrMeta+n')
})

it('says what a size and a quality lead to, and saves them as a preset', async () => {
  const { page } = studio
  await fillSlots(page, join(dir, 'clip.mp4'))
  await page.keyboard.press('ControlOrMeta+e')
  // The default of a swap.
  await page.getByRole('button', { name: 'Visible label EU: whole video' }).waitFor()
  await page.getByText('Result: 1280 × 720').waitFor()
  const about = page.getByText(/^about /)
  const before = await about.textContent()
  await page.getByRole('button', { name: /^Size/ }).click()
  await page.getByRole('menuitemradio', { name: /^480p 854 × 480/ }).click()
  await page.getByText('Result: 854 × 480').waitFor()
  await page.getByRole('radio', { name: 'Small file' }).click()
  expect(await about.textContent()).not.toBe(before)
  await page.getByRole('button', { name: /^Options Standard, 2 changes/ }).waitFor()
  await page.getByRole('button', { name: 'Save as preset…' }).click()
  await page.getByRole('textbox', { name: 'Name of the preset' }).fill('Client review')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Options Client review' }).waitFor()
  await page.getByRole('button', { name: 'Client review', exact: true }).click()
  await page.keyboard.press('Escape')
})

it('swaps with them, and saves the frame on screen', async () => {
  const { page, dataDir } = studio
  await page.getByRole('checkbox', { name: /I may use this face/ }).check()
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('region', { name: 'Compare' }).waitFor()
  expect(await mediaFacts(join(dataDir, 'results', 'Clip.mp4'))).toMatchObject({ width: 854, height: 480 })
  await page.getByText('480p').waitFor()
  const to = join(dir, 'frame.png')
  await dialogsChoose(to)
  await page.keyboard.press('.')
  await page.keyboard.press('.')
  await page.getByRole('main').click({ button: 'right', position: { x: 200, y: 200 } })
  await page.getByRole('menuitem', { name: /^Save frame/ }).click()
  await page.getByText('Frame saved').waitFor()
  const { defaultPath } = await studio.app.evaluate(
    () => (globalThis as unknown as { saving: { defaultPath: string } }).saving,
  )
  expect(basename(defaultPath)).toBe('Clip 00-00.080.png')
  const saved = readFileSync(to)
  expect([saved.readUInt32BE(16), saved.readUInt32BE(20)]).toEqual([854, 480])
  // The canvas in the page shows the same pixels when it has the video's size.
  const differing = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
    const picture = await createImageBitmap(new Blob([bytes]))
    const shown = document.querySelector<HTMLCanvasElement>('[aria-label="After"] canvas, .second canvas')
    if (!shown) return null
    const [width, height] = [96, 54]
    const pixels = (from: CanvasImageSource): Uint8ClampedArray => {
      const context = new OffscreenCanvas(width, height).getContext('2d')
      if (!context) return new Uint8ClampedArray()
      context.imageSmoothingQuality = 'high'
      context.drawImage(from, 0, 0, width, height)
      return context.getImageData(0, 0, width, height).data
    }
    const [one, other] = [pixels(picture), pixels(shown)]
    return one.reduce((most, value, at) => Math.max(most, Math.abs(value - (other[at] ?? 0))), 0)
  }, saved.toString('base64'))
  expect(differing).not.toBeNull()
  expect(differing).toBeLessThanOrEqual(12)
  await page.keyboard.press('3')
  await page.keyboard.press('c')
  await expect.poll(() => readFileSync(to).readUInt32BE(16)).toBe(1280)
})

it('keeps presets over a restart, exports and imports them', async () => {
  await studio.reopen()
  const { page } = studio
  await page.keyboard.press('ControlOrMeta+n')
  await page.getByRole('button', { name: 'Options Client review' }).waitFor()
  await page.keyboard.press('ControlOrMeta+e')
  await page.getByRole('radio', { name: 'Best' }).click()
  await page.getByRole('button', { name: 'Options Client review, 1 change' }).waitFor()
  await page.keyboard.press('ControlOrMeta+1')
  await page.getByRole('button', { name: 'Options Client review' }).waitFor()

  const file = join(dir, 'client.mien-preset')
  await dialogsChoose(file)
  await page.getByRole('button', { name: 'Client review', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Edit presets…' }).click()
  await page.getByRole('button', { name: 'Export “Client review”…' }).click()
  await expect.poll(() => existsSync(file)).toBe(true)
  await page.getByRole('button', { name: 'Import preset…' }).click()
  await page.getByText('“Client review 2” imported').waitFor()
  await expect.poll(() => page.getByRole('textbox', { name: 'Name of the preset' }).count()).toBe(2)
  await page.getByRole('button', { name: 'Remove “Client review 2”' }).click()
  await page.getByText('“Client review 2” removed').waitFor()
  await page.keyboard.press('ControlOrMeta+z')
  await expect.poll(() => page.getByRole('textbox', { name: 'Name of the preset' }).count()).toBe(2)
})
