import { describe, expect, it } from 'vitest'
import { openingOf } from '../../../../../src/main/app/window/window-place.ts'

const at = (x: number, y: number, width: number, height: number) => ({ x, y, width, height })
const size = (width: number, height: number) => ({ width, height })
const screen = at(0, 0, 1920, 1040)
const left = at(-1280, 0, 1280, 1000)
const small = at(0, 0, 960, 500)
const tiny = at(0, 0, 600, 400)

describe('the window opens', () => {
  it.each([
    ['in its first size', null, [screen], size(1280, 800)],
    ['in the size of a small screen', null, [small], size(960, 500)],
    ['in a screen below its minimum size', null, [tiny], size(600, 400)],
    ['where it was', at(100, 50, 900, 700), [screen], at(100, 50, 900, 700)],
    ['on the second screen, where it was', at(-1200, 50, 900, 700), [screen, left], at(-1200, 50, 900, 700)],
    ['whole, where half of it was beyond the edge', at(1500, 800, 900, 700), [screen], at(1020, 340, 900, 700)],
    ['smaller, where the screen is smaller now', at(10, 10, 1900, 1000), [small], at(0, 0, 960, 500)],
    ['on the first screen in its size, where its screen is gone', at(-1200, 50, 900, 700), [screen], size(900, 700)],
    ['no smaller than its minimum', at(10, 10, 20, 20), [screen], at(10, 10, 640, 480)],
  ] as const)('%s', (_where, place, [first, ...others], bounds) => {
    expect(openingOf(place, [first, ...others]).bounds).toEqual(bounds)
  })

  it.each([
    ['640 × 480', screen, size(640, 480)],
    ['what the screen has', tiny, size(600, 400)],
  ])('with a minimum of %s', (_size, area, min) => expect(openingOf(null, [area]).min).toEqual(min))
})
