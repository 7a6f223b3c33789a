import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closeBatch } from '../../../src/renderer/engine/litert/flatbuffer.ts'
import { readTaskBundle } from '../../../src/renderer/engine/litert/task-bundle.ts'

const bundle = readFileSync(resolve('resources/models/face_landmarker.task'))
const files = readTaskBundle(new Uint8Array(bundle))

describe('the model bundle', () => {
  it('holds its models uncompressed', () => {
    expect([...files].map(([name, bytes]) => [name, bytes.length])).toEqual([
      ['face_detector.tflite', 229_746],
      ['face_landmarks_detector.tflite', 2_553_590],
      ['geometry_pipeline_metadata_landmarks.binarypb', 19_376],
      ['face_blendshapes.tflite', 955_312],
    ])
  })

  it('is told from other bytes', () => {
    expect(() => readTaskBundle(new Uint8Array(100))).toThrow('not a zip')
  })
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

  it('refuses what is no model', () => {
    expect(() => closeBatch(new Uint8Array(64).fill(255))).toThrow(RangeError)
  })
})
