/** @file Pictures and animated pictures as targets, in the real app and by command. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { orientationOf } from '../../src/renderer/engine/media/pictures/exif.ts'
import { readJpeg, withMetadata } from '../../src/renderer/engine/media/pictures/jpeg.ts'
import { readPng, writePng } from '../../src/renderer/engine/media/pictures/png.ts'
import { readPictureSize } from '../../src/renderer/engine/media/pixels/picture-size.ts'
import { portraitOf, sample } from '../fixtures/clip.ts'
import type { Ran } from '../fixtures/command.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { exif, gifOf, pngPixels } from '../fixtures/picture-files.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { dropFiles } from './app.ts'
import { runWarm } from './warm.ts'
import { openStudio } from './seeded.ts'

const portrait = portraitOf('mae-jemison')
const heic = fileURLToPath(new URL('../fixtures/pictures/mona-lisa.heic', import.meta.url))
const cmyk = fileURLToPath(new URL('../fixtures/pictures/cmyk.jpg', import.meta.url))

interface Pixels {
  rgba: Uint8ClampedArray<ArrayBuffer>
  width: number
  height: number
}

const studio = openStudio()
const dir = sharedDir()
let picture: Pixels
/** The portrait, lying on its side, as JPEG. */
let lying: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  const made = await studio.app.evaluate(({ nativeImage }, path) => {
    const image = nativeImage.createFromPath(path).resize({ width: 401, quality: 'best' })
    const { width, height } = image.getSize()
    const bgra = image.toBitmap()
    const turned = Buffer.alloc(bgra.length)
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1)
        bgra.copy(turned, ((width - 1 - x) * height + y) * 4, (y * width + x) * 4, (y * width + x) * 4 + 4)
    const side = nativeImage.createFromBitmap(turned, { width: height, height: width })
    return { width, height, bgra: bgra.toString('base64'), jpeg: side.toJPEG(95).toString('base64') }
  }, portrait)
  const bgra = Buffer.from(made.bgra, 'base64')
  const rgba = new Uint8ClampedArray(bgra.length).map(
    (_, at) => bgra[at % 4 === 3 ? at : (at & ~3) + 2 - (at % 4)] ?? 0,
  )
  picture = { rgba, width: made.width, height: made.height }
  lying = new Uint8Array(Buffer.from(made.jpeg, 'base64'))
})

const mien = (...args: string[]): Promise<Ran> =>
  runWarm(args, { cwd: dir, env: { DBUS_SESSION_BUS_ADDRESS: 'disabled:' } })
const swap = (target: string, out: string): Promise<Ran> =>
  mien('swap', '--face', sample.face, '--target', target, '--out', out, '--json')

it('swaps a picture dropped on the right, and changes nothing but the face', async () => {
  const { page, dataDir } = studio
  const { width, height } = picture
  // Translucent on the left.
  const rgba = picture.rgba.slice()
  for (let at = 0; at < rgba.length; at += 4) rgba[at + 3] = Math.min(255, 40 + ((at / 4) % width) * 8)
  const gamma = { type: 'gAMA', data: Uint8Array.of(0, 0, 177, 143) }
  const blob = await writePng({ rgba, width, height }, { color: [gamma], exif: null, hasAlpha: true })
  const path = join(dir, 'clear.png')
  writeFileSync(path, new Uint8Array(await blob.arrayBuffer()))

  await dropFiles(page, '[data-slot=video]', [path])
  await page.getByText('1 person').waitFor()
  expect(await page.getByRole('button', { name: 'Play video' }).count()).toBe(0)
  await dropFiles(page, '[data-slot=face]', [sample.face])
  await page.getByText('1 face found').waitFor()
  await page.getByRole('checkbox', { name: /I may use this face/ }).check()
  await page.keyboard.press('ControlOrMeta+Enter')
  const results = join(dataDir, 'results')
  const saved = (): string[] =>
    existsSync(results) ? readdirSync(results).filter((file) => file.endsWith('.png')) : []
  await expect.poll(saved).toHaveLength(1)
  const [name = ''] = saved()
  const file = readFileSync(join(results, name))
  expect(readPng(new Uint8Array(file)).color).toEqual([gamma])
  const after = pngPixels(file)
  expect([after.width, after.height, after.channels]).toEqual([width, height, 4])
  const changed: [number, number][] = []
  for (let at = 0; at < rgba.length; at += 4) {
    expect(after.data[at + 3]).toBe(rgba[at + 3])
    const same = [0, 1, 2].every((channel) => after.data[at + channel] === rgba[at + channel])
    if (!same) changed.push([(at / 4) % width, Math.floor(at / 4 / width)])
  }
  expect(changed.length).toBeGreaterThan(2000)
  // The face: between the ears, and from hairline to chin.
  const [xs, ys] = [changed.map(([x]) => x), changed.map(([, y]) => y)]
  expect(Math.min(...xs)).toBeGreaterThan(width * 0.15)
  expect(Math.max(...xs)).toBeLessThan(width * 0.85)
  expect(Math.max(...ys) - Math.min(...ys)).toBeLessThan(height * 0.8)

  await page.getByRole('listitem').first().click()
  await page.getByRole('img', { name: 'After: the swapped picture' }).waitFor()
  await page.keyboard.press('2')
  expect(await page.getByRole('slider', { name: 'Position' }).count()).toBe(0)
  expect(await page.getByRole('img', { name: 'Before: the original picture' }).isVisible()).toBe(true)
})

