import { expect, it } from 'vitest'
import { chooseViews, peopleOfViews, type View } from '../../../src/renderer/engine/people/views.ts'

const anna = Float32Array.of(1, 0, 0)
const ben = Float32Array.of(0, 1, 0)

const view = (time: number, other: Partial<View> = {}): View => ({
  ...{ time, vector: anna, width: 300 },
  ...{ yaw: 0, pitch: 0, mouth: 0, eyes: 0.3, sharp: 1 },
  ...other,
})
const times = (views: readonly View[]): number[] => views.map(({ time }) => time)

it('tells people apart, also where they resemble each other on one frame; who fills most of the video is first', () => {
  const nearAnna = Float32Array.of(0.9, 0.4, 0)
  const views = [
    view(0, { width: 100 }),
    view(0, { vector: nearAnna }),
    view(1, { vector: ben }),
    view(1, { width: 90 }),
  ]
  expect(peopleOfViews(views).map(times)).toEqual([
    [0, 1],
    [0, 1],
  ])
  expect(peopleOfViews(views)[0]?.map(({ width }) => width)).toEqual([300, 300])
})

it('leaves out who only passes by', () => {
  const most = Array.from({ length: 11 }, (_, time) => view(time))
  expect(peopleOfViews([...most, view(3.5, { vector: ben }), view(4.5, { vector: ben })])).toHaveLength(1)
  expect(peopleOfViews([...most.slice(2), view(3.5, { vector: ben }), view(4.5, { vector: ben })])).toHaveLength(2)
})

it('takes the best view first: large, sharp, straight, with open eyes and a calm mouth', () => {
  const worse: Partial<View>[] = [
    { width: 120 },
    { sharp: 0.5 },
    { yaw: 25 },
    { pitch: -25 },
    { eyes: 0.1 },
    { mouth: 0.1 },
  ]
  for (const [at, flaw] of worse.entries())
    expect([at, times(chooseViews([view(0, flaw), view(1)], 1))]).toEqual([at, [1]])
})

it('takes the one of equally good views in which the person looks most like themselves', () => {
  const person = [view(0, { vector: Float32Array.of(0.8, 0, 0.6) }), view(1), view(2)]
  expect(times(chooseViews(person, 1))).toEqual([1])
})

it('adds views from other sides, and no others', () => {
  const person = [
    ...[view(0), view(1, { yaw: 5 }), view(2, { yaw: 30 }), view(3, { yaw: -20 }), view(4, { mouth: 0.08 })],
    ...[view(5, { yaw: -20, sharp: 0.2 }), view(6, { pitch: 14, eyes: 0.1 }), view(7, { yaw: 31 })],
  ]
  expect(times(chooseViews(person, 10)).toSorted()).toEqual([0, 2, 3])
  expect(times(chooseViews(person, 2))).toHaveLength(2)
  expect(chooseViews([], 3)).toEqual([])
})
