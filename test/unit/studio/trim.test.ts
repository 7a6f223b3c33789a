import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { defaultOptions } from '@shared/default-options.ts'
import { formatPartLength } from '@shared/i18n/format.ts'
import type { Range } from '@shared/people.ts'
import { describe, expect, it, vi } from 'vitest'
import App from '../../../src/renderer/studio/App.svelte'
import { makeBridge } from '../../../src/renderer/studio/bridge.ts'
import { readTime } from '../../../src/shared/part-time.ts'
import { Composer } from '../../../src/renderer/studio/state/composer.svelte.ts'
import { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { Trim, type FrameTimes } from '../../../src/renderer/studio/state/trim.svelte.ts'
import { FakeMain } from '../../fixtures/fake-bridge.ts'
import { clip, swap } from '../../fixtures/fake-tasks.ts'

vi.stubGlobal('matchMedia', () => ({ matches: false }))

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
  ])('%j is %s ms', (text, ms) => {
    expect(readTime(text)).toBe(ms)
  })
})

it.each([
  [80, '0.08 s'],
  [13_080, '13.1 s'],
  [42_000, '42 s'],
  [73_000, '1:13'],
])('a part of %i ms is %s long', (ms, text) => {
  expect(formatPartLength(ms)).toBe(text)
})

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
const ends = ({ fromMs, toMs }: Trim): [number, number] => [fromMs, toMs]

describe('a part', () => {
  it('is the whole video at first, which is no range', () => {
    const trim = trimOf()
    expect([trim.isOpen, trim.range, ends(trim)]).toEqual([false, null, [0, 800]])
  })

  it('begins and ends with the frame on the screen, counted from the first frame', async () => {
    const trim = trimOf()
    trim.playback.seek(0.43)
    await trim.mark('from')
    expect(ends(trim)).toEqual([220, 800])
    trim.playback.seek(0.61)
    await trim.mark('to')
    expect(ends(trim)).toEqual([220, 440])
    expect(trim.range).toEqual({ parts: [{ fromMs: 220, toMs: 440 }], rest: 'drop' })
  })

  it('gives way at its other end when an end is set beyond', async () => {
    const trim = trimOf({ parts: [{ fromMs: 220, toMs: 440 }], rest: 'drop' })
    trim.playback.seek(0.71)
    await trim.mark('from')
    expect(ends(trim)).toEqual([500, 800])
    trim.playback.seek(0.25)
    await trim.mark('to')
    expect(ends(trim)).toEqual([0, 100])
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
      found.push(trim.fromMs)
    }
    await trim.step('to', -1)
    expect([...found, trim.toMs]).toEqual([40, 100, 220, 240, 600])
    await trim.step('to', 1)
    expect(trim.toMs).toBe(800)
  })

  it.each([
    ['from', 'x', 'format'],
    ['from', '0.44', 'order'],
    ['to', '0.1', 'order'],
    ['to', '2', 'outside'],
    ['to', '0.3', null],
  ] as const)('whose %s is typed as %j answers %s', async (end, text, problem) => {
    const trim = trimOf({ parts: [{ fromMs: 220, toMs: 440 }], rest: 'drop' })
    expect(await trim.type(end, text)).toBe(problem)
    expect(ends(trim)).toEqual(problem === null ? [220, 300] : [220, 440])
  })

  it('of several pieces keeps their inner ends', async () => {
    const parts = [{ fromMs: 0, toMs: 100 }, { fromMs: 240, toMs: 500 }] // prettier-ignore
    const trim = trimOf({ parts, rest: 'keep' })
    await trim.move('to', 440)
    expect(trim.range).toEqual({ parts: [parts[0], { fromMs: 240, toMs: 440 }], rest: 'keep' })
    expect(trim.lengthMs).toBe(300)
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
    expect(trim.fromMs).toBe(300)
  })

  it('counts evenly in a file whose frames are not known', async () => {
    const trim = new Trim({ ...clip(), fps: 10 }, durationMs, null, () => Promise.reject(new Error('unreadable')))
    await trim.move('from', 320)
    await trim.step('from', 1)
    expect(ends(trim)).toEqual([400, 800])
  })
})

describe('the composer', () => {
  it('sends the part, asks how long it takes, and has it again in the next try', async () => {
    const main = new FakeMain({ confirmed: true })
    const composer = new Composer(makeBridge(main.bridge), () => true)
    composer.start('this-computer', defaultOptions)
    await composer.chooseFace()
    await composer.chooseVideo()
    expect(composer.trim?.range).toBeNull()
    const range: Range = { parts: [{ fromMs: 1000, toMs: 2000 }], rest: 'keep' }
    await composer.prefill({ ...swap('1', 0), range }, ['face', 'video'])
    expect(composer.trim?.range).toEqual(range)
    expect(composer.estimateMs).toBe(2000)
    await composer.confirm(true)
    await composer.submit()
    expect(main.calls.find(({ method }) => method === 'submit')?.argument).toMatchObject({ range })
    expect(composer.trim).toBeNull()
  })
})

describe('the bar', () => {
  async function shown(): Promise<Studio> {
    const main = new FakeMain({ confirmed: true })
    const studio = new Studio(makeBridge(main.bridge))
    await studio.start()
    await studio.composer.chooseFace()
    await studio.composer.chooseVideo()
    render(App, { studio })
    await screen.findByRole('textbox', { name: 'Title' })
    return studio
  }

  it('appears with I, but not while somebody types', async () => {
    const studio = await shown()
    await fireEvent.keyDown(screen.getByRole('textbox', { name: 'Title' }), { key: 'i' })
    expect(studio.composer.trim?.isOpen).toBe(false)
    await fireEvent.keyDown(document.body, { key: 'i' })
    const bar = await screen.findByRole('region', { name: 'Part of the video' })
    expect(within(bar).getAllByRole('slider').map((each) => each.getAttribute('aria-label'))).toEqual(['Start of the part', 'End of the part']) // prettier-ignore
    await fireEvent.click(within(bar).getByRole('radio', { name: 'Save all, swap only here' }))
    await within(bar).findByText(/The rest is encoded again, without a swap/)
    await fireEvent.click(within(bar).getByRole('button', { name: 'Use the whole video' }))
    expect(screen.queryByRole('region', { name: 'Part of the video' })).toBeNull()
  })
})
