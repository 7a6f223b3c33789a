/** @file The viewer of a finished swap in the real app: both pictures always show the same frame, whatever is done. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Range } from '../../src/shared/people/people.ts'
import type { MediaStore } from '../../src/main/media/media-store.ts'
import type { TaskStore } from '../../src/main/swaps/store/task-store.ts'
import { numberedClip, readNumber, spotsOf, undecodableClip } from '../fixtures/numbered-clip.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { canvasFrames } from './canvas-frames.ts'
import { screenPixels } from './screen-pixels.ts'
import { fillLibrary, openStudio, finished } from './seeded.ts'

const size = { width: 320, height: 180 }
const steady = Array.from({ length: 51 }, (_, frame) => frame / 25)
/** Frames of five lengths, as a phone takes them. */
const uneven = [0]
for (let frame = 0; frame < 60; frame += 1)
  uneven.push((uneven.at(-1) ?? 0) + ([20, 33, 50, 120, 17][frame % 5] ?? 0) / 1000)
const clips = { Steady: steady, Uneven: uneven } as const
/** Frames of the uneven one that are in its parts, and when they begin in the result, and the last ends. */
const inParts = [...Array(13).keys()].map((frame) => frame + 7).concat([...Array(14).keys()].map((frame) => frame + 31))
const joined = [0]
for (const frame of inParts) joined.push((joined.at(-1) ?? 0) + (uneven[frame + 1] ?? 0) - (uneven[frame] ?? 0))
const msOf = (frame: number): number => Math.round((uneven[frame] ?? 0) * 1000)
const range: Range = {
  parts: [[7, 20] as const, [31, 45] as const].map(([from, to]) => ({ fromMs: msOf(from), toMs: msOf(to) })),
  rest: 'drop',
}
const labels = { before: 'Before: the original video', after: 'After: the swapped video' } as const

const folder = sharedDir()
const dataDir = join(folder, 'data')
const complaints: string[] = []

/** Counts the decoders of the page that are open, in `openDecoders`. */
function countDecoders(): void {
  const open = new Set<VideoDecoder>()
  globalThis.VideoDecoder = class extends VideoDecoder {
    constructor(init: VideoDecoderInit) {
      super(init)
      open.add(this)
    }
    override close(): void {
      super.close()
      open.delete(this)
    }
  }
  Object.defineProperty(globalThis, 'openDecoders', { get: () => open.size })
}

/** A library of finished swaps: one of each clip, and two whose first video cannot be shown. */
function seed(store: TaskStore, media: MediaStore): void {
  const add = (title: string, before: string, of: keyof typeof clips, parts: Range | null = null): void => {
    const video = { ...size, name: before, durationMs: Math.round((clips[of].at(-1) ?? 0) * 1000), faces: [] }
    const swapped = [{ kind: 'swapped' as const, frames: clips[of].length - 1 }]
    const result = of === 'Steady' ? { quality: swapped } : {}
    const paths = [join(folder, before), join(folder, `${parts ? 'Parts' : of}-after.mp4`)] as const
    store.put(finished(media, title, paths, { video, result, range: parts }))
  }
  add('Steady', 'Steady-before.mp4', 'Steady')
  add('Uneven', 'Uneven-before.mp4', 'Uneven')
  add('Parts', 'Uneven-before.mp4', 'Uneven', range)
  add('Foreign', 'foreign.mov', 'Steady')
  add('Missing', 'missing.mp4', 'Steady')
}

beforeAll(() => {
  mkdirSync(dataDir)
  fillLibrary(dataDir, seed)
})
// A small window is drawn and read sooner.
const studio = openStudio({ dataDir, size: [900, 640] })
beforeAll(async () => {
  const { page } = studio
  await page.addInitScript(countDecoders)
  await page.reload()
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await undecodableClip(join(folder, 'foreign.mov'))
  for (const [title, times] of Object.entries(clips)) {
    const both = { ...size, times, sound: title === 'Steady' }
    await numberedClip(page, join(folder, `${title}-before.mp4`), { ...both, colour: '#456', keyEvery: 25 })
    await numberedClip(page, join(folder, `${title}-after.mp4`), { ...both, colour: '#654', keyEvery: 48 })
  }
  const parts = { ...size, times: joined, numbers: inParts, sound: false, colour: '#654', keyEvery: 48 }
  await numberedClip(page, join(folder, 'Parts-after.mp4'), parts)
})

interface Numbers {
  before: number | null
  after: number | null
}

