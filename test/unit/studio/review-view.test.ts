import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WeakPart } from '@shared/engine/engine.ts'
import { placeMarks } from '../../../src/renderer/studio/logic/pictures/weak-marks.ts'
import { Review } from '../../../src/renderer/studio/state/task/review.svelte.ts'
import type { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import ReviewPanel from '../../../src/renderer/studio/views/task/review/ReviewPanel.svelte'
import ReviewPart from '../../../src/renderer/studio/views/task/review/ReviewPart.svelte'
import WeakChips from '../../../src/renderer/studio/views/task/review/WeakChips.svelte'
import WeakMarks from '../../../src/renderer/studio/views/task/review/WeakMarks.svelte'
import { renderIn, startStudio } from './open-studio.ts'

const weak: WeakPart[] = [
  { kind: 'covered', face: 0, fromMs: 1000, toMs: 2000, frames: 25 },
  { kind: 'lost', face: 1, fromMs: 4000, toMs: 4080, frames: 2 },
  { kind: 'covered', face: 0, fromMs: 6000, toMs: 6400, frames: 10 },
]
const player = {
  ...{ start: 0, time: 0, duration: 10, seek: vi.fn() },
  frameAt: (time: number) =>
    Promise.resolve({ start: Math.floor(time * 25) / 25, end: (Math.floor(time * 25) + 1) / 25 }),
}
const personOf = (face: number): string => ['Anna', 'Person 2'][face] ?? ''
let review: Review
let studio: Studio
beforeAll(async () => {
  ;({ studio } = await startStudio())
})
beforeEach(() => {
  review = new Review(player, weak)
})
const labels = (): (string | null)[] =>
  screen.getAllByRole('listitem').map((item) => within(item).getByRole('button').ariaLabel)

describe('the marks of weak parts', () => {
  it('are a list with kinds, people and times, and one tab stop', async () => {
    render(WeakMarks, { review, personOf })
    expect(labels()).toEqual([
      'Covered, Anna, 0:01.00 to 0:02.00',
      'Lost, Person 2, 0:04.00 to 0:04.08',
      'Covered, Anna, 0:06.00 to 0:06.40',
    ])
    const stops = (): number[] => screen.getAllByRole('button').map((button) => button.tabIndex)
    expect(stops()).toEqual([0, -1, -1])
    await fireEvent.click(screen.getByRole('button', { name: /^Lost/ }))
    expect(review.selected?.weak).toBe(weak[1])
    expect(player.seek).toHaveBeenLastCalledWith(4)
    expect(stops()).toEqual([-1, 0, -1])
    await fireEvent.keyDown(screen.getByRole('button', { name: /^Lost/ }), { key: 'ArrowRight' })
    await tick()
    expect(review.selected?.weak).toBe(weak[2])
    expect(document.activeElement?.getAttribute('aria-current')).toBe('true')
  })

  it('are those of the pressed kind', async () => {
    render(WeakMarks, { review, personOf })
    renderIn(studio, WeakChips, { review })
    screen.getByText('3 weak parts')
    const chip = screen.getByRole('button', { name: /^Covered ?2$/ })
    await fireEvent.click(chip)
    expect(labels()).toHaveLength(2)
    expect(chip.getAttribute('aria-pressed')).toBe('true')
    await fireEvent.click(chip)
    expect(labels()).toHaveLength(3)
    await fireEvent.click(screen.getByRole('button', { name: 'Hide marks' }))
    expect(studio.app.settings.weakMarks).toBe(false)
  })

  it('are ticks where they would cover an earlier mark or the selected one', () => {
    const ticks = (shares: number[], selected = -1): boolean[] =>
      placeMarks(shares, 1000, selected).map(({ isTick }) => isTick)
    expect(ticks([0.1, 0.2, 0.3])).toEqual([false, false, false])
    expect(ticks([0.1, 0.11, 0.119, 0.121])).toEqual([false, true, true, false])
    expect(ticks([0.1, 0.11, 0.119, 0.121], 1)).toEqual([true, false, true, true])
  })
})

describe('the panel of the selected part', () => {
  const panel = (): HTMLElement => screen.getByRole('region', { name: 'Selected part' })

  it('says what is weak, where and why', async () => {
    renderIn(studio, ReviewPanel, { review, fps: 25, personOf })
    expect(screen.queryByRole('region')).toBeNull()
    review.next()
    await tick()
    const place = '0:01.00 to 0:02.00, 25 frames'
    for (const text of ['Covered', 'Anna', place, 'Something is in front of the face', '1 of 3'])
      within(panel()).getByText(text)
    await fireEvent.click(within(panel()).getByRole('button', { name: 'Previous weak part' }))
    within(panel()).getByText('3 of 3')
    await fireEvent.click(within(panel()).getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('region')).toBeNull()
  })

  it('counts the frames of any other part by the frame rate', async () => {
    renderIn(studio, ReviewPanel, { review, fps: 25, personOf })
    await review.mark('from')
    review.setEnd(1000)
    await vi.waitFor(() => within(panel()).getByText('0:00.00 to 0:01.00, 25 frames'))
  })
})

it('the ends of the selected part are moved by keys', async () => {
  review.select(weak[0] as WeakPart) // there are three
  const part = () => review.selected ?? { fromMs: 0, toMs: 0, weak: null }
  const { rerender } = renderIn(studio, ReviewPart, { review, part: part() })
  const end = screen.getByRole('slider', { name: 'End of the part' })
  expect(end.getAttribute('aria-valuetext')).toBe('0:02.00')
  await fireEvent.keyDown(end, { key: 'ArrowRight' })
  await vi.waitFor(() => expect(review.selected?.toMs).toBe(2040))
  await rerender({ passed: { review, part: part() } })
  await fireEvent.keyDown(end, { key: 'ArrowLeft', shiftKey: true })
  await vi.waitFor(() => expect(review.selected?.toMs).toBe(1040))
})
