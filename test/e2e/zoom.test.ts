/** @file A picture is compared closely in the real app: zoom and pan in step, and the original while a key is held. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writePng } from '../../src/renderer/engine/media/pictures/png.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { violations } from './axe.ts'
import { screenPixels } from './screen-pixels.ts'
import { fillLibrary, openStudio, finished } from './seeded.ts'

const size = { width: 640, height: 360 }

const folder = sharedDir()
const dataDir = join(folder, 'data')

/** A picture whose pixels say where they are, and on which side. */
async function placesPicture(file: string, side: 0 | 1): Promise<void> {
  const rgba = new Uint8ClampedArray(size.width * size.height * 4)
  for (let y = 0; y < size.height; y += 1)
    for (let x = 0; x < size.width; x += 1)
      rgba.set([x & 255, y & 255, side * 128 + (x >> 8) * 4 + (y >> 8), 255], (y * size.width + x) * 4)
  const blob = await writePng({ ...size, rgba }, { color: [], exif: null, hasAlpha: false })
  writeFileSync(join(folder, file), Buffer.from(await blob.arrayBuffer()))
}
const readPlace = ([red, green, blue]: readonly [number, number, number]) => ({
  x: red + ((blue >> 2) & 31) * 256,
  y: green + (blue & 3) * 256,
  side: blue >> 7,
})

beforeAll(async () => {
  mkdirSync(dataDir)
  fillLibrary(dataDir, (store, media) => {
    const video = { ...size, name: 'Picture', faces: [], kind: 'picture' as const, durationMs: null }
    const paths = [join(folder, 'before.png'), join(folder, 'after.png')] as const
    store.put(finished(media, 'Picture', paths, { video, result: { quality: null } }))
  })
  await Promise.all([placesPicture('before.png', 0), placesPicture('after.png', 1)])
})
const studio = openStudio({ dataDir, size: [1280, 800] })
const press = (key: string) => studio.page.keyboard.press(key)
const open = async (): Promise<void> => {
  await press('ControlOrMeta+l')
  await studio.page.getByText('Picture', { exact: true }).first().click()
  await studio.page.getByRole('region', { name: 'Compare' }).waitFor()
  await press('1')
  await press('0')
}
const zoomIs = (text: string) => studio.page.getByRole('button', { name: `Zoom ${text}`, exact: true }).waitFor()
/** Chooses a zoom in the menu. */
async function zoomTo(text: string): Promise<void> {
  const { page } = studio
  await page.getByRole('button', { name: /^Zoom/ }).click()
  await page.getByRole('menuitemradio', { name: text, exact: true }).click()
  // The focus returns after the menu is gone.
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-haspopup'))).toBe('menu')
}

/** What is shown of both pictures, in pixels of the window. */
async function boxOf(): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await studio.page.locator('.compare').boundingBox()
  if (!box) throw new Error('pictures are compared')
  return box
}

