/**
 * @file Comparing closely in the real app: zoom and pan in step, flicker, the original while a key is held, speed, the
 * loop of a part, and the same frame on both sides at every zoom.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { MediaStore } from '../../src/main/media/media-store.ts'
import type { TaskStore } from '../../src/main/swaps/store/task-store.ts'
import { writePng } from '../../src/renderer/engine/media/pictures/png.ts'
import type { Range } from '../../src/shared/people/people.ts'
import { clips } from '../fixtures/clip.ts'
import { numberedClip } from '../fixtures/numbered-clip.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { violations } from './axe.ts'
import { canvasFrames } from './canvas-frames.ts'
import { screenPixels } from './screen-pixels.ts'
import { fillLibrary, openStudio, finished } from './seeded.ts'

const size = { width: 640, height: 360 }
/** Frames of five lengths, as a phone takes them, and those of one part in a result whose times begin at zero. */
const uneven = [0]
for (let frame = 0; frame < 60; frame += 1)
  uneven.push((uneven.at(-1) ?? 0) + ([20, 33, 50, 120, 17][frame % 5] ?? 0) / 1000)
const inPart = Array.from({ length: 30 }, (_, index) => index + 12)
const cut = inPart.concat(42).map((frame) => (uneven[frame] ?? 0) - (uneven[12] ?? 0))
const msOf = (frame: number): number => Math.round((uneven[frame] ?? 0) * 1000)
const range: Range = { parts: [{ fromMs: msOf(12), toMs: msOf(42) }], rest: 'drop' }

const folder = sharedDir()
const dataDir = join(folder, 'data')

function seed(store: TaskStore, media: MediaStore): void {
  const add = (title: string, files: [string, string], change: object, parts: Range | null = null): void => {
    const video = { ...size, name: title, faces: [], ...change }
    const paths = files.map((file) => resolve(folder, file)) as [string, string]
    store.put(finished(media, title, paths, { video, result: { quality: null }, range: parts }))
  }
  add('Picture', ['before.png', 'after.png'], { kind: 'picture', durationMs: null })
  add('Uneven', ['uneven-before.mp4', 'uneven-after.mp4'], { durationMs: msOf(60) })
  add('Part', ['uneven-before.mp4', 'part-after.mp4'], { durationMs: msOf(60) }, range)
  add('Film', [clips.small, clips.small], {})
}

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
  fillLibrary(dataDir, seed)
  await Promise.all([placesPicture('before.png', 0), placesPicture('after.png', 1)])
})
const studio = openStudio({ dataDir, size: [1280, 800] })
beforeAll(async () => {
  const { page } = studio
  const both = { ...size, times: uneven, sound: false }
  await numberedClip(page, join(folder, 'uneven-before.mp4'), { ...both, colour: '#456', keyEvery: 25 })
  await numberedClip(page, join(folder, 'uneven-after.mp4'), { ...both, colour: '#654', keyEvery: 48 })
  const part = { ...both, times: cut, numbers: inPart, colour: '#654', keyEvery: 48 }
  await numberedClip(page, join(folder, 'part-after.mp4'), part)
})

