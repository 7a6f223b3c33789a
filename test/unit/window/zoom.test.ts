import { expect, it } from 'vitest'
import { zoomAfter, zoomKey } from '../../../src/main/window/zoom.ts'

const none = { key: '', control: false, meta: false, alt: false }

it.each([
  ['Ctrl +', { key: '+', control: true }, false, 'in'],
  ['Ctrl =', { key: '=', control: true }, false, 'in'],
  ['Ctrl −', { key: '-', control: true }, false, 'out'],
  ['Ctrl 0', { key: '0', control: true }, false, 'reset'],
  ['⌘ + on a Mac', { key: '+', meta: true }, true, 'in'],
  ['Ctrl + on a Mac', { key: '+', control: true }, true, null],
  ['+ alone', { key: '+' }, false, null],
  ['Ctrl Alt 0', { key: '0', control: true, alt: true }, false, null],
  ['Ctrl L', { key: 'l', control: true }, false, null],
] as const)('%s', (_keys, input, mac, expected) => {
  expect(zoomKey({ ...none, ...input }, mac)).toBe(expected)
})

it.each([
  [1, 'in', 1.1],
  [1, 'out', 0.9],
  [1.25, 'reset', 1],
  [2, 'in', 2],
  [0.5, 'out', 0.5],
  [1.03, 'in', 1.1],
] as const)('%d, %s: %d', (zoom, key, expected) => {
  expect(zoomAfter(zoom, key)).toBe(expected)
})