describe('a picture', () => {
  const places = async (points: { x: number; y: number }[]) => (await screenPixels(studio, points)).map(readPlace)
  beforeEach(open)

  it('shows the same pixel on both sides at 800 %, as a crisp square, in every mode', async () => {
    const { page } = studio
    await press('2')
    let box = await boxOf()
    const before = await places([{ x: box.x + 100, y: box.y + 60 }])
    await page.mouse.move(box.x + 100, box.y + 60)
    for (let notch = 0; notch < 12; notch += 1) await page.mouse.wheel(0, -100)
    await zoomIs('800%')
    box = await boxOf()
    const half = (box.width + 2) / 2
    const point = { x: Math.round(box.x + 150), y: Math.round(box.y + 100) }
    const run = Array.from({ length: 16 }, (_, index) => ({ x: point.x + index, y: point.y }))
    const [left, right] = [await places(run), await places(run.map(({ x, y }) => ({ x: x + half, y })))]
    expect(left.map(({ x, y }) => ({ x, y }))).toEqual(right.map(({ x, y }) => ({ x, y })))
    expect([left.every(({ side }) => side === 0), right.every(({ side }) => side === 1)]).toEqual([true, true])
    // Eight points of the screen for each pixel, and none between two.
    expect(new Set(left.map(({ x }) => x)).size).toBeLessThanOrEqual(3)
    expect((left.at(-1)?.x ?? 0) - (left[0]?.x ?? 0)).toBe(2)
    // It zoomed in at the pointer.
    expect(Math.abs((left[0]?.x ?? 0) - (before[0]?.x ?? 0))).toBeLessThan(60)
    for (const mode of ['1', '3', '4']) {
      await press(mode)
      const { x, width, y } = await boxOf()
      const middle = x + width / 2
      const [one, other] = await places([
        { x: middle - 80, y: y + 100 },
        { x: middle + 80, y: y + 100 },
      ])
      expect([one?.side, other?.side]).toEqual({ 1: [0, 1], 3: [0, 0], 4: [1, 1] }[mode])
      expect((other?.x ?? 0) - (one?.x ?? 0)).toBe(20)
      expect(other?.y).toBe(one?.y)
    }
    await press('1')
    expect(await violations(studio)).toEqual([])
  })

  it('is moved by dragging and by keys, never beyond its edges, while the divider moves by its handle', async () => {
    const { page } = studio
    await zoomTo('400%')
    const box = await boxOf()
    const corners = () =>
      places([
        { x: box.x + 1, y: box.y + 1 },
        { x: box.x + box.width - 2, y: box.y + box.height - 2 },
      ])
    const drag = async (x: number, y: number): Promise<void> => {
      await page.mouse.move(box.x + 300, box.y + 200)
      await page.mouse.down()
      await page.mouse.move(box.x + 300 + x, box.y + 200 + y, { steps: 3 })
      await page.mouse.up()
    }
    const [start] = await corners()
    await drag(-40, -20)
    const [moved] = await corners()
    expect([(moved?.x ?? 0) - (start?.x ?? 0), (moved?.y ?? 0) - (start?.y ?? 0)]).toEqual([10, 5])
    await press('Shift+ArrowRight')
    await expect.poll(async () => (await corners())[0]?.x).toBeGreaterThan((moved?.x ?? 0) + 20)
    for (let time = 0; time < 5; time += 1) await drag(600, 400)
    expect((await corners())[0]).toMatchObject({ x: 0, y: 0 })
    for (let time = 0; time < 9; time += 1) await drag(-600, -400)
    expect((await corners())[1]).toMatchObject({ x: 639, y: 359 })
    const divider = page.getByRole('slider', { name: /^Divider/ })
    const grip = await divider.boundingBox()
    if (!grip) throw new Error('the divider has a handle')
    await page.mouse.move(grip.x + 18, grip.y + 18)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 4, grip.y + 18, { steps: 3 })
    await page.mouse.up()
    expect(await divider.getAttribute('aria-valuenow')).toBe('25')
    expect((await corners())[1]).toMatchObject({ x: 639, y: 359 })
  })

  it('shows the original while B is held', async () => {
    const side = async (): Promise<number | undefined> => {
      const { x, y } = await boxOf()
      return (await places([{ x: x + 300, y: y + 200 }]))[0]?.side
    }
    await press('4')
    await studio.page.keyboard.down('b')
    await expect.poll(side).toBe(0)
    await studio.page.keyboard.up('b')
    await expect.poll(side).toBe(1)
  })

  it('is zoomed by keys, by a double click and from a menu, and stays inside on the full screen', async () => {
    const { page } = studio
    const fit = await page.getByRole('button', { name: /^Zoom/ }).innerText()
    await press('+')
    await zoomIs('200%')
    await press('0')
    await zoomIs(fit.replace(/^Zoom\s*/, ''))
    const box = await boxOf()
    await page.mouse.dblclick(box.x + 200, box.y + 100)
    await zoomIs('100%')
    await page.mouse.dblclick(box.x + 200, box.y + 100)
    await zoomIs(fit.replace(/^Zoom\s*/, ''))
    await press('f')
    await expect.poll(() => page.evaluate(() => document.fullscreenElement !== null)).toBe(true)
    await expect.poll(() => page.evaluate(() => document.querySelector('.compare')?.scrollWidth === document.querySelector('.compare')?.clientWidth)).toBe(true) // prettier-ignore
    await press('f')
    await expect.poll(() => page.evaluate(() => document.fullscreenElement)).toBeNull()
  })
})
