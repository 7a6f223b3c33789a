import { expect, it } from 'vitest'
import { zoomAfter } from '../../../../../src/main/app/window/zoom.ts'

it.each([
  [1, 'in', 1.1],
  [1, 'out', 0.9],
  [1.25, 'reset', 1],
  [2, 'in', 2],
  [0.5, 'out', 0.5],
  [1.03, 'in', 1.1],
] as const)('%d, %s: %d', (zoom, key, expected) => expect(zoomAfter(zoom, key)).toBe(expected))
