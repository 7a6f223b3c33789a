/** @file What can be reached and seen: at any size and zoom, beside toasts, in forced colours, with less motion. */
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shortClip } from '../fixtures/clip.ts'
import { fillSlots, go, resize, openSeeded } from './seeded.ts'

const studio = openSeeded([1280, 800])

const button = (name: string | RegExp): Locator => studio.page.getByRole('button', { name })

/** A sentence for each of these that does not lie wholly inside the window. */
async function outside(places: readonly (readonly [string, Locator])[]): Promise<string[]> {
  const view = await studio.page.evaluate(() => ({ width: innerWidth, height: innerHeight }))
  const found: string[] = []
  for (const [name, place] of places) {
    const box = await place.boundingBox()
    const inside =
      box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= view.width && box.y + box.height <= view.height
    if (!inside) found.push(`${name} is at ${JSON.stringify(box)} in ${JSON.stringify(view)}`)
  }
  return found
}

/** Names of these on which a toast lies. */
async function covered(places: readonly (readonly [string, Locator])[]): Promise<string[]> {
  const toasts = await studio.page.locator('.toast:visible').all()
  expect(toasts.length).toBeGreaterThan(0)
  const boxes = await Promise.all(toasts.map((toast) => toast.boundingBox()))
  const found: string[] = []
  for (const [name, place] of places) {
    const own = await place.boundingBox()
    const meets = boxes.some(
      (box) =>
        box !== null &&
        own !== null &&
        box.x < own.x + own.width &&
        own.x < box.x + box.width &&
        box.y < own.y + own.height &&
        own.y < box.y + box.height,
    )
    if (own === null || meets) found.push(name)
  }
  return found
}

/** 640 × 400 in CSS pixels. */
const smallest = [[1280, 800, 2]] as const
const otherSizes = [
  [640, 480, 1],
  [1280, 800, 1],
  [960, 640, 1],
  [960, 540, 1],
] as const

describe('in forced colours', () => {
  beforeAll(() => studio.page.emulateMedia({ forcedColors: 'active' }))
  afterAll(() => studio.page.emulateMedia({ forcedColors: 'none' }))

  /** A computed style of the first element that matches. */
  const style = (selector: string, name: string): Promise<string> =>
    studio.page
      .locator(selector)
      .first()
      .evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name)
  const fill = (selector: string): Promise<string> => style(selector, 'background-color')

  it('a card’s progress has the colour of what is chosen', async () => {
    await go(studio.page, 'l')
    // Colours change over some frames.
    await expect
      .poll(async () => [await fill('.track i'), await fill('.tab[aria-current]')])
      .toSatisfy(([bar, tab]: string[]) => bar === tab)
  })

  it('the consent has no tick before it is given, buttons have edges, and the place and the choice are filled', async () => {
    const { page, dataDir } = studio
    await go(page, 'n')
    await fillSlots(page, await shortClip(join(dataDir, 'clip.mp4'), 9))
    const tick = page.locator('.check .icon')
    expect(await page.getByRole('checkbox').isChecked()).toBe(false)
    expect(await tick.isVisible()).toBe(false)
    await page.getByRole('checkbox').check()
    expect(await tick.isVisible()).toBe(true)
    expect(await style('.media-slot .media-btn', 'border-top-style')).toBe('solid')
    expect(await fill('.tab[aria-current]')).not.toBe(await fill('.tab:not([aria-current])'))
    await page.keyboard.press('Tab')
    // Shadows are not drawn.
    expect(await style(':focus', 'outline-style')).toBe('solid')
    expect(await style(':focus', 'outline-width')).toBe('2px')
    await go(page, ',')
    await page.getByRole('radio', { name: 'System' }).waitFor()
    expect(await style('section .btn', 'border-top-style')).toBe('solid')
    expect(await fill('.segment [aria-checked=true]')).not.toBe(await fill('.segment [aria-checked=false]'))
  })
})

