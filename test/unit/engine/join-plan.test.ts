import { expect, it } from 'vitest'
import { planJoin, type TimedPacket } from '../../../src/renderer/engine/media/range/join-plan.ts'

/** Packets by their letter, k for a key frame, and the time in tenths of a second at which each is shown. */
const packets = (text: string): TimedPacket[] =>
  text.split(' ').map((word) => ({ timestamp: Number(word.slice(1)) / 10, duration: 0.1, isKey: word.startsWith('k') }))
const tenths = (frames: { timestamp: number }[]): number[] => frames.map(({ timestamp }) => Math.round(timestamp * 10))

it.each<[string, string, [fromMs: number, toMs: number], object]>([
  [
    'up to the next key frame',
    'k0 d1 d2 d3 k4 d5 d6',
    [100, 300],
    { before: 1, nextKey: 0.4, head: [], part: [1, 2], tail: [3] },
  ],
  ['to the end', 'k0 d1 d2 d3', [200, 300], { before: 2, nextKey: null, head: [], part: [2], tail: [3] }],
  ['whole groups', 'k0 d1 k2 d3 k4 d5', [200, 400], { before: 2, nextKey: 0.4, head: [], part: [2, 3], tail: [] }],
  [
    'from an earlier frame on, if frames are reordered',
    'k0 d3 d1 d2 k4 d7 d5 d6 k8',
    [600, 700],
    { before: 5, nextKey: 0.8, head: [5], part: [6], tail: [7] },
  ],
  [
    'from a frame before which all others are shown',
    'k0 d2 d1 d4 d3 k5',
    [300, 500],
    { before: 3, nextKey: 0.5, head: [], part: [3, 4], tail: [] },
  ],
  [
    'past a key frame before which others are shown',
    'k0 d1 d2 k5 d3 d4 d6 k7 d8',
    [200, 300],
    { before: 2, nextKey: 0.7, head: [], part: [2], tail: [3, 4, 5, 6] },
  ],
  [
    'with times from the first frame on',
    'k10 d11 d12 k13',
    [100, 200],
    { before: 1, nextKey: 1.3, head: [], part: [11], tail: [12] },
  ],
])('what is replaced: %s', (_what, text, [fromMs, toMs], expected) => {
  const { head, part, tail, ...plan } = planJoin(packets(text), { fromMs, toMs })
  expect({ ...plan, head: tenths(head), part: tenths(part), tail: tenths(tail) }).toMatchObject(expected)
})

it('what is replaced is nothing without a frame', () => {
  expect(() => planJoin(packets('k0 d1'), { fromMs: 10, toMs: 90 })).toThrow('range-invalid')
})
