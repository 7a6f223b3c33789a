import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closeBatch } from '../../../src/renderer/engine/litert/flatbuffer.ts'
import { widen } from '../../../src/renderer/engine/litert/half-floats.ts'
import { readTaskBundle } from '../../../src/renderer/engine/litert/task-bundle.ts'

const bundle = readFileSync(resolve('resources/models/face_landmarker.task'))
const files = readTaskBundle(new Uint8Array(bundle))

it('the model bundle is told from other bytes', () => {
  expect(() => readTaskBundle(new Uint8Array(100))).toThrow('not a zip')
})

describe('closing the batch of a model', () => {
  it('finds each open dimension once, and touches nothing else', () => {
    const model = files.get('face_landmarks_detector.tflite')?.slice() ?? new Uint8Array()
    const before = model.slice()
    expect(closeBatch(model)).toBe(221)
    const changed = [...model.keys()].filter((at) => model[at] !== before[at])
    // −1 is four bytes of 255; 1 is one byte of 1 and three of 0.
    expect(changed).toHaveLength(221 * 4)
    expect(changed.every((at) => before[at] === 255)).toBe(true)
    expect(closeBatch(model)).toBe(0)
  })

  it('leaves a closed model as it is', () => {
    const model = files.get('face_detector.tflite')?.slice() ?? new Uint8Array()
    expect(closeBatch(model)).toBe(0)
  })

  it('refuses what is no model', () => expect(() => closeBatch(new Uint8Array(64).fill(255))).toThrow(RangeError))
})

it('weights of 16 bits become 32 bits in their places', () => {
  const floats = (...values: number[]): number[] => [...new Uint8Array(Float32Array.from(values).buffer)]
  const halves = [...new Uint8Array(Float16Array.from([1.5, -2, 0.25]).buffer)]
  const head = [...new Uint8Array(Uint32Array.from([2, 4, 2, 16, 1]).buffer)]
  const file = Uint8Array.from([...head, ...halves, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect([...widen(file)]).toEqual([1, 2, 3, 4, ...floats(1.5, -2), 5, 6, 7, 8, ...floats(0.25), 9])
})

it('weights of 16 bits make the segmenter a model again', () => {
  const model = widen(new Uint8Array(readFileSync(resolve('resources/models/selfie_multiclass_128x128.f16'))))
  expect([model.length, new TextDecoder().decode(model.subarray(4, 8))]).toEqual([16_371_837, 'TFL3'])
  expect(closeBatch(model)).toBe(0)
})
