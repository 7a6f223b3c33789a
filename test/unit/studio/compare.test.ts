import { fireEvent, render, screen } from '@testing-library/svelte'
import fc from 'fast-check'
import { createRawSnippet } from 'svelte'
import { describe, expect, it } from 'vitest'
import { coverCrop, objectPosition } from '../../../src/renderer/studio/logic/pictures/crop.ts'
import { ovalPath } from '../../../src/renderer/studio/logic/pictures/outline.ts'
import { splitByPointer } from '../../../src/renderer/studio/logic/pictures/split.ts'
import { choosePair, isLate } from '../../../src/renderer/studio/logic/pictures/frame-pair.ts'
import { placeMenu } from '../../../src/renderer/studio/components/menu.ts'
import { Zoom } from '../../../src/renderer/studio/state/task/zoom.svelte.ts'
import Compare from '../../../src/renderer/studio/views/task/result/Compare.svelte'
import { outline } from '../../fixtures/fake-tasks.ts'

const picture = (alt: string) => createRawSnippet(() => ({ render: () => `<img alt="${alt}">` }))

const zoom = new Zoom({ width: 160, height: 90 })

describe('the divider', () => {
  it.each([
    ['ArrowLeft', false, '49'],
    ['ArrowRight', false, '51'],
    ['ArrowRight', true, '60'],
    ['Home', false, '0'],
    ['End', false, '100'],
    ['a', false, '50'],
  ])('moves by %s (shift: %s) to %s', async (key, shiftKey, value) => {
    render(Compare, { zoom, mode: 'divider', before: picture('before'), after: picture('after') })
    const grip = screen.getByRole('slider')
    await fireEvent.keyDown(grip, { key, shiftKey })
    expect(grip.getAttribute('aria-valuenow')).toBe(value)
  })

  it('stays inside the picture', () => {
    const box = { left: 100, width: 200 }
    expect([0, 200, 900].map((x) => splitByPointer(x, box))).toEqual([0, 50, 100])
  })

  it('is only there in its own mode, the pictures in every one', () => {
    render(Compare, { zoom, mode: 'side', before: picture('before'), after: picture('after') })
    expect(screen.queryByRole('slider')).toBeNull()
    expect(screen.getByAltText('before')).toBeDefined()
    expect(screen.getByAltText('after')).toBeDefined()
  })
})

describe('the pair of frames that is shown', () => {
  const frames = (times: number[], ended = false) => ({ times, ended })

  it.each([
    ['is the last that has begun', [0, 0.04, 0.08], [0, 0.04, 0.08], 0.05, [1, 1]],
    ['is the last of several that are late', [0, 0.04, 0.08, 0.12], [0, 0.04, 0.08, 0.12], 0.13, [3, 3]],
    ['waits for a partner, and is an older one until then', [0.04, 0.08, 0.12], [0.04, 0.08], 0.13, [1, 1]],
    ['is none while the second video is behind', [0.4, 0.44], [0.2, 0.24], 0.45, null],
    ['is none while nothing is decoded', [], [0], 0, null],
    ['is the first frame before that begins', [0.5, 0.54], [0.5, 0.54], 0.1, [0, 0]],
    ['is the same frame in two containers that round', [0.0333, 0.0667], [0.033, 0.067], 0.0668, [1, 1]],
    ['has frames of any length', [0, 0.02, 0.5], [0, 0.02, 0.5], 0.49, [1, 1]],
    ['has the frame on the screen of a slower video', [0.08, 0.12], [0, 0.1, 0.2], 0.13, [1, 1]],
    ['waits for a slower video’s next frame', [0.08, 0.12], [0, 0.1], 0.13, [0, 0]],
    ['is one frame alone without a second video', [0, 0.04], null, 0.04, [1, null]],
  ])('%s', (_says, after, before, time, pair) => {
    expect(choosePair(frames(after), before && frames(before), time)).toEqual(
      pair && { after: pair[0], before: pair[1] },
    )
  })

  it('has the last frame of a second video that is shorter', () => {
    expect(choosePair(frames([0.16, 0.2]), frames([0.08], true), 0.2)).toEqual({ after: 1, before: 0 })
  })

  it('never joins two moments, whatever is decoded of either', () => {
    const times = fc
      .array(fc.integer({ min: 5, max: 200 }), { minLength: 1, maxLength: 30 })
      .map((lengths) => lengths.reduce<number[]>((all, ms) => [...all, (all.at(-1) ?? 0) + ms / 1000], [0]))
    const part = fc.tuple(fc.nat(30), fc.nat(6))
    fc.assert(
      fc.property(times, part, part, fc.double({ min: 0, max: 6, noNaN: true }), (all, one, other, time) => {
        const cut = ([from, count]: [number, number]) => ({
          times: all.slice(from, from + count),
          ended: from + count >= all.length,
        })
        // Both stand at the same frame when nothing is shown yet; from there each is decoded as far as it comes.
        const [after, before] = [cut(one), cut([Math.min(one[0], other[0]), other[1]])]
        const pair = choosePair(after, before, time)
        if (pair === null || pair.before === null) return
        const [shown, partner] = [after.times[pair.after] ?? -1, before.times[pair.before] ?? -1]
        expect(partner <= shown).toBe(true)
        expect(all.some((each) => each > partner + 0.002 && each <= shown)).toBe(false)
      }),
    )
  })

  it('is late when decoding is far behind the sound, not when a frame lasts long or is the last', () => {
    expect(isLate(frames([0, 0.04]), 0.2)).toBe(false)
    expect(isLate(frames([0, 0.04]), 0.5)).toBe(true)
    expect(isLate(frames([0, 2]), 1.9)).toBe(false)
    expect(isLate(frames([0.04], true), 5)).toBe(false)
  })
})

describe('a face in a slot', () => {
  it('is in what is shown of a tall picture', () => {
    const tall = { width: 743, height: 1155 }
    const crop = coverCrop(tall, 4 / 5, outline(354, 1000, 172, 270))
    expect(crop.y + crop.height).toBeCloseTo(1155)
    expect(objectPosition(tall, crop)).toBe('50.00% 100.00%')
  })
  it('does not move a picture of the slot’s own shape', () => {
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
    ['below its button', [100, 130, 40, 70], 'start', { left: 100, top: 74 }],
    ['above where there is no room below', [100, 130, 600, 630], 'start', { left: 100, top: 396 }],
    ['inside the right edge', [990, 990, 10, 10], 'start', { left: 768, top: 14 }],
    ['under the end of its button', [500, 600, 10, 40], 'end', { left: 376, top: 44 }],
  ] as const)('opens %s', (_where, [left, right, top, bottom], align, place) => {
    expect(placeMenu({ left, right, top, bottom }, size, window, align)).toEqual(place)
  })
})
