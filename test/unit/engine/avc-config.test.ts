import { describe, expect, it } from 'vitest'
import { bytesOf, parameterSets, sameBytes } from '../../../src/renderer/engine/media/encode/avc-config.ts'

/** A record of these parameter sets, whose NAL units have prefixes of so many bytes. */
const record = (prefix: number, sps: number[][], pps: number[][]): Uint8Array<ArrayBuffer> => {
  const listed = (units: number[][]): number[] =>
    units.flatMap((unit) => [unit.length >> 8, unit.length & 0xff, ...unit])
  // The bits before the counts and the prefix are reserved: all ones.
  const head = [1, 0x42, 0, 0x1f, 0xfc | (prefix - 1)]
  return Uint8Array.from([...head, 0xe0 | sps.length, ...listed(sps), pps.length, ...listed(pps)])
}

describe('parameter sets of a record', () => {
  it.each([
    [1, [2, 0x67, 9, 2, 0x68, 8]],
    [2, [0, 2, 0x67, 9, 0, 2, 0x68, 8]],
    [4, [0, 0, 0, 2, 0x67, 9, 0, 0, 0, 2, 0x68, 8]],
  ])('have prefixes of %i bytes, as the record asks for', (prefix, expected) => {
    expect([...parameterSets(record(prefix, [[0x67, 9]], [[0x68, 8]]))]).toEqual(expected)
  })

  it('are all there, long ones too, the sequence’s before the pictures’', () => {
    const long = Array.from({ length: 300 }, (_, at) => at % 251)
    const sets = parameterSets(record(4, [long, [0x67]], [[0x68], [0x68, 1], [0x68, 2]]))
    const expected = [
      ...[0, 0, 1, 44, ...long],
      ...[0, 0, 0, 1, 0x67],
      ...[0, 0, 0, 1, 0x68],
      ...[0, 0, 0, 2, 0x68, 1],
      ...[0, 0, 0, 2, 0x68, 2],
    ]
    expect([...sets]).toEqual(expected)
  })

  it('end before what a profile adds to the record', () => {
    const high = Uint8Array.from([...record(1, [[0x67]], [[0x68]]), 0xfd, 0xf8, 0xf8, 0])
    expect([...parameterSets(high)]).toEqual([1, 0x67, 1, 0x68])
  })

  it('are none without a record', () => expect(parameterSets(undefined)).toHaveLength(0))
})

it('two records are the same by their bytes, whatever holds them', () => {
  const wide = Uint8Array.of(9, 1, 2, 3, 9)
  expect(sameBytes(wide.subarray(1, 4), Uint8Array.of(1, 2, 3).buffer)).toBe(true)
  expect(sameBytes(new DataView(wide.buffer, 1, 3), Uint8Array.of(1, 2, 3))).toBe(true)
  expect(sameBytes(Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2))).toBe(false)
  expect(sameBytes(Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 4))).toBe(false)
  expect(sameBytes(undefined, Uint8Array.of(0))).toBe(false)
  expect(sameBytes(undefined, undefined)).toBe(true)
})

it('two records are copied, so that what becomes of their memory does not matter', () => {
  const memory = Uint8Array.of(1, 2)
  const copy = bytesOf(memory)
  memory[0] = 7
  expect([...copy]).toEqual([1, 2])
})