/** The frames that both pictures show, read from one picture of the window. */
async function shown(): Promise<Numbers> {
  const boxes = await studio.page.evaluate(
    (names) =>
      names.map((name) => {
        const box = document.querySelector(`[aria-label="${name}"]`)?.getBoundingClientRect()
        return box ? { x: box.x, y: box.y, width: box.width, height: box.height } : null
      }),
    [labels.before, labels.after],
  )
  const spots = boxes.flatMap((box, side) =>
    spotsOf(side === 0 ? 'left' : 'right').map(({ x, y }) =>
      box === null ? { x: 0, y: 0 } : { x: box.x + x * box.width, y: box.y + y * box.height },
    ),
  )
  const values = (await screenPixels(studio, spots)).map(([, green]) => green)
  const half = values.length / 2
  return { before: readNumber(values.slice(0, half)), after: readNumber(values.slice(half)) }
}

/** Waits until both pictures stand at a frame; a picture of the window would take a second. */
const standAt = (frame: number) => expect.poll(() => canvasFrames(studio.page)).toEqual({ before: frame, after: frame })

const press = (key: string) => studio.page.keyboard.press(key)
/** Presses keys, and waits after each until both pictures stand at its frame. */
async function walk(...steps: [key: string, frame: number][]): Promise<void> {
  for (const [key, frame] of steps) {
    await press(key)
    await standAt(frame)
  }
}
const modes = ['divider', 'side', 'before', 'after'] as const
const showAs = (mode: (typeof modes)[number]) => press(String(modes.indexOf(mode) + 1))

async function repeat(wanted: boolean): Promise<void> {
  const button = studio.page.getByRole('button', { name: 'Repeat' })
  if ((await button.getAttribute('aria-pressed')) !== String(wanted)) await press('r')
  await studio.page.getByRole('button', { name: 'Repeat', pressed: wanted }).waitFor()
}

async function open(title: string, first = 0): Promise<void> {
  await press('ControlOrMeta+l')
  await studio.page.getByText(title, { exact: true }).first().click()
  await studio.page.getByLabel(labels.after).waitFor()
  await press('Home')
  await standAt(first)
}

/** What is shown while it plays, until that is enough; then it plays on. */
async function watch(isEnough: (seen: readonly Numbers[]) => boolean): Promise<Numbers[]> {
  const seen: Numbers[] = []
  await press('Space')
  await studio.page.getByRole('button', { name: 'Pause' }).waitFor()
  while (!isEnough(seen)) seen.push(await shown())
  return seen
}

/** Many different frames. How long that takes depends on the computer. */
const isVaried = (seen: readonly Numbers[]): boolean => new Set(seen.map(({ after }) => after)).size >= 8

const expectLocked = (seen: readonly Numbers[]): void =>
  expect(seen.filter(({ before, after }) => before === null || before !== after)).toEqual([])

const showOneFrame = (title: keyof typeof clips): void => {
  const last = clips[title].length - 2
  beforeEach(async () => {
    await open(title)
    await repeat(false)
    await showAs('divider')
  })

  it('in every way to compare, at each step, after fast seeks, while it plays, and when it ends', async () => {
    // Each way to compare.
    await press('ArrowRight')
    await expect.poll(async () => (await shown()).after).toBeGreaterThan(0)
    const first = await shown()
    for (const mode of [...modes.slice(1), 'divider'] as const) {
      await showAs(mode)
      await expect.poll(shown).toEqual({ before: first.after, after: first.after })
    }
    // Steps.
    await press('Home')
    await walk(['.', 1], ['.', 2], ['.', 3], [',', 2], ['End', last], [',', last - 1])
    await press('.')
    await press('.')
    await standAt(last)
    // Seeks.
    const line = await studio.page.getByRole('slider', { name: 'Position' }).boundingBox()
    if (!line) throw new Error('there is a time line')
    const at = (share: number) => ({ x: line.x + line.width * share, y: line.y + line.height / 2 })
    const { mouse } = studio.page
    await mouse.move(at(0.1).x, at(0.1).y)
    await mouse.down()
    const sought: Numbers[] = []
    for (let step = 0; step < 30 || !isVaried(sought); step += 1) {
      const place = at(0.5 + 0.4 * Math.sin(step / 4))
      await mouse.move(place.x, place.y)
      if (step % 5 === 0) sought.push(await canvasFrames(studio.page))
    }
    const end = at(0.5)
    await mouse.move(end.x, end.y)
    await mouse.up()
    expectLocked(sought)
    const times = clips[title]
    const middle = (times.at(-1) ?? 0) / 2
    await standAt(times.findLastIndex((time) => time <= middle + 0.002))
    // Play.
    await repeat(true)
    const seen = await watch(isVaried)
    await repeat(false)
    await standAt(last)
    expectLocked(seen)
  })
}
describe('both pictures of an uneven clip show one frame', () => showOneFrame('Uneven'))
describe('both pictures of a steady clip show one frame', { tags: ['long'] }, () => showOneFrame('Steady'))

