/** @file The weak parts of a finished swap in the real app, found by keys. */
import { beforeAll, expect, it } from 'vitest'
import type { WeakPart } from '../../src/shared/engine/engine.ts'
import { clips } from '../fixtures/clip.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { violations } from './axe.ts'
import { fillLibrary, resize, openStudio, finished } from './seeded.ts'

const weak: WeakPart[] = [
  { kind: 'turned', face: 0, fromMs: 600, toMs: 1200, frames: 15 },
  { kind: 'covered', face: 0, fromMs: 1480, toMs: 2480, frames: 25 },
]

const dataDir = sharedDir()
beforeAll(() => {
  fillLibrary(dataDir, (store, media) => {
    const result = { quality: [{ kind: 'swapped' as const, frames: 150 }], weak }
    store.put(finished(media, 'Weak', [clips.small, clips.small], { result }))
  })
})
const studio = openStudio({ dataDir, size: [1280, 800] })

const press = (key: string) => studio.page.keyboard.press(key)
const panel = () => studio.page.getByRole('region', { name: 'Selected part' })
const marks = () => studio.page.getByRole('list', { name: 'Weak parts' }).getByRole('button')
const at = () => studio.page.getByRole('slider', { name: 'Position' }).getAttribute('aria-valuenow')

async function open(): Promise<void> {
  const { page } = studio
  await press('Control+l')
  await page.getByText('Weak', { exact: true }).first().click()
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
  await press('Home')
}

it('is gone through by keys; an end of a part is dragged to a frame, and Escape leaves the part before the page', async () => {
  const { page } = studio
  await open()
  await press(']')
  await press(']')
  await panel().getByText('2 of 2').waitFor()
  await expect.poll(at).toBe('1.48')
  const end = page.getByRole('slider', { name: 'End of the part' })
  const box = await end.boundingBox()
  if (!box) throw new Error('the part has an end')
  await page.mouse.move(box.x + 2, box.y + 4)
  await page.mouse.down()
  await page.mouse.move(box.x + 120, box.y + 4, { steps: 4 })
  await page.mouse.up()
  await expect.poll(async () => Number(await end.getAttribute('aria-valuenow'))).toBeGreaterThan(2900)
  await expect.poll(async () => Number(await end.getAttribute('aria-valuenow')) % 40).toBe(0)
  expect(await violations(studio)).toEqual([])
  await press('Escape')
  await panel().waitFor({ state: 'detached' })
  await marks().first().waitFor()
  await press('Escape')
  await page.getByRole('gridcell').first().waitFor()
})

it('has all of its controls at twice the size', async () => {
  await open()
  await press(']')
  await panel().waitFor()
  await resize(studio, 1280, 800, 2)
  /** Controls that a press does not reach. */
  const covered = () =>
    studio.page.evaluate(() =>
      [...document.querySelectorAll('.transport button, .review button')].flatMap((button) => {
        button.scrollIntoView({ block: 'nearest' })
        const { left, right, top, bottom } = button.getBoundingClientRect()
        const isHit = button.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2))
        return isHit ? [] : [button.getAttribute('aria-label') ?? button.textContent]
      }),
    )
  await expect.poll(covered).toEqual([])
  await resize(studio, 1280, 800)
})
