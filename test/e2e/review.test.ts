/** @file The weak parts of a finished swap in the real app: found by keys and by mouse, and any part selected. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { WeakPart } from '../../src/shared/engine/engine.ts'
import { clips } from '../fixtures/clip.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { violations } from './axe.ts'
import { fillLibrary, resize, openStudio, finished } from './seeded.ts'

const weak: WeakPart[] = (
  [
    ['unsteady', 4520, 4920],
    ['turned', 600, 1200],
    ['covered', 1480, 2480],
    ['unsure', 3000, 3480],
    ['turned', 3800, 4280],
    ['lost', 5200, 5320],
  ] as const
).map(([kind, fromMs, toMs]) => ({ kind, face: 0, fromMs, toMs, frames: (toMs - fromMs) / 40 }))

const dataDir = sharedDir()
beforeAll(() => {
  // Two finished swaps: one with weak parts, and one without.
  fillLibrary(dataDir, (store, media) => {
    for (const [title, parts] of Object.entries({ Good: [], Weak: weak })) {
      const result = { quality: [{ kind: 'swapped' as const, frames: 150 }], weak: parts }
      store.put(finished(media, title, [clips.small, clips.small], { result }))
    }
  })
})
const studio = openStudio({ dataDir, size: [1280, 800] })

const press = (key: string) => studio.page.keyboard.press(key)
const panel = () => studio.page.getByRole('region', { name: 'Selected part' })
const marks = () => studio.page.getByRole('list', { name: 'Weak parts' }).getByRole('button')
const end = (name: 'Start' | 'End') => studio.page.getByRole('slider', { name: `${name} of the part` })
const at = () => studio.page.getByRole('slider', { name: 'Position' }).getAttribute('aria-valuenow')

async function open(title: string): Promise<void> {
  const { page } = studio
  await press('Control+l')
  await page.getByText(title, { exact: true }).first().click()
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
  await press('Home')
}

describe('a swap with weak parts', () => {
  beforeEach(() => open('Weak'))

  it('is gone through by keys, in the order of time', async () => {
    await expect.poll(() => marks().count()).toBe(6)
    const seen: string[] = []
    for (const [kind, place] of [
      ['Turned away', '1 of 6'],
      ['Covered', '2 of 6'],
      ['Unsure who', '3 of 6'],
    ] as const) {
      await press(']')
      await panel().getByText(place).waitFor()
      seen.push(await panel().getByText(kind).innerText())
    }
    expect(seen).toEqual(['Turned away', 'Covered', 'Unsure who'])
    await panel().getByText('0:03.00 to 0:03.48, 12 frames').waitFor()
    await expect.poll(at).toBe('3')
    await press('[')
    await panel().getByText('2 of 6').waitFor()
    await panel().getByText('Something is in front of the face').waitFor()
    await expect.poll(at).toBe('1.48')
    expect(await marks().nth(1).getAttribute('aria-current')).toBe('true')
    // Esc closes the selection first, and then the page.
    await press('Escape')
    await panel().waitFor({ state: 'detached' })
    await marks().first().waitFor()
    await press('Escape')
    await studio.page.getByRole('heading', { name: 'Library' }).or(studio.page.getByText('Good')).first().waitFor()
  })

  it('is gone through by mouse, and the ends of a part are dragged to frames', async () => {
    const { page } = studio
    await page.getByRole('button', { name: 'Covered, 0:01.48 to 0:02.48' }).click()
    await panel().getByText('0:01.48 to 0:02.48, 25 frames').waitFor()
    const box = await end('End').boundingBox()
    if (!box) throw new Error('the part has an end')
    await page.mouse.move(box.x + 2, box.y + 4)
    await page.mouse.down()
    await page.mouse.move(box.x + 120, box.y + 4, { steps: 4 })
    await page.mouse.up()
    await expect.poll(async () => Number(await end('End').getAttribute('aria-valuenow'))).toBeGreaterThan(2900)
    await expect.poll(async () => Number(await end('End').getAttribute('aria-valuenow')) % 40).toBe(0)
    await end('Start').focus()
    await press('ArrowLeft')
    await expect.poll(() => end('Start').getAttribute('aria-valuetext')).toBe('0:01.44')
    await panel().getByRole('button', { name: 'Next weak part' }).click()
    await panel().getByText('3 of 6').waitFor()
    await panel().getByRole('button', { name: 'Close' }).click()
    await panel().waitFor({ state: 'detached' })
  })

  it('has marks of one kind, or none, as the user likes', async () => {
    const { page } = studio
    const chip = page.getByRole('button', { name: 'Turned away 2' })
    await chip.click()
    await expect.poll(() => marks().count()).toBe(2)
    await press(']')
    await press(']')
    await panel().getByText('2 of 2').waitFor()
    await expect.poll(at).toBe('3.8')
    await chip.click()
    await page.getByRole('button', { name: 'Hide marks' }).click()
    await expect.poll(() => marks().count()).toBe(0)
    await open('Good')
    await open('Weak')
    await page.getByRole('button', { name: 'Show marks' }).click()
    await expect.poll(() => marks().count()).toBe(6)
  })

  it('can be used with the keyboard alone, and by screen readers', async () => {
    const { page } = studio
    await marks().first().focus()
    await press('ArrowRight')
    await panel().getByText('1 of 6').waitFor()
    await press('ArrowRight')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toMatch(/^Covered, /)
    expect(await violations(studio)).toEqual([])
  })
})

it('has all of its controls at twice the size', async () => {
  await open('Weak')
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

it('selects any part of a swap without weak parts', async () => {
  await open('Good')
  expect(await studio.page.getByText(/weak part/).count()).toBe(0)
  await press(']')
  expect(await panel().count()).toBe(0)
  await press('ArrowRight')
  await press('i')
  await panel().getByText('0:01.00 to 0:06.00, 125 frames').waitFor()
  await press('ArrowRight')
  await press('o')
  // With the frame on the screen.
  await panel().getByText('0:01.00 to 0:02.04, 26 frames').waitFor()
  await press('Escape')
  await panel().waitFor({ state: 'detached' })
})