const press = (key: string) => studio.page.keyboard.press(key)
const open = async (title: string): Promise<void> => {
  await press('ControlOrMeta+l')
  await studio.page.getByText(title, { exact: true }).first().click()
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
  beforeEach(() => open('Picture'))

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

  it('is zoomed by keys, by a double click and from a menu, and stays inside on the full screen', async () => {
    const { page } = studio
    const fit = await page.getByRole('button', { name: /^Zoom/ }).innerText()
    await press('+')
    await press('=')
    await zoomIs('300%')
    await press('-')
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

  it('flickers when asked to, and shows the original while B is held', async () => {
    const { page } = studio
    const side = async (): Promise<number | undefined> => {
      const { x, y } = await boxOf()
      return (await places([{ x: x + 300, y: y + 200 }]))[0]?.side
    }
    await press('4')
    await page.keyboard.down('b')
    await expect.poll(side).toBe(0)
    await page.keyboard.up('b')
    await expect.poll(side).toBe(1)
    await press('5')
    await page.getByRole('button', { name: 'Changes per second 2 per second' }).waitFor()
    for (const wanted of [0, 1, 0]) await expect.poll(side).toBe(wanted)
    expect(await violations(studio)).toEqual([])
    await press('4')
    // With reduced motion, only the key changes the picture.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await press('5')
    await page.getByText('Hold to see the original').waitFor()
    for (let time = 0; time < 8; time += 1) {
      expect(await side()).toBe(1)
      await page.waitForTimeout(100)
    }
    await page.keyboard.down('b')
    await expect.poll(side).toBe(0)
    await page.keyboard.up('b')
    await expect.poll(side).toBe(1)
    await page.emulateMedia({ reducedMotion: null })
  })
})

describe('a video', () => {
  const position = () =>
    studio.page.getByRole('slider', { name: 'Position' }).getAttribute('aria-valuenow').then(Number)

  const frames = () => canvasFrames(studio.page)
  const standAt = (frame: number) => expect.poll(frames).toEqual({ before: frame, after: frame })

  const showOneFrame = async (title: string, first: number, zooms: (string | null)[]): Promise<void> => {
    const { page } = studio
    await open(title)
    await press('Home')
    await standAt(first)
    for (const [index, zoom] of zooms.entries()) {
      await (zoom === null ? press('0') : zoomTo(zoom))
      await press('Home')
      for (let step = 1; step <= 2; step += 1) {
        await press('.')
        await standAt(first + step)
      }
      await press(',')
      await standAt(first + 1)
      await press(String(index + 1))
      await standAt(first + 1)
      await press('End')
      const last = title === 'Part' ? 41 : 59
      await standAt(last)
      // Also with the focus on the timeline.
      if (index % 2 === 0) await page.getByRole('slider', { name: 'Position' }).focus()
      await press('ArrowLeft')
      await expect.poll(async () => (await frames()).after).toBeLessThan(last)
      const seen = await frames()
      expect(seen.before).toBe(seen.after)
    }
  }
  it('of a part shows one frame on both sides when zoomed in: after steps and seeks', () =>
    showOneFrame('Part', 12, ['400%', null]))
  it('with uneven times shows one frame on both sides, too, at every zoom and in every mode', { tags: ['long'] }, () =>
    showOneFrame('Uneven', 0, ['100%', '400%', '800%', null]),
  )

  it('plays only the selected part, again and again, until Escape', async () => {
    const { page } = studio
    await open('Uneven')
    await press('Home')
    for (let step = 0; step < 10; step += 1) await press('.')
    await standAt(10)
    await press('i')
    await page.getByRole('group', { name: 'Selected part' }).waitFor()
    for (let step = 0; step < 8; step += 1) await press('.')
    await standAt(18)
    await press('o')
    await page.getByText('0:00.48 to 0:00.94').waitFor()
    await press('r')
    await page.getByRole('button', { name: 'Repeat the part', pressed: true }).waitFor()
    // From outside, it begins at the part's start.
    await press('End')
    await standAt(59)
    await press('Space')
    const seen: number[] = []
    const wraps = (): number => seen.filter((frame, index) => frame < (seen[index - 1] ?? 0)).length
    await expect.poll(async () => (await frames()).after).toBeLessThan(20)
    while (wraps() < 2) {
      const { before, after } = await frames()
      expect(before).toBe(after)
      seen.push(after ?? -1)
    }
    expect([Math.min(...seen) >= 10, Math.max(...seen) <= 18]).toEqual([true, true])
    await press('Escape')
    await page.getByRole('group', { name: 'Selected part' }).waitFor({ state: 'detached' })
    await expect.poll(async () => (await frames()).after).toBeGreaterThan(18)
    await press('r')
    await press('Space')
  })

  it('plays slowly without sound and says so, and fast with its sound at its pitch', async () => {
    const { page } = studio
    await page.evaluate(() => {
      const rates: string[] = []
      globalThis.Audio = class extends Audio {
        override play(): Promise<void> {
          rates.push(`${String(this.playbackRate)} ${this.preservesPitch ? 'at its pitch' : 'higher'}`)
          return super.play()
        }
      }
      Object.assign(globalThis, { rates })
    })
    const rates = () => page.evaluate(() => (Reflect.get(globalThis, 'rates') as string[]).splice(0))
    const play = async (): Promise<void> => {
      await press('Home')
      // Space would press a focused button.
      await press('k')
      await expect.poll(position).toBeGreaterThan(0)
      await press('k')
    }
    await open('Film')
    await press('<')
    await press('<')
    await page.getByRole('button', { name: 'Speed 0.25×' }).waitFor()
    await play()
    expect(await rates()).toEqual([])
    expect(await page.getByRole('button', { name: 'Sound' }).getAttribute('title')).toBe('No sound below half speed  M')
    await press('5')
    await page.getByRole('button', { name: 'Speed 0.25×' }).click()
    expect(await violations(studio)).toEqual([])
    await page.getByRole('menuitemradio', { name: '2×' }).click()
    await play()
    expect((await rates())[0]).toBe('2 at its pitch')
  })
})