describe('mien swap --target', () => {
  it('turns a photo upright and keeps its profile', async () => {
    const { icc } = readJpeg(lying)
    const profile = new Uint8Array(70_000)
    profile.set(icc ?? new Uint8Array(), 0)
    profile.set(
      Array.from('RGB ', (letter) => letter.charCodeAt(0)),
      16,
    )
    const metadata = { icc: icc ?? profile, exif: exif('MM', { orientation: 6, size: [9, 8], thumbnail: 'old face' }) }
    writeFileSync(join(dir, 'lying.jpg'), Buffer.from(await withMetadata(lying, metadata).arrayBuffer()))
    const ran = await swap('lying.jpg', 'upright.jpg')
    expect([ran.code, ran.stderr]).toEqual([0, expect.any(String)])
    const file = readFileSync(join(dir, 'upright.jpg'))
    expect(readPictureSize(file)).toEqual({ width: picture.width, height: picture.height })
    const facts = readJpeg(file)
    expect(facts.icc).toEqual(metadata.icc)
    expect(orientationOf(facts.exif)).toBe(1)
    expect(facts.quality).toBeGreaterThanOrEqual(90)
    expect(file.includes('old face')).toBe(false)
  })

  it('makes a GIF an MP4 with its durations', async () => {
    const rgba = new Uint8Array(picture.rgba)
    writeFileSync(join(dir, 'moving.gif'), gifOf(rgba, picture, [10, 0, 200, 7, 30]))
    const ran = await swap('moving.gif', 'moving.mp4')
    expect(ran.code).toBe(0)
    expect(JSON.parse(ran.stdout)).toMatchObject({ frames: 5, swappedFrames: 5 })
    const { frameTimes } = await mediaFacts(join(dir, 'moving.mp4'))
    expect(frameTimes).toEqual([0, 100_000, 200_000, 2_200_000, 2_270_000])
  })

  it('swaps a CMYK photo', async () => {
    expect((await swap(cmyk, 'rgb.jpg')).code).toBe(0)
    expect(readJpeg(readFileSync(join(dir, 'rgb.jpg'))).components).toBe(3)
  })

  it.each([
    ['a name that doesn’t fit', () => swap(portrait, 'wrong.mp4'), 2, /--out must end in one of: \.jpg, \.jpeg/],
    ['a photo in a phone’s format', () => swap(heic, 'heic.jpg'), 3, /share the photo by email/],
    ['100 megapixels', () => swap(hugePng(), 'swapped.png'), 3, /has 100 megapixels/],
    ['a picture that is cut off', () => swap(cutOff(), 'swapped.jpg'), 3, /can’t be read to the end|damaged/],
  ])('refuses %s', async (_what, run, code, said) => {
    const ran = await run()
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(said)])
    expect(existsSync(join(dir, 'wrong.mp4'))).toBe(false)
  })
})

function hugePng(): string {
  const bytes = Buffer.alloc(64)
  bytes.write('\x89PNG\r\n\x1a\n', 0, 'latin1')
  bytes.writeUInt32BE(13, 8)
  bytes.write('IHDR', 12)
  bytes.writeUInt32BE(10_000, 16)
  bytes.writeUInt32BE(10_000, 20)
  writeFileSync(join(dir, 'huge.png'), bytes)
  return 'huge.png'
}

function cutOff(): string {
  writeFileSync(join(dir, 'cut.jpg'), lying.subarray(0, 150))
  return 'cut.jpg'
}
