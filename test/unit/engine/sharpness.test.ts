import { describe, expect, it } from 'vitest'
import { createPlanes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { asSharp, sharpnessOf, soften, softnessOf } from '../../../src/renderer/engine/render/sharpness.ts'
import { faceCrop, plane } from './face-crop.ts'
import { flat, points } from './flat-face.ts'

const side = 256
const box = { left: 0, top: 0, width: side, height: side }
const landmarks = flat(points)

/** Dark bars of eight pixels whose edges are ramps over so many pixels. */
const bars = (ramp: number): Uint8Array =>
  Uint8Array.from({ length: side * side }, (_, pixel) => {
    const edge = Math.abs(((pixel % side) % 32) - 15.5) - 8
    return 120 + 80 * Math.min(0.5, Math.max(-0.5, edge / ramp))
  })

function cropOf(under: Uint8Array): ReturnType<typeof faceCrop> {
  const frame = createPlanes(side, side)
  frame.y.set(under)
  return faceCrop(frame, box, 200)
}

/** As much of it in both pictures, or twice as much in the video. */
const grain = () => ({ own: 8, target: 8 })
const grainy = () => ({ own: 8, target: 16 })

const mask = (value: number): Uint8Array => new Uint8Array((side * side) / 4).fill(value)

it('the sharpness of a picture tells a step from a ramp, whatever the contrast', () => {
  expect(sharpnessOf(bars(1), side, side)).toBeCloseTo(0.5, 1)
  expect(sharpnessOf(bars(12), side, side)).toBeLessThan(0.3)
  const weak = bars(1).map((value) => 120 + (value - 120) / 4)
  expect(sharpnessOf(weak, side, side)).toBeCloseTo(sharpnessOf(bars(1), side, side), 2)
  expect(sharpnessOf(new Uint8Array(side * side), side, side)).toBe(0)
})

describe('a drawn face', () => {
  it('comes near to the sharpness of a soft video', () => {
    const soft = bars(5)
    const drawn = bars(1)
    const softness = softnessOf(cropOf(soft), drawn, landmarks, grain)
    expect(softness.share).toBeGreaterThan(0.3)
    soften(drawn, mask(252), box, softness)
    const [before, after, wanted] = [bars(1), drawn, soft].map((plane) => sharpnessOf(plane, side, side)) as Three
    expect(after).toBeLessThan(before - 0.5 * (before - wanted))
    expect(after).toBeGreaterThanOrEqual(wanted)
  })

  it('is blurred more in a very soft video', () => {
    const [some, much] = [3, 12].map((ramp) => softnessOf(cropOf(bars(ramp)), bars(1), landmarks, grain))
    expect([some?.radius, much?.radius]).toEqual([1, 2])
    const [by1, by2] = [1, 2].map((radius) => {
      const drawn = bars(1)
      soften(drawn, mask(252), box, { radius, share: much?.share ?? 0 })
      return sharpnessOf(drawn, side, side)
    }) as [number, number]
    expect(by2).toBeLessThan(by1)
  })

  it('is sharpened in a sharper video, as far as its skin has less grain', () => {
    const [sharp, drawn] = [bars(1), bars(3)]
    expect(softnessOf(cropOf(sharp), sharp, landmarks, grainy).share).toBeCloseTo(0)
    expect(softnessOf(cropOf(sharp), drawn, landmarks, grain).share).toBeCloseTo(0)
    const rougher = softnessOf(cropOf(sharp), drawn, landmarks, () => ({ own: 8, target: 10 }))
    expect(rougher).toEqual({ radius: 1, share: -0.25 })
    const softness = softnessOf(cropOf(sharp), drawn, landmarks, grainy)
    expect(softness).toEqual({ radius: 1, share: -0.5 })
    soften(drawn, mask(252), box, softness)
    const [before, after, wanted] = [bars(3), drawn, sharp].map((plane) => sharpnessOf(plane, side, side)) as Three
    expect(after).toBeGreaterThan(before + 0.01)
    expect(after).toBeLessThan(wanted)
  })

  it.each([
    [1, 0.8],
    [2, 0.8],
    [1, -0.5],
  ])('is mixed with what a box of radius %i leaves after two passes, by the mask, as told (%f)', (radius, share) => {
    const [width, height] = [50, 40]
    const noise = plane(width, height, (x, y) => (x * x * 7919 + y * 104729 + x * y * 31) % 256)
    const drawn = noise.slice()
    soften(drawn, plane(width / 2, height / 2, 126), { left: 0, top: 0, width, height }, { radius, share })
    const tent = (by: number): number => 2 * radius + 1 - Math.abs(by)
    for (let y = 4; y < height - 4; y += 1)
      for (let x = 4; x < width - 4; x += 1) {
        let sum = 0
        for (let dy = -2 * radius; dy <= 2 * radius; dy += 1)
          for (let dx = -2 * radius; dx <= 2 * radius; dx += 1)
            sum += tent(dx) * tent(dy) * (noise[(y + dy) * width + x + dx] ?? 0)
        const was = noise[y * width + x] ?? 0
        const mixed = was + (sum / (2 * radius + 1) ** 4 - was) * share * (126 / 255)
        const wanted = Math.min(255, Math.max(0, mixed))
        expect(Math.abs((drawn[y * width + x] ?? 0) - wanted)).toBeLessThan(1)
      }
  })

  it('changes neither where nothing is drawn nor at the border', () => {
    const [hidden, drawn] = [bars(1), bars(1)]
    soften(hidden, mask(0), box, { radius: 2, share: 1 })
    expect(hidden).toEqual(bars(1))
    const light = new Uint8Array(side * side).fill(200)
    soften(light, mask(252), box, { radius: 2, share: 1 })
    expect(light.every((value) => value === 200)).toBe(true)
    soften(drawn, mask(252), box, asSharp)
    expect(drawn).toEqual(bars(1))
  })
})

type Three = [number, number, number]