it('what is missing for a swap is read whole in the smallest window', async () => {
  const { page, dataDir } = studio
  await resize(studio, 640, 480)
  await go(page, 'n')
  await fillSlots(page, await shortClip(join(dataDir, 'clip.mp4'), 9))
  // A test before this one may have confirmed it.
  await page.getByRole('checkbox').uncheck()
  const missing = page.getByText('Confirm that you may use this face')
  await missing.waitFor()
  expect(await missing.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  // The consent beside it has two lines, too.
  expect((await page.locator('.action-bar').boundingBox())?.height).toBeLessThan(90)
  await resize(studio, 1280, 800)
})

it.each([640, 720, 760])('the search field of the library has room at %i pixels', async (width) => {
  const { page } = studio
  await resize(studio, width, 480)
  await go(page, 'l')
  const field = page.locator('label.input', { has: page.getByRole('searchbox') })
  await field.waitFor()
  expect((await field.boundingBox())?.width).toBeGreaterThanOrEqual(160)
  expect(await outside([['The search field', field]])).toEqual([])
  await resize(studio, 1280, 800)
})

it('text size zooms the window', async () => {
  const { page } = studio
  const width = await page.evaluate(() => innerWidth)
  await go(page, ',')
  await page.getByRole('radio', { name: '125%' }).click()
  await page.waitForFunction((wanted) => Math.abs(innerWidth - wanted) <= 1, width / 1.25)
})

const leavesRoom = async (width: number, height: number, zoom: number): Promise<void> => {
  const { page } = studio
  await resize(studio, width, height, zoom)
  await go(page, 'l')
  // Three of them, with a title far too long for one.
  for (const state of ['failed', 'missing', 'cancelled']) {
    await page.locator(`[data-state=${state}]`).first().press('Delete')
  }
  const toasts = page.locator('.toast')
  await expect.poll(() => toasts.count()).toBe(3)
  // Nothing leaves while it is under the pointer.
  await toasts.first().hover()
  const [close, undo] = [toasts.first().getByRole('button', { name: 'Close' }), toasts.first().getByText('Undo')]
  expect(
    await outside([
      ['Close', close],
      ['Undo', undo],
    ]),
  ).toEqual([])
  expect(await covered([['the tools', page.getByRole('region', { name: 'Search, filter and view' })]])).toEqual([])
  await page.keyboard.press('Control+n')
  await toasts.first().hover()
  const composer = [
    ['Swap', page.getByRole('button', { name: 'Swap', exact: true })],
    ['the consent', page.getByRole('checkbox')],
    ['Settings', button('Settings')],
  ] as const
  expect(await covered(composer)).toEqual([])
  expect(await outside(composer)).toEqual([])
  await page.keyboard.press('Control+l')
  await page.locator('[data-state=kept]').first().press('Enter')
  const viewer = [
    ['Play', button('Play')],
    ['Sound', button('Sound')],
    ['Full screen', button('Full screen')],
    ['Save as', button('Save as…')],
  ] as const
  await toasts.first().hover()
  await viewer[0][1].waitFor()
  expect(await covered(viewer)).toEqual([])
  // The viewer gets its size once the video is read.
  await expect.poll(() => outside(viewer)).toEqual([])
  // Undone in the order in which they are offered, each focus going to the next one.
  for (let left = 3; left > 0; left -= 1) {
    await toasts.first().getByRole('button', { name: 'Undo' }).press('Enter')
    await expect.poll(() => toasts.count()).toBe(left - 1)
  }
  expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
  await page.keyboard.press('Control+,')
  const navigation = ['Services', 'Results', 'Appearance', 'Updates', 'Backup and diagnostics', 'This computer']
  const settings = navigation.map((name) => [name, page.getByRole('navigation').getByText(name)] as const)
  await settings[0]?.[1].waitFor()
  expect(await outside([...settings, ['Back', page.getByRole('button', { name: 'Back', exact: true })]])).toEqual([])
  const across = await page.evaluate(
    () => document.querySelector('main')?.scrollWidth === document.querySelector('main')?.clientWidth,
  )
  expect(across).toBe(true)
  await resize(studio, 1280, 800)
}
const toasts = 'at %i × %i, zoom %i, toasts leave the main actions free and their buttons in the window'
it.each(smallest)(toasts, leavesRoom)
it.each(otherSizes)(toasts, { tags: ['long'] }, leavesRoom)

it('nothing moves where less motion is wanted', async () => {
  const { page } = studio
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const moving = (): Promise<string[]> =>
    page.locator('*').evaluateAll((all) =>
      all.flatMap((element) => {
        const { transitionDuration, animationDuration, scrollBehavior } = getComputedStyle(element)
        const times = `${transitionDuration}, ${animationDuration}`.split(', ')
        // What left the page since it was found has no style.
        if (!element.isConnected) return []
        return times.every((time) => Number.parseFloat(time) === 0) && scrollBehavior === 'auto'
          ? []
          : [element.outerHTML.slice(0, 100)]
      }),
    )
  for (const key of ['n', 'l', ',']) {
    await go(page, key)
    expect(await moving()).toEqual([])
  }
  await page.emulateMedia({ reducedMotion: null })
})
