/** @file The part of a video is chosen in the real app: by keys, by hand and typed; and what the swap is asked for. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Studio } from './app.ts'
import { launchWarm } from './warm.ts'
import { violations } from './axe.ts'
import { fillSlots, resize } from './seeded.ts'

let studio: Studio

beforeAll(async () => {
  studio = await launchWarm()
  await resize(studio, 1280, 800)
})
afterAll(() => studio.quit())

const handle = (name: 'Start' | 'End') => studio.page.getByRole('slider', { name: `${name} of the part` })
const field = (name: 'Start' | 'End') => studio.page.getByRole('textbox', { name: `${name} of the part` })

it('moves nothing on the page with the first I', async () => {
  const { page } = studio
  await fillSlots(page)
  await page.getByText(/^Looking for people/).waitFor({ state: 'detached' })
  const places = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('main :is(button, input, [role=slider], [data-slot], canvas), .action-bar button')]
        .filter((each) => !each.textContent.includes('Save') && !each.ariaLabel?.startsWith('Use the whole'))
        .map((each) => {
          const { x, y, width, height } = each.getBoundingClientRect()
          return `${each.ariaLabel ?? each.textContent.trim()} ${[x, y, width, height].map(Math.round).join(' ')}`
        }),
    )
  for (const [width, height] of [
    [640, 480],
    [1280, 800],
  ] as const) {
    await resize(studio, width, height)
    const before = await places()
    expect(before.length).toBeGreaterThan(12)
    await page.locator('main').focus()
    await page.keyboard.press('i')
    await page.getByRole('button', { name: 'Use the whole video' }).waitFor()
    const isPlay = (place: string): boolean => place.startsWith('Play ')
    const after = await places()
    expect(after.filter((place) => !isPlay(place))).toEqual(before.filter((place) => !isPlay(place)))
    // The button only plays something else.
    const names = (all: string[]): string[] =>
      all.filter(isPlay).map((place) => place.replace(/^Play (?:video|the part)/, ''))
    expect(names(after)).toEqual(names(before))
    await page.getByRole('button', { name: 'Use the whole video' }).click()
  }
})

it('ends with O at the playhead, and moves by frames and seconds', async () => {
  const { page } = studio
  const scrub = page.getByRole('slider', { name: 'Position' })
  await scrub.focus()
  await scrub.fill('2')
  await page.keyboard.press('o')
  // The frame on the screen is in the part: 50 of 25 a second, and its 40 ms.
  await expect.poll(() => handle('End').getAttribute('aria-valuetext')).toBe('0:02.04')
  await handle('End').focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => handle('End').getAttribute('aria-valuetext')).toBe('0:02.08')
  await page.keyboard.press('Shift+ArrowRight')
  await expect.poll(() => handle('End').getAttribute('aria-valuetext')).toBe('0:03.08')
  await handle('Start').focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expect.poll(() => handle('Start').getAttribute('aria-valuetext')).toBe('0:01.00')
  await page.getByText('2.1 s of 6 s').waitFor()
  // The start stops a frame before the end.
  await page.keyboard.press('End')
  await expect.poll(() => handle('Start').getAttribute('aria-valuetext')).toBe('0:03.04')
})

it('has its handles inside of the bar, also around the whole video', async () => {
  const { page } = studio
  await handle('Start').press('Home')
  await handle('End').press('End')
  await expect.poll(() => handle('End').getAttribute('aria-valuetext')).toBe('0:06.00')
  const bar = await page.getByRole('region', { name: 'Part of the video' }).boundingBox()
  const [start, end] = await Promise.all([handle('Start').boundingBox(), handle('End').boundingBox()])
  if (!bar || !start || !end) throw new Error('the bar is there')
  expect(end.x + end.width).toBeLessThanOrEqual(bar.x + bar.width)
  expect(start.x).toBeGreaterThanOrEqual(bar.x)
  // Back to the part of the tests below.
  await field('End').fill('0:03.08')
  await page.keyboard.press('Enter')
})

it('takes exact times, and keeps the old ones after a wrong one', async () => {
  const { page } = studio
  await field('Start').fill('0:01.51')
  await page.keyboard.press('Enter')
  // The nearest frame.
  await expect.poll(() => field('Start').inputValue()).toBe('0:01.52')
  await field('Start').fill('one')
  await page.keyboard.press('Tab')
  await page.getByRole('alert').filter({ hasText: 'Type a time like 0:08.12.' }).waitFor()
  expect(await field('Start').inputValue()).toBe('0:01.52')
  // In a field, i is a letter.
  await field('End').fill('')
  await page.keyboard.type('i')
  expect(await field('End').inputValue()).toBe('i')
  await page.keyboard.press('Enter')
  await field('End').fill('0:01.00')
  await page.keyboard.press('Enter')
  await page.getByText('The part has to end after it starts.').waitFor()
  await field('End').fill('4')
  await page.keyboard.press('Enter')
  await expect.poll(() => field('End').inputValue()).toBe('0:04.00')
  await page.getByRole('alert').waitFor({ state: 'detached' })
})

it('is pulled by its handles', async () => {
  const { page } = studio
  const box = await handle('End').boundingBox()
  const film = await page.locator('.film').boundingBox()
  if (!box || !film) throw new Error('there is a film')
  await page.mouse.move(box.x + 5, box.y + 20)
  await page.mouse.down()
  await page.mouse.move(film.x + film.width * 0.5 + 5, box.y + 60, { steps: 5 })
  await page.mouse.up()
  await expect.poll(() => handle('End').getAttribute('aria-valuetext')).toBe('0:03.00')
})

it('has no violation, in both themes', async () => {
  expect(await violations(studio)).toEqual([])
})

it('says that the rest is encoded again, and goes with the whole video', async () => {
  const { page } = studio
  await page.getByRole('radio', { name: 'Save all, swap only here' }).click()
  await page.getByText('The rest is encoded again, without a swap.').waitFor()
  await page.getByRole('button', { name: 'Use the whole video' }).click()
  await page.getByText('Pull an end to swap only a part.').waitFor()
})

it('is there again when an end of the strip is pulled', async () => {
  const { page } = studio
  const film = await page.locator('.film').boundingBox()
  if (!film) throw new Error('there is a film')
  await page.mouse.move(film.x - 5, film.y + 20)
  await page.mouse.down()
  await page.mouse.move(film.x - 5 + film.width * 0.25, film.y + 20, { steps: 4 })
  await page.mouse.up()
  await expect.poll(() => handle('Start').getAttribute('aria-valuetext')).toBe('0:01.48')
})

it('is swapped alone, said on the swap’s page, and there again in the next try', async () => {
  const { page } = studio
  await field('End').fill('1.72')
  await page.keyboard.press('Enter')
  await expect.poll(() => handle('End').getAttribute('aria-valuetext')).toBe('0:01.72')
  await page.getByRole('checkbox', { name: /I may use this face/ }).check()
  await page.getByRole('button', { name: 'Swap', exact: true }).click()
  await page.getByRole('button', { name: /Save as/ }).waitFor()
  await page.getByText('0:01.48 to 0:01.72').waitFor()
  // The sound may end up to half a packet later.
  await page.getByText(/\/ 0:00\.2[2-7]/).waitFor()
  await page.getByRole('button', { name: 'Swap again' }).click()
  await expect.poll(() => handle('Start').getAttribute('aria-valuetext')).toBe('0:01.48')
  expect(await handle('End').getAttribute('aria-valuetext')).toBe('0:01.72')
})
