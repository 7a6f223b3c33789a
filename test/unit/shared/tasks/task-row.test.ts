import { expect, it } from 'vitest'
import { rowOf } from '@shared/tasks/task-row.ts'
import { makeTask, video } from '../../../fixtures/tasks.ts'

it.each([
  [[[100, 200]], 0.2],
  [[[100, 200], [600, 200]], 0.45], // prettier-ignore
  [[], 0.5],
  [[[-50, 20]], 0],
])('faces at %j of a thousand pixels have their middle at %d', (boxes, focusX) => {
  const faces = boxes.map(([x = 0, width = 0]) => ({ oval: [], points: [], box: { x, y: 0, width, height: 9 } }))
  expect(rowOf(makeTask({ video: { ...video, width: 1000, faces } }), 1).focusX).toBe(focusX)
})