describe('both pictures of a swap of two parts show one frame', () => {
  beforeEach(async () => {
    await open('Parts', 7)
    await repeat(false)
    await showAs('divider')
  })

  it('while it plays from one part to the other', { tags: ['long'] }, async () => {
    await repeat(true)
    const seen = await watch((frames) => [7, 31].every((from) => frames.some(({ after }) => after !== null && after >= from && after < from + 14))) // prettier-ignore
    await repeat(false)
    await standAt(44)
    expectLocked(seen)
  })

  it('at each step over the end of a part', async () => {
    for (let step = 0; step < 11; step += 1) await press('.')
    await standAt(18)
    await walk(['.', 19], ['.', 31], ['.', 32], [',', 31], [',', 19], [',', 18])
  })
})

it('plays only the selected part, again and again, until Escape', async () => {
  const { page } = studio
  await open('Uneven')
  await repeat(false)
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
  const after = async (): Promise<number> => (await canvasFrames(page)).after ?? -1
  await expect.poll(after).toBeLessThan(20)
  const seen: number[] = []
  const wraps = (): number => seen.filter((frame, index) => frame < (seen[index - 1] ?? 0)).length
  while (wraps() < 2) {
    const { before, after: frame } = await canvasFrames(page)
    expect(before).toBe(frame)
    seen.push(frame ?? -1)
  }
  expect([Math.min(...seen) >= 10, Math.max(...seen) <= 18]).toEqual([true, true])
  await press('Escape')
  await page.getByRole('group', { name: 'Selected part' }).waitFor({ state: 'detached' })
  await expect.poll(after).toBeGreaterThan(18)
  await press('r')
  await press('Space')
})

describe('the viewer', () => {
  const openDecoders = () => studio.page.evaluate(() => Number(Reflect.get(globalThis, 'openDecoders')))
  const isFull = () => studio.page.evaluate(() => document.fullscreenElement !== null)
  const strip = () => studio.page.getByRole('img', { name: /^Quality/ }).count()
  beforeEach(async () => {
    await open('Steady')
    await showAs('divider')
  })

  it('fills the screen, with its transport, leaves by Escape, and says so when the system refuses', async () => {
    const { page } = studio
    await page.getByRole('button', { name: 'Full screen' }).click()
    await expect.poll(isFull).toBe(true)
    await page.getByRole('button', { name: 'Play' }).click()
    await page.getByRole('button', { name: 'Pause' }).click()
    await press('Escape')
    await expect.poll(isFull).toBe(false)
    expect(await page.getByLabel(labels.after).isVisible()).toBe(true)
    await page.evaluate(() => {
      HTMLElement.prototype.requestFullscreen = () => Promise.reject(new TypeError('refused'))
    })
    await press('f')
    await page.getByText('Full screen isn’t available').waitFor()
    await page.evaluate(() => Reflect.deleteProperty(HTMLElement.prototype, 'requestFullscreen'))
  })

  it('has a quality strip only where there is something to say', async () => {
    expect(await strip()).toBe(0)
    await open('Uneven')
    expect(await strip()).toBe(1)
    await studio.page.getByText('Turned away', { exact: true }).waitFor()
  })

  it.each([
    ['Foreign', 'This computer can’t play ProRes, so foreign.mov isn’t shown'],
    ['Missing', 'missing.mp4 was moved or deleted'],
  ])('says why the first video of “%s” is not shown, and plays the other', async (title, says) => {
    await press('ControlOrMeta+l')
    await studio.page.getByText(title, { exact: true }).first().click()
    await studio.page.getByText(says).waitFor()
    await expect.poll(async () => (await shown()).after).toBe(0)
    await press('.')
    await expect.poll(async () => (await shown()).after).toBe(1)
    await press('Space')
    await expect.poll(async () => (await shown()).after).toBeGreaterThan(10)
    complaints.length = 0
  })

  it('leaves no decoder and no complaint behind, however fast it is left', async () => {
    for (let time = 0; time < 3; time += 1) {
      await studio.page.getByLabel(labels.after).waitFor()
      await press('Space')
      await press('ControlOrMeta+l')
      await studio.page
        .getByText(time % 2 === 0 ? 'Uneven' : 'Steady', { exact: true })
        .first()
        .click()
    }
    await press('Escape')
    await expect.poll(openDecoders).toBe(0)
    expect(complaints).toEqual([])
  })
})
