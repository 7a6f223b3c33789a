/** @file The hardest moments of a video are swapped first and loop in the composer of the real app; nothing is saved. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { shortClip } from '../fixtures/clip.ts'
import { violations } from './axe.ts'
import { openStudio, fillSlots } from './seeded.ts'

const studio = openStudio({ size: [1280, 800] })

const pill = (text: string | RegExp) => studio.page.getByRole('status').filter({ hasText: text })
const tiles = () => studio.page.getByRole('group', { name: 'Proof' }).getByRole('button')
const files = (): string[] => {
  const folder = join(studio.dataDir, 'proof')
  return existsSync(folder) ? readdirSync(folder) : []
}
const state = () =>
  studio.page.evaluate(() => {
    const view = document.querySelector('.view')
    const [video, canvas] = [view?.querySelector('video'), view?.querySelector('canvas')]
    if (!video || !canvas) throw new Error('there is no proof')
    return {
      isOriginal: getComputedStyle(canvas).visibility === 'visible',
      time: video.currentTime,
      paused: video.paused,
    }
  })
/** A part of the view on the screen, in grey: the face, or beside it, where the picture tilts but nothing is swapped. */
async function look(of: 'face' | 'edge'): Promise<number[]> {
  const box = await studio.page.locator('.view').boundingBox()
  if (!box) throw new Error('there is no proof')
  const [from, to] = of === 'edge' ? [0, 0.15] : [0.25, 0.75]
  const [width, height] = [box.width * (to - from), box.height / 2]
  const clip = { x: box.x + box.width * from, y: box.y + height / 3, width, height }
  const png = await studio.page.screenshot({ clip })
  return studio.page.evaluate(
    async (bytes) => {
      const picture = await createImageBitmap(new Blob([Uint8Array.from(bytes)]))
      const context = new OffscreenCanvas(48, 27).getContext('2d')
      context?.drawImage(picture, 0, 0, 48, 27)
      const { data } = context?.getImageData(0, 0, 48, 27) ?? { data: [] }
      return Array.from({ length: data.length / 4 }, (_, at) => data[at * 4 + 1] ?? 0)
    },
    [...png],
  )
}
const difference = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) / a.length

it('begins with P, loops its first moment while the others are swapped, and says what it is', async () => {
  const { page } = studio
  // Eight seconds, with a frame every 0.4 s.
  await fillSlots(page, await shortClip(join(studio.dataDir, 'clip.mp4'), 21, 2.5))
  await page.getByRole('checkbox', { name: /I may use this face/ }).check()
  await page.getByText(/^Looking for people/).waitFor({ state: 'detached' })
  await page.locator('main').focus()
  await page.keyboard.press('i')
  await page.getByRole('img', { name: /^Hardest moments: / }).waitFor()
  await page.getByRole('button', { name: 'Use the whole video' }).click()
  await page.locator('main').focus()
  await page.keyboard.press('p')
  await page.getByText(/^(Looking for the hardest moments|Swapping moment 1 of 3)$/).waitFor()
  await pill('Proof 1 of 3, looping').waitFor()
  await page.getByText('Proof ready: 3 moments, 4.5 s of video').waitFor()
  await page.getByText('The parts most likely to go wrong. Nothing is saved yet.').waitFor()
  expect(await tiles().count()).toBe(3)
  // It begins again.
  const times = new Set<number>()
  let before = 0
  await expect
    .poll(async () => {
      const { time } = await state()
      times.add(time)
      const isAgain = time < before
      before = time
      return isAgain
    })
    .toBe(true)
})

it('shows the same moment of the original while B is held', async () => {
  const { page } = studio
  await page.keyboard.press('Space')
  await pill('Proof 1 of 3, paused').waitFor()
  const [{ time }, swapped, edge] = [await state(), await look('face'), await look('edge')]
  await page.keyboard.down('b')
  await expect.poll(async () => (await state()).isOriginal).toBe(true)
  await pill('Original').waitFor()
  const original = await look('face')
  expect(difference(await look('edge'), edge)).toBeLessThan(2)
  await page.keyboard.up('b')
  await expect.poll(async () => (await state()).isOriginal).toBe(false)
  expect(await state()).toEqual({ isOriginal: false, time, paused: true })
  // Another face in the same picture.
  expect(difference(await look('face'), swapped)).toBeLessThan(0.5)
  expect(difference(original, swapped)).toBeGreaterThan(1)
  expect(difference(original, swapped)).toBeLessThan(20)
  await page.keyboard.press('Space')
  await pill('Proof 1 of 3, looping').waitFor()
})

it('has no violation, in both themes', async () => expect(await violations(studio)).toEqual([]))

it('is followed by the swap of all, which saves a result and removes its files', async () => {
  const { page } = studio
  expect(files()).toHaveLength(3)
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByRole('button', { name: /Save as/ }).waitFor()
  expect(readdirSync(join(studio.dataDir, 'results'))).toHaveLength(1)
  await expect.poll(files).toEqual([])
})
