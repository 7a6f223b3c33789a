import { fireEvent, render, screen } from '@testing-library/svelte'
import { createRawSnippet } from 'svelte'
import { describe, expect, it } from 'vitest'
import { coverCrop, objectPosition } from '../../../src/renderer/studio/logic/crop.ts'
import { ovalPath } from '../../../src/renderer/studio/logic/outline.ts'
import { splitByPointer } from '../../../src/renderer/studio/logic/split.ts'
import { correct, frameAt, frameTime } from '../../../src/renderer/studio/logic/two-players.ts'
import { placeMenu } from '../../../src/renderer/studio/components/menu.ts'
import Compare from '../../../src/renderer/studio/views/task/Compare.svelte'
import { outline } from '../../fixtures/fake-tasks.ts'

const picture = (alt: string) => createRawSnippet(() => ({ render: () => `<img alt="${alt}">` }))

describe('the divider', () => {
  it.each([
    ['ArrowLeft', false, '49'],
    ['ArrowRight', false, '51'],
    ['ArrowRight', true, '60'],
    ['Home', false, '0'],
    ['End', false, '100'],
    ['a', false, '50'],
  ])('moves by %s (shift: %s) to %s', async (key, shiftKey, value) => {
    render(Compare, { aspect: 16 / 9, mode: 'divider', before: picture('before'), after: picture('after') })
    const grip = screen.getByRole('slider')
    await fireEvent.keyDown(grip, { key, shiftKey })
    expect(grip.getAttribute('aria-valuenow')).toBe(value)
  })

  it('stays inside the picture', () => {
    const box = { left: 100, width: 200 }
    expect([0, 200, 900].map((x) => splitByPointer(x, box))).toEqual([0, 50, 100])
  })

  it('is only there in its own mode, the pictures in every one', () => {
    render(Compare, { aspect: 1, mode: 'side', before: picture('before'), after: picture('after') })
    expect(screen.queryByRole('slider')).toBeNull()
    expect(screen.getByAltText('before')).toBeDefined()
    expect(screen.getByAltText('after')).toBeDefined()
  })
})

describe('two players on one clock', () => {
  it('leaves a follower alone that is together with its master', () => {
    expect(correct(0.004, 3)).toEqual({ rate: 1 })
  })
  it('slows one that is ahead, hurries one that is behind', () => {
    expect(correct(0.05, 3)).toEqual({ rate: 0.9 })
    expect(correct(-0.05, 3)).toEqual({ rate: 1.1 })
    expect(correct(-0.25, 3)).toEqual({ rate: 1.2 })
  })
  it('seeks after a jump', () => {
    expect(correct(1.5, 3)).toEqual({ seek: 3 })
  })
  it('steps to the middle of a frame, and not beyond the first or the last', () => {
    expect(frameAt(0.04, 25)).toBe(1)
    expect(frameAt(0.0399, 25)).toBe(0)
    expect(frameTime(1, 25, 6)).toBeCloseTo(0.06)
    expect(frameTime(-1, 25, 6)).toBeCloseTo(0.02)
    expect(frameTime(999, 25, 6)).toBeCloseTo(5.98)
    expect(frameAt(frameTime(7, 29.97, 6), 29.97)).toBe(7)
  })
})

describe('a face in a well', () => {
  it('is in what is shown of a tall picture', () => {
    const tall = { width: 743, height: 1155 }
    const crop = coverCrop(tall, 4 / 5, outline(354, 1000, 172, 270))
    expect(crop.y + crop.height).toBeCloseTo(1155)
    expect(objectPosition(tall, crop)).toBe('50.00% 100.00%')
  })
  it('does not move a picture of the well’s own shape', () => {
    expect(objectPosition({ width: 800, height: 1000 }, coverCrop({ width: 800, height: 1000 }, 4 / 5))).toBe(
      '50.00% 50.00%',
    )
  })
  it('is drawn as a closed curve, and not at all from too few points', () => {
    expect(ovalPath(outline(10, 10, 4, 4).oval)).toMatch(/^M12\.0 10\.0C.*Z$/)
    expect(ovalPath([[0, 0]])).toBe('')
  })
})

describe('a menu', () => {
  const window = { width: 1000, height: 700 }
  const size = { width: 224, height: 200 }
  it.each([
    ['below its button', { left: 100, right: 130, top: 40, bottom: 70 }, 'start', { left: 100, top: 74 }],
    [
      'above where there is no room below',
      { left: 100, right: 130, top: 600, bottom: 630 },
      'start',
      { left: 100, top: 396 },
    ],
    ['inside the right edge', { left: 990, right: 990, top: 10, bottom: 10 }, 'start', { left: 768, top: 14 }],
    ['under the end of its button', { left: 500, right: 600, top: 10, bottom: 40 }, 'end', { left: 376, top: 44 }],
  ] as const)('opens %s', (_where, anchor, align, place) => {
    expect(placeMenu(anchor, size, window, align)).toEqual(place)
  })
})
