import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { defaultOptions } from '@shared/options/default-options.ts'
import { formatPartLength } from '@shared/i18n/format.ts'
import type { Range } from '@shared/people/people.ts'
import { describe, expect, it, vi } from 'vitest'
import App from '../../../src/renderer/studio/App.svelte'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
import { readTime } from '../../../src/shared/people/range.ts'
import { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import type { FrameTimes } from '../../../src/renderer/studio/state/composer/clip-frames.svelte.ts'
import { Trim } from '../../../src/renderer/studio/state/composer/trim.svelte.ts'
import { FakeMain } from '../../fixtures/fake-bridge.ts'
import { clip, swap } from '../../fixtures/fake-tasks.ts'
import { chooseBoth, startFilled } from './open-studio.ts'

describe('a typed time', () => {
  it.each([
    ['0:08.12', 8120],
    ['8.12', 8120],
    [' 8,1 ', 8100],
    ['8', 8000],
    ['75', 75_000],
    ['1:02:03.045', 3_723_045],
    ['', null],
    ['eight', null],
    ['1:75', null],
    ['1:70:00', null],
    ['-3', null],
    ['0:08.1234', null],
  ])('%j is %s ms', (text, ms) => expect(readTime(text)).toBe(ms))
})

it.each([
  [80, '0.08 s'],
  [13_080, '13.1 s'],
  [42_000, '42 s'],
  [73_000, '1:13'],
])('a part of %i ms is %s long', (ms, text) => expect(formatPartLength(ms)).toBe(text))

/** Frames of four lengths; the first is not at zero. */
const times = [0.2, 0.24, 0.3, 0.42, 0.44, 0.5, 0.6, 0.64, 0.7, 0.8]
const durationMs = 800
const uneven: FrameTimes = {
  frameTime: (time) => Promise.resolve(times.findLast((each) => each <= time + 0.002) ?? 0.2),
  neighbour: (time, direction) =>
    Promise.resolve(
      (direction > 0 ? times.find((each) => each > time + 0.002) : times.findLast((each) => each < time - 0.002)) ??
        time,
    ),
  close: () => undefined,
}
const trimOf = (range: Range | null = null): Trim =>
  new Trim({ ...clip(), fps: 12 }, durationMs, range, () => Promise.resolve(uneven))
const trimOfPart = (fromMs: number, toMs: number): Trim => trimOf({ parts: [{ fromMs, toMs }], rest: 'drop' })
const ends = ({ part: { fromMs, toMs } }: Trim): [number, number] => [fromMs, toMs]
async function markAt(trim: Trim, seconds: number, end: 'from' | 'to'): Promise<void> {
  trim.playback.seek(seconds)
  await trim.mark(end)
}
/** Start and end of each part. */
const all = ({ parts }: Trim): number[][] => parts.map(({ fromMs, toMs }) => [fromMs, toMs])

describe('a part', () => {
  it('is the whole video at first, which is no range', () => {
    const trim = trimOf()
    expect([trim.isOpen, trim.range, ends(trim)]).toEqual([false, null, [0, 800]])
  })

  it('begins and ends with the frame on the screen, counted from the first frame', async () => {
    const trim = trimOf()
    await markAt(trim, 0.43, 'from')
    expect(ends(trim)).toEqual([220, 800])
    await markAt(trim, 0.61, 'to')
    expect(ends(trim)).toEqual([220, 440])
    expect(trim.range).toEqual({ parts: [{ fromMs: 220, toMs: 440 }], rest: 'drop' })
  })

  it('moves to the nearest frame, and keeps at least one', async () => {
    const trim = trimOf()
    await trim.move('from', 190)
    expect(ends(trim)).toEqual([220, 800])
    await trim.move('to', 265)
    expect(ends(trim)).toEqual([220, 240])
    await trim.move('from', 700)
    expect(ends(trim)).toEqual([220, 240])
    await trim.move('to', 790)
    expect(ends(trim)).toEqual([220, 800])
  })

  it('steps by frames, however long they are', async () => {
    const trim = trimOf()
    const found: number[] = []
    for (let step = 0; step < 4; step += 1) {
      await trim.step('from', 1)
      found.push(trim.part.fromMs)
    }
    await trim.step('to', -1)
    expect([...found, trim.part.toMs]).toEqual([40, 100, 220, 240, 600])
    await trim.step('to', 1)
    expect(trim.part.toMs).toBe(800)
  })

  it.each([
    ['from', 'x', 'format'],
    ['from', '0.44', 'order'],
    ['to', '0.1', 'order'],
    ['to', '2', 'outside'],
    ['to', '0.3', null],
  ] as const)('whose %s is typed as %j answers %s', async (end, text, problem) => {
    const trim = trimOfPart(220, 440)
    expect(await trim.type(end, text)).toBe(problem)
    expect(ends(trim)).toEqual(problem === null ? [220, 300] : [220, 440])
  })

  it('follows the last wish, however late an earlier answer comes', async () => {
    const late: (() => void)[] = []
    const slow: FrameTimes = {
      ...uneven,
      frameTime: async (time) => {
        if (time === 0.45) await new Promise<void>((resolve) => late.push(resolve))
        return uneven.frameTime(time)
      },
    }
    const trim = new Trim(clip(), durationMs, null, () => Promise.resolve(slow))
    const first = trim.move('from', 250)
    await trim.move('from', 300)
    for (const answer of late) answer()
    await first
    expect(trim.part.fromMs).toBe(300)
  })

  it('keeps each of several changes that come before the file is open', async () => {
    const { promise, resolve } = Promise.withResolvers<FrameTimes>()
    const trim = new Trim(clip(), durationMs, null, () => promise)
    trim.playback.seek(0.25)
    const marks = [trim.mark('from')]
    trim.playback.seek(0.45)
    marks.push(trim.mark('to'), trim.step('to', 1), trim.step('to', 1))
    resolve(uneven)
    await Promise.all(marks)
    expect(ends(trim)).toEqual([40, 440])
  })

  it('counts evenly in a file whose frames are not known', async () => {
    const trim = new Trim({ ...clip(), fps: 10 }, durationMs, null, () => Promise.reject(new Error('unreadable')))
    await trim.move('from', 320)
    await trim.step('from', 1)
    expect(ends(trim)).toEqual([400, 800])
  })
})

describe('several parts', () => {
  const two = (): Trim => trimOf({ parts: [{ fromMs: 40, toMs: 100 }, { fromMs: 300, toMs: 400 }], rest: 'keep' }) // prettier-ignore

  it('are begun by an end beyond the chosen part, with the room that is left', async () => {
    const trim = trimOfPart(220, 300)
    await markAt(trim, 0.71, 'from')
    expect([all(trim), trim.chosen]).toEqual([[[220, 300], [500, 800]], 1]) // prettier-ignore
    await markAt(trim, 0.25, 'to')
    expect([all(trim), trim.chosen]).toEqual([[[0, 100], [220, 300], [500, 800]], 0]) // prettier-ignore
  })

  it('give an end at the playhead to the part there, and else to the chosen one', async () => {
    const trim = two()
    await markAt(trim, 0.52, 'to')
    expect([all(trim), trim.chosen]).toEqual([[[40, 100], [300, 400]], 1]) // prettier-ignore
    await markAt(trim, 0.43, 'from')
    expect(all(trim)).toEqual([[40, 100], [220, 400]]) // prettier-ignore
    trim.chosen = 0
    await markAt(trim, 0.31, 'to')
    expect(all(trim)).toEqual([[40, 220], [220, 400]]) // prettier-ignore
  })

  it('stop at each other, and at the ends of the video; are moved by frames', async () => {
    const trim = two()
    await trim.step('whole', 1, 0)
    expect([all(trim)[0], trim.chosen]).toEqual([[100, 220], 0])
    await trim.move('to', 700, 0)
    expect(all(trim)).toEqual([[100, 300], [300, 400]]) // prettier-ignore
    await trim.step('from', -1, 1)
    expect(all(trim)[1]).toEqual([300, 400])
    await trim.move('whole', 700, 1)
    expect(all(trim)[1]).toEqual([600, 800])
    await trim.move('whole', 0, 1)
    expect(all(trim)[1]?.[0]).toBe(300)
  })

  it('are added at the playhead, else in the longest gap, as long as there is one', async () => {
    const trim = trimOfPart(100, 440)
    trim.playback.seek(0.2)
    await trim.add()
    expect([all(trim), trim.chosen]).toEqual([[[0, 100], [100, 440]], 0]) // prettier-ignore
    await trim.add()
    expect([all(trim)[2], trim.chosen]).toEqual([[600, 800], 2])
    for (let more = 0; more < 3; more += 1) await trim.add()
    expect(all(trim)).toEqual([[0, 100], [100, 440], [440, 500], [500, 600], [600, 800]]) // prettier-ignore
    expect(trim.canAdd).toBe(false)
  })

  it('are chosen one after the other', () => {
    const trim = two()
    trim.chooseNext(-1)
    expect([trim.chosen, trim.atMs, trim.news]).toEqual([1, 300, { kind: 'part' }])
    trim.chooseNext(1)
    trim.chooseAt(350)
    trim.chooseAt(200)
    expect(trim.chosen).toBe(1)
  })

  it('are removed one by one; the last one leaves the whole video', () => {
    const trim = two()
    trim.chosen = 1
    trim.remove()
    expect([all(trim), trim.chosen, trim.news]).toEqual([[[40, 100]], 0, { kind: 'removed', number: 2 }])
    trim.remove()
    expect([trim.isOpen, trim.range]).toEqual([false, null])
  })

  it('refuse a typed time in another part', async () => {
    const trim = two()
    expect(await trim.type('to', '0.38')).toBe('overlap')
    trim.chosen = 1
    expect(await trim.type('from', '0.06')).toBe('overlap')
    expect(await trim.type('from', '0.1')).toBeNull()
    expect(all(trim)).toEqual([[40, 100], [100, 400]]) // prettier-ignore
  })

  it('are at most as many as a range can have', async () => {
    const parts = Array.from({ length: 100 }, (_, at) => ({ fromMs: at * 2, toMs: at * 2 + 1 }))
    const trim = trimOf({ parts, rest: 'drop' })
    await markAt(trim, 0.71, 'from')
    await trim.add()
    expect([trim.canAdd, trim.parts.length]).toEqual([false, 100])
  })

  it('take back each change, a drag as one', async () => {
    const trim = trimOf()
    await markAt(trim, 0.43, 'from')
    trim.remember()
    await trim.move('to', 500)
    await trim.move('to', 400)
    // A press without a move is no change.
    trim.remember()
    await markAt(trim, 0.61, 'from')
    trim.rest = 'keep'
    trim.remove(1)
    trim.useWhole()
    const found: unknown[] = []
    while (trim.canUndo) {
      found.push([trim.range?.rest, all(trim)])
      trim.undo()
    }
    expect(found).toEqual([
      [undefined, [[0, 800]]],
      ['keep', [[220, 400]]],
      ['keep', [[220, 400], [400, 800]]],
      ['drop', [[220, 400], [400, 800]]],
      ['drop', [[220, 400]]],
      ['drop', [[220, 800]]],
    ]) // prettier-ignore
    expect(trim.isOpen).toBe(false)
    const again: unknown[] = []
    while (trim.canRedo) {
      trim.redo()
      again.push([trim.range?.rest, all(trim)])
    }
    expect(again).toEqual(found.toReversed())
    // What was done again is taken back step by step, too.
    trim.undo()
    expect([trim.range?.rest, all(trim)]).toEqual(found[1])
    trim.rest = 'drop'
    expect(trim.canRedo).toBe(false)
  })

  it('forget a change that is still being placed when it is taken back', async () => {
    const trim = two()
    trim.remember()
    const late = trim.move('to', 250, 0)
    trim.undo()
    await late
    expect(all(trim)).toEqual([[40, 100], [300, 400]]) // prettier-ignore
  })
})

it('plays all parts in order, from the playhead on, and again from the first', async () => {
  const frames: (() => void)[] = []
  vi.stubGlobal('requestAnimationFrame', (look: () => void) => frames.push(look))
  const parts = [{ fromMs: 40, toMs: 100 }, { fromMs: 300, toMs: 400 }] // prettier-ignore
  const noIndex = (): Promise<FrameTimes> => Promise.reject(new Error('no index'))
  const trim = new Trim({ ...clip(), fps: 50 }, 800, { parts, rest: 'keep' }, noIndex)
  await trim.frames.ready()
  const { playback } = trim
  const video = {
    currentTime: 0,
    paused: true,
    play: () => ((video.paused = playback.paused = false), Promise.resolve()),
    pause: () => (video.paused = playback.paused = true),
  }
  playback.video = video as unknown as HTMLVideoElement
  /** Plays a frame of 20 ms after the other, up to the end; the positions. */
  const play = async (): Promise<number[]> => {
    const shown: number[] = []
    await trim.togglePlay()
    playback.playing()
    for (let look = frames.shift(); look && !video.paused; look = frames.shift()) {
      shown.push(Math.round(video.currentTime * 1000))
      video.currentTime += 0.02
      look()
    }
    return shown
  }
  expect(await play()).toEqual([40, 60, 80, 300, 320, 340, 360, 380])
  // Between the parts, after the last one, and in one.
  trim.seek(200)
  expect((await play())[0]).toBe(300)
  expect((await play())[0]).toBe(40)
  trim.seek(320)
  expect((await play())[0]).toBe(320)
})

describe('the composer', () => {
  it('sends the part, asks how long it takes, and has it again in the next try', async () => {
    const main = new FakeMain({ confirmed: true })
    const { composer, intake } = new Studio(makeBridge(main.bridge))
    composer.start('this-computer', defaultOptions)
    await chooseBoth(intake)
    expect(composer.trim?.range).toBeNull()
    const range: Range = { parts: [{ fromMs: 1000, toMs: 2000 }], rest: 'keep' }
    await composer.prefill({ ...swap('1', 0), range }, ['face', 'video'])
    expect(composer.trim?.range).toEqual(range)
    expect(composer.estimateMs).toBe(2000)
    await composer.faces.confirm(composer.faces.list, true)
    await composer.submit()
    expect(main.asked('submit')).toMatchObject([{ range }])
    expect(composer.trim).toBeNull()
  })
})

describe('the bar', () => {
  async function shown(): Promise<Studio> {
    const { studio } = await startFilled({ confirmed: true })
    render(App, { studio })
    await screen.findByRole('textbox', { name: 'Title' })
    return studio
  }

  it('marks a part with I, but not while somebody types', async () => {
    const studio = await shown()
    expect(screen.queryByRole('button', { name: 'Use the whole video' })).toBeNull()
    await fireEvent.keyDown(screen.getByRole('textbox', { name: 'Title' }), { key: 'i' })
    expect(studio.composer.trim?.isOpen).toBe(false)
    await fireEvent.keyDown(document.body, { key: 'i' })
    const bar = await screen.findByRole('region', { name: 'Part of the video' })
    expect(within(bar).getAllByRole('slider').map((each) => each.getAttribute('aria-label'))).toEqual(['Start of the part', 'End of the part', 'Move the part']) // prettier-ignore
    await fireEvent.click(within(bar).getByRole('radio', { name: 'Save all, swap only here' }))
    await within(bar).findByText(/The rest is encoded again, without a swap/)
    expect(studio.composer.trim?.rest).toBe('keep')
    await fireEvent.click(within(bar).getByRole('radio', { name: 'Save only this part' }))
    expect(studio.composer.trim?.rest).toBe('drop')
    const button = within(bar).getByRole('button', { name: 'Use the whole video' })
    button.focus()
    await fireEvent.click(button)
    expect(studio.composer.trim?.isOpen).toBe(false)
    expect(screen.queryByRole('button', { name: 'Use the whole video' })).toBeNull()
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Start of the part')
    // The bar is still there: an arrow key on an end marks a part, too.
    await fireEvent.keyDown(within(bar).getByRole('slider', { name: 'End of the part' }), { key: 'ArrowLeft' })
    await within(bar).findByRole('button', { name: 'Use the whole video' })
    expect(studio.composer.trim?.range?.parts).toEqual([{ fromMs: 0, toMs: 5960 }])
    await fireEvent.keyDown(document.body, { key: 'z', ctrlKey: true })
    expect(studio.composer.trim?.range).toBeNull()
  })

  it('moves an end by keys, and keeps it after a typed time that is wrong', async () => {
    const { composer } = await shown()
    await fireEvent.keyDown(document.body, { key: 'i' })
    const bar = within(await screen.findByRole('region', { name: 'Part of the video' }))
    const start = bar.getByRole('slider', { name: 'Start of the part' })
    const is = (text: string) => vi.waitFor(() => expect(start.getAttribute('aria-valuetext')).toBe(text))
    await fireEvent.keyDown(start, { key: 'ArrowRight' })
    await is('0:00.04')
    await fireEvent.keyDown(start, { key: 'ArrowRight', shiftKey: true })
    await is('0:01.04')
    const field = bar.getByRole<HTMLInputElement>('textbox', { name: 'Start of the part' })
    await fireEvent.input(field, { target: { value: 'one' } })
    await fireEvent.keyDown(field, { key: 'Enter' })
    await bar.findByText('Type a time like 0:08.12.')
    expect(composer.trim?.part.fromMs).toBe(1040)
    await fireEvent.input(field, { target: { value: '2' } })
    await fireEvent.keyDown(field, { key: 'Enter' })
    await is('0:02.00')
    expect(screen.queryByText('Type a time like 0:08.12.')).toBeNull()
  })

  it('lists several parts, chooses and removes them by keys, and takes that back', async () => {
    const studio = await shown()
    const { trim } = studio.composer
    if (trim === null) throw new Error('the video can be trimmed')
    await trim.move('to', 1000)
    await fireEvent.keyDown(document.body, { key: 'a' })
    const bar = await screen.findByRole('region', { name: 'Parts of the video' })
    const names = within(bar).getAllByRole('slider').map((each) => each.getAttribute('aria-label')) // prettier-ignore
    expect(names).toEqual(['Part 1 starts', 'Part 1 ends', 'Move part 1', 'Part 2 starts', 'Part 2 ends', 'Move part 2']) // prettier-ignore
    const chips = within(within(bar).getByRole('list', { name: 'Parts' }))
    expect(chips.getByRole('button', { pressed: true }).textContent).toMatch(/^2/)
    within(bar).getByText(/The parts follow one another in the result/)
    await fireEvent.keyDown(document.body, { key: '[' })
    await within(bar).findByText('Part 1 of 2: 0:00.00 to 0:01.00')
    within(bar).getByRole('slider', { name: 'Part 2 ends' }).focus()
    await fireEvent.keyDown(within(bar).getByRole('slider', { name: 'Part 2 ends' }), { key: 'Delete' })
    await screen.findByRole('region', { name: 'Part of the video' })
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Start of the part')
    await fireEvent.keyDown(document.body, { key: 'z', ctrlKey: true })
    await screen.findByRole('region', { name: 'Parts of the video' })
  })
})
