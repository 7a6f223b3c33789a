/** @file One part and several parts of a video are chosen in the real app, by keys and by hand; and only they are swapped. */
import { beforeAll, expect, it } from 'vitest'
import type { Task } from '../../src/shared/tasks/task.ts'
import { violations } from './axe.ts'
import { fillSlots, resize, openStudio, taskOf } from './seeded.ts'

const studio = openStudio({ size: [1280, 800] })
beforeAll(() => fillSlots(studio.page))

const handle = (name: string) => studio.page.getByRole('slider', { name, exact: true })
const chips = () => studio.page.getByRole('list', { name: 'Parts' }).getByRole('button', { name: /^\d 0:/ })
const times = () => chips().allTextContents()

/** Moves the playhead with the film's mouse, as a share of its width. */
async function point(share: number): Promise<void> {
  const box = await studio.page.locator('.film').boundingBox()
  if (!box) throw new Error('there is a film')
  await studio.page.mouse.click(box.x + box.width * share, box.y + 34)
}

async function drag(name: string, seconds: number): Promise<void> {
  const { page } = studio
  const [box, film] = await Promise.all([handle(name).boundingBox(), page.locator('.film').boundingBox()])
  if (!box || !film) throw new Error('there is a film')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + (film.width * seconds) / 6, y + 20, { steps: 5 })
  await page.mouse.up()
}

it('moves nothing on the page with the first I', async () => {
  const { page } = studio
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

it('begins at an end of the strip that is pulled, and is pulled by its handles, which stay inside of the bar', async () => {
  const { page } = studio
  const film = await page.locator('.film').boundingBox()
  if (!film) throw new Error('there is a film')
  await page.mouse.move(film.x - 5, film.y + 20)
  await page.mouse.down()
  await page.mouse.move(film.x - 5 + film.width * 0.25, film.y + 20, { steps: 4 })
  await page.mouse.up()
  const [start, end] = [handle('Start of the part'), handle('End of the part')]
  await expect.poll(() => start.getAttribute('aria-valuetext')).toBe('0:01.48')
  await drag('End of the part', -3)
  await expect.poll(() => end.getAttribute('aria-valuetext')).toBe('0:03.00')
  await start.press('Home')
  await end.press('End')
  await expect.poll(() => end.getAttribute('aria-valuetext')).toBe('0:06.00')
  const [bar, from, to] = await Promise.all(
    [page.getByRole('region', { name: 'Part of the video' }), start, end].map((each) => each.boundingBox()),
  )
  if (!bar || !from || !to) throw new Error('the bar is there')
  expect(to.x + to.width).toBeLessThanOrEqual(bar.x + bar.width)
  expect(from.x).toBeGreaterThanOrEqual(bar.x)
  await page.getByRole('button', { name: 'Use the whole video' }).click()
  await page.getByText('Pull an end to swap only a part.').waitFor()
})

it('begins one with each I, and ends it with O', async () => {
  const { page } = studio
  const scrub = page.getByRole('slider', { name: 'Position' })
  await scrub.focus()
  await scrub.fill('1')
  await page.keyboard.press('i')
  await page.getByRole('region', { name: 'Part of the video' }).waitFor()
  await point(0.25)
  await page.keyboard.press('o')
  await expect.poll(() => handle('End of the part').getAttribute('aria-valuetext')).toMatch(/^0:01\.5/)
  await point(0.5)
  await page.keyboard.press('i')
  await expect.poll(times).toEqual(['1 0:01.00 to 0:01.52', '2 0:03.00 to 0:06.00'])
  await point(0.6)
  await page.keyboard.press('o')
  await expect.poll(times).toEqual(['1 0:01.00 to 0:01.52', '2 0:03.00 to 0:03.64'])
  await page.getByText('Part 2 of 2: 0:03.00 to 0:03.64').waitFor({ state: 'attached' })
})

it('has no violation, in both themes', async () => expect(await violations(studio)).toEqual([]))

/** Max difference of 16 × 16 squares between source and result, 0…255, at some seconds. */
const differences = (task: Task, seconds: number[]): Promise<number[]> =>
  studio.page.evaluate(
    async ({ ids, at }) => {
      const videos = ids.map((id) => {
        const video = document.createElement('video')
        video.crossOrigin = 'anonymous'
        video.src = `media://item/${id}`
        return video
      })
      const found: number[] = []
      for (const time of at) {
        const pictures: Uint8ClampedArray[] = []
        for (const video of videos) {
          // A file that opens may show its first frame before the wanted one.
          const shown = new Promise<void>((resolve) => {
            video.requestVideoFrameCallback(function look(_now, { mediaTime }) {
              if (Math.abs(mediaTime - time) < 0.1) resolve()
              else video.requestVideoFrameCallback(look)
            })
          })
          video.currentTime = time
          await shown
          const context = new OffscreenCanvas(80, 45).getContext('2d', { willReadFrequently: true })
          if (!context) throw new Error('no canvas')
          context.drawImage(video, 0, 0, 80, 45)
          pictures.push(context.getImageData(0, 0, 80, 45).data)
        }
        const [one, other] = pictures
        found.push(Math.max(...(one ?? []).map((value, index) => Math.abs(value - (other?.[index] ?? 0)))))
      }
      return found
    },
    { ids: [task.video.id, task.result?.mediaId ?? ''], at: seconds },
  )

it('swaps only them, with the rest as it was, says so on the swap’s page, and has them again in the next try', async () => {
  const { page } = studio
  await page.getByRole('radio', { name: 'Save all, swap only here' }).click()
  await page.getByRole('checkbox', { name: /I may use this face/ }).check()
  await page.getByRole('button', { name: 'Swap', exact: true }).click()
  await page.getByRole('button', { name: /Save as/ }).waitFor()
  const task = await taskOf(page)
  expect(task.result?.swappedFrames).toBe(13 + 16)
  const [before = 99, first = 0, between = 99, second = 0, after = 99] = await differences(
    task,
    [0.5, 1.3, 2.5, 3.3, 5.5],
  )
  for (const outside of [before, between, after]) expect(outside).toBeLessThan(12)
  for (const inside of [first, second]) expect(inside).toBeGreaterThan(30)
  await page.getByText('0:03.00 to 0:03.64').waitFor()
  await page.getByRole('button', { name: 'Swap again' }).click()
  await expect.poll(times).toEqual(['1 0:01.00 to 0:01.52', '2 0:03.00 to 0:03.64'])
})
