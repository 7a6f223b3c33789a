/** @file Three people of a video become three faces, by the keyboard alone, in the real app. */
import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { clips, portraitOf, sample } from '../fixtures/clip.ts'
import { choosePaths, dropFiles } from './app.ts'
import { violations } from './axe.ts'
import { openStudio, storedTasks } from './seeded.ts'

const studio = openStudio({ size: [1280, 800] })

/** Presses Tab until an element has the focus. */
async function tabTo(locator: Locator): Promise<void> {
  for (let press = 0; press < 60; press += 1) {
    if (await locator.evaluate((element) => element === document.activeElement)) return
    await studio.page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${String(locator)}`)
}

const becomes = (person: string): Locator => studio.page.getByRole('button', { name: new RegExp(`^${person}\\b`) })

/** Where the name over a person leaves the picture or covers the play bar, with the person at its edges. */
function leavesPicture(tag: HTMLElement): string[] {
  const { left, right, top, bottom } = tag.parentElement?.getBoundingClientRect() ?? new DOMRect()
  const bar = document.querySelector('[data-slot="video"] input[type="range"]')?.getBoundingClientRect().top ?? 0
  return ['0% 0%', '100% 0%', '0% 100%', '100% 100%'].filter((place) => {
    const [x = '', y = ''] = place.split(' ')
    tag.style.setProperty('--x', x)
    tag.style.setProperty('--y', y)
    const box = tag.getBoundingClientRect()
    return box.left < left || box.right > right || box.top < top || box.bottom > Math.min(bottom, bar)
  })
}

/** Whether a button at the end of a narrow tray is out of sight. */
function isCutOff(button: HTMLElement): boolean {
  const tray = button.parentElement ?? button
  tray.style.width = '150px'
  const cut = button.getBoundingClientRect().right > tray.getBoundingClientRect().right
  tray.style.width = ''
  return cut
}

it('casts three people by the keyboard, and says who became whom', async () => {
  const { page, dataDir } = studio
  // A swap of a cast is tested by cast.test.ts.
  await page.evaluate(() => window.mien.profiles.pause({ profileId: 'this-computer', paused: true }))
  await dropFiles(page, 'main', [sample.face])
  await page.getByText('1 face found').waitFor()
  await dropFiles(page, 'main', [clips.threePeople])
  await page.getByRole('article', { name: /^Person 3, seen/ }).waitFor()
  await page
    .getByText(/^Looking for people/)
    .first()
    .waitFor({ state: 'detached' })
  // The only face goes to the person who is seen most.
  expect(await becomes('Person 1').textContent()).toContain('Ellen Ochoa')

  for (const [added, name] of ['guion-bluford', 'sally-ride'].entries()) {
    await choosePaths(studio, portraitOf(name))
    await tabTo(page.getByRole('button', { name: 'Add a face…' }))
    await page.keyboard.press('Enter')
    await page
      .getByRole('button', { name: /^(Guion Bluford|Sally Ride), 1 photo/ })
      .nth(added)
      .waitFor()
  }
  // Person 1 stays, 2 becomes the third face, 3 the second; then 1 the first again.
  await tabTo(becomes('Person 1'))
  await page.keyboard.press('0')
  expect(await becomes('Person 1').textContent()).toContain('Stay as they are')
  await page.keyboard.press('1')
  await tabTo(becomes('Person 2'))
  await page.keyboard.press('3')
  await tabTo(becomes('Person 3'))
  await page.keyboard.press('2')
  const tag = page.locator('.tag').filter({ hasText: 'Sally Ride' })
  await tag.waitFor()
  expect(await tag.evaluate(leavesPicture)).toEqual([])
  expect(await page.getByRole('button', { name: 'Add a face…' }).evaluate(isCutOff)).toBe(false)
  expect(await violations(studio)).toEqual([])
  await tabTo(page.getByRole('checkbox', { name: /^I may use/ }))
  await page.keyboard.press('Space')
  await expect.poll(() => page.getByRole('button', { name: 'Swap', exact: true }).isEnabled()).toBe(true)
  await page.keyboard.press('ControlOrMeta+Enter')

  await page.getByText('Person 2 becomes Sally Ride').waitFor()
  await page.getByText('Person 3 becomes Guion Bluford').waitFor()
  expect(storedTasks(dataDir)[0]?.cast.map(({ personId, face }) => `${personId} ${face.name}`)).toEqual([
    'p1 ellen-ochoa.jpg',
    'p2 sally-ride.jpg',
    'p3 guion-bluford.jpg',
  ])
})

it('splits a clip where it becomes somebody else, with a picture of both halves', async () => {
  const { page } = studio
  const dialog = page.getByRole('dialog')
  await page.keyboard.press('ControlOrMeta+N')
  await dropFiles(page, 'main', [clips.threePeople])
  await page.getByRole('article', { name: /^Person 3, seen/ }).waitFor()
  await page.getByRole('button', { name: 'Correct people…' }).click()
  await dialog.waitFor()
  expect(await violations(studio)).toEqual([])
  await dialog.getByRole('option').first().click()
  await page.keyboard.press('s')
  const slider = dialog.getByRole('slider', { name: 'First frame with somebody else' })
  await slider.waitFor()
  const starts = await slider.inputValue()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => slider.inputValue()).not.toBe(starts)
  expect(await violations(studio)).toEqual([])
  await slider.focus()
  await page.keyboard.press('Enter')
  await page.getByText(/^Split\. .* is selected/).waitFor()
  await page.keyboard.press('n')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const added = page.getByRole('article', { name: /^Person 4, seen/ })
  await added.waitFor()
  const width = () =>
    added
      .locator('img')
      .first()
      .evaluate((image: HTMLImageElement) => image.naturalWidth)
  await expect.poll(width).toBeGreaterThan(0)
})
