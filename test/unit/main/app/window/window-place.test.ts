import { describe, expect, it } from 'vitest'
import { openingOf } from '../../../../../src/main/app/window/window-place.ts'

const screen = { x: 0, y: 0, width: 1920, height: 1040 }
const left = { x: -1280, y: 0, width: 1280, height: 1000 }
const small = { x: 0, y: 0, width: 960, height: 500 }
const tiny = { x: 0, y: 0, width: 600, height: 400 }

describe('the window opens', () => {
  it.each([
    ['in its first size', null, [screen], { width: 1280, height: 800 }],
    ['in the size of a small screen', null, [small], { width: 960, height: 500 }],
    ['in a screen below its minimum size', null, [tiny], { width: 600, height: 400 }],
    ['where it was', { x: 100, y: 50, width: 900, height: 700 }, [screen], { x: 100, y: 50, width: 900, height: 700 }],
    [
      'on the second screen, where it was',
      { x: -1200, y: 50, width: 900, height: 700 },
      [screen, left],
      { x: -1200, y: 50, width: 900, height: 700 },
    ],
    [
      'whole, where half of it was beyond the edge',
      { x: 1500, y: 800, width: 900, height: 700 },
      [screen],
      { x: 1020, y: 340, width: 900, height: 700 },
    ],
    [
      'smaller, where the screen is smaller now',
      { x: 10, y: 10, width: 1900, height: 1000 },
      [small],
      { x: 0, y: 0, width: 960, height: 500 },
    ],
    [
      'on the first screen in its size, where its screen is gone',
      { x: -1200, y: 50, width: 900, height: 700 },
      [screen],
      { width: 900, height: 700 },
    ],
    [
      'no smaller than its minimum',
      { x: 10, y: 10, width: 20, height: 20 },
      [screen],
      { x: 10, y: 10, width: 640, height: 480 },
    ],
  ] as const)('%s', (_where, place, [first, ...others], bounds) => {
    expect(openingOf(place, [first, ...others]).bounds).toEqual(bounds)
  })

  it.each([
    ['640 × 480', screen, { width: 640, height: 480 }],
    ['what the screen has', tiny, { width: 600, height: 400 }],
  ])('with a minimum of %s', (_size, area, min) => expect(openingOf(null, [area]).min).toEqual(min))
})
