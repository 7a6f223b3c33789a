/** @file A part of a finished swap is swapped again in the real app, by keyboard; and killed on the way. */
import { copyFileSync, existsSync, readdirSync, renameSync, statSync, truncateSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { portraitOf, shortClip } from '../fixtures/clip.ts'
import { mediaFacts, type MediaFacts } from '../fixtures/media-facts.ts'
import { choosePaths, dropSwap } from './app.ts'
import { launchWarm } from './warm.ts'
import { violations } from './axe.ts'
import { openStudio, taskOf } from './seeded.ts'

const studio = openStudio({ size: [1280, 800] })
let first: MediaFacts

beforeAll(async () => {
  // Five seconds, with a frame every 0.1 s.
  await dropSwap(studio.page, await shortClip(join(studio.dataDir, 'clip.mp4'), 49, 10))
  await studio.page.getByRole('button', { name: /Save as/ }).waitFor()
  first = await facts()
})

const results = (): string => join(studio.dataDir, 'results')
const result = (): string => join(results(), readdirSync(results()).find((name) => name.endsWith('.mp4')) ?? '')
const facts = (): Promise<MediaFacts> => mediaFacts(result())
/** Milliseconds at which packets differ. */
const changes = (one: MediaFacts, other: MediaFacts): number[] =>
  one.frames.flatMap((frame, at) => (frame === other.frames[at] ? [] : [Math.round((one.frameTimes[at] ?? 0) / 1000)]))

const task = () => taskOf(studio.page)

/** Mean difference of the pictures before and after, 0…255. */
const difference = (): Promise<number> =>
  studio.page.evaluate(() => {
    const pixels = (label: string): Uint8ClampedArray => {
      const canvas = document.querySelector<HTMLCanvasElement>(`[aria-label="${label}"] canvas`)
      const copy = new OffscreenCanvas(240, 135)
      const context = copy.getContext('2d')
      if (!canvas || !context) throw new Error('there is no picture')
      context.drawImage(canvas, 0, 0, 240, 135)
      return context.getImageData(0, 0, 240, 135).data
    }
    const [one, other] = [pixels('Before: the original video'), pixels('After: the swapped video')]
    return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length
  })

const panel = () => studio.page.getByRole('region', { name: 'Selected part' })
const versions = () => studio.page.getByRole('region', { name: 'Versions' }).getByRole('listitem')

/** Selects 0:02.00 to 0:03.10 by keys, and goes to the middle. */
async function select(): Promise<void> {
  const { page } = studio
  // Both videos are open.
  await expect.poll(() => difference().catch(() => 0)).toBeGreaterThan(0.2)
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('i')
  await panel().waitFor()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('o')
  await panel().getByText('0:02.00 to 0:03.10').waitFor()
}

describe('a part of a finished swap', () => {
  it('is left as in the original, and that is undone', async () => {
    const { page } = studio
    await select()
    const swapped = await difference()
    await page.keyboard.press('Backspace')
    await page.getByText('0:02.00 to 0:03.10 left as in the original').first().waitFor()
    // The player shows the new file where it was, and the part is still selected.
    await expect.poll(difference).toBeLessThan(swapped / 2)
    await panel().getByText('0:02.00 to 0:03.10').waitFor()
    const left = await facts()
    expect(changes(first, left)[0]).toBe(2000)
    expect((await task()).versions).toMatchObject({ current: 2, list: [{ number: 1 }, { change: { kind: 'left' } }] })
    await page.keyboard.press('Control+z')
    await expect.poll(difference).toBeGreaterThan(swapped / 2)
    expect((await facts()).frames).toEqual(first.frames)
    await page.getByText('Went back to version 1').waitFor()
  })

  it('is swapped again with another likeness and the face of a picture, once the user may use it', async () => {
    const { page } = studio
    const likeness = panel().getByRole('slider', { name: 'Likeness' })
    await likeness.focus()
    await page.keyboard.press('Home')
    expect(await likeness.getAttribute('aria-valuetext')).toBe('0%')
    // The key was the slider's alone.
    await panel().getByText('0:02.00 to 0:03.10').waitFor()
    await choosePaths(studio, portraitOf('sally-ride'))
    await panel().locator('.part-face').click()
    await page.getByRole('menuitem', { name: 'Choose picture…' }).click()
    const consent = panel().getByRole('checkbox', { name: 'I may use this face' })
    await consent.waitFor()
    await panel().locator('.part-face').filter({ hasText: 'Sally Ride' }).waitFor()
    const swap = panel().getByRole('button', { name: 'Swap again here' })
    expect(await swap.getAttribute('aria-disabled')).toBe('true')
    await consent.check()
    await expect.poll(() => swap.getAttribute('aria-disabled')).toBe('false')
    await page.keyboard.press('Shift+Enter')
    await page.getByText('0:02.00 to 0:03.10 swapped again').first().waitFor()
    const again = await facts()
    expect(changes(first, again)[0]).toBe(2000)
    expect(again.audio).toEqual(first.audio)
    // What was chosen is still chosen.
    expect(await likeness.getAttribute('aria-valuetext')).toBe('0%')
    await expect.poll(() => versions().count()).toBe(3)
    expect(await violations(studio)).toEqual([])
  })

  it('says why it can’t be swapped', async () => {
    const { page } = studio
    const file = result()
    copyFileSync(file, `${file}.whole`)
    truncateSync(`${file}.whole`, statSync(file).size - 1)
    renameSync(file, `${file}.kept`)
    renameSync(`${file}.whole`, file)
    await page.keyboard.press('Backspace')
    await panel().getByRole('alert').waitFor()
    renameSync(`${file}.kept`, file)
  })
})

describe('a kill on the way', { tags: ['long'] }, () => {
  it.each([150, 600, 1000, 1500])('after %i ms leaves one whole file, and a record of it', async (afterMs) => {
    const { id } = await task()
    const before = await facts()
    const change = { part: { fromMs: 1000, toMs: 2000 + afterMs }, faces: [null], options: (await task()).options }
    await studio.page.evaluate(([taskId, wanted]) => void window.mien.versions.make({ taskId, change: wanted }), [
      id,
      change,
    ] as const)
    await delay(afterMs)
    const gone = new Promise((resolve) => studio.app.process().once('exit', resolve))
    studio.app.process().kill('SIGKILL')
    await gone
    const made = await facts()
    expect(made.frameTimes).toEqual(before.frameTimes)
    expect(made.audio).toEqual(before.audio)
    Object.assign(studio, await launchWarm({ dataDir: studio.dataDir }))
    await expect.poll(async () => (await task()).versions?.placing ?? null).toBeNull()
    const now = await task()
    expect(now.result?.sizeBytes).toBe(statSync(result()).size)
    const isNew =
      now.versions?.list.find(({ number }) => number === now.versions?.current)?.change?.toMs === 2000 + afterMs
    expect(changes(before, await facts()).length > 0).toBe(isNew)
    const files = join(studio.dataDir, 'versions', id)
    const names = now.versions?.list.map(({ number }) => `${String(number)}.mp4`) ?? []
    await expect.poll(() => (existsSync(files) ? readdirSync(files).sort() : [])).toEqual(names)
    expect(readdirSync(results())).toHaveLength(1)
  })
})
