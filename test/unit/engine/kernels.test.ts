import { expect, it } from 'vitest'
import { keep, kernels, Room } from '../../../src/renderer/engine/kernels/kernels.ts'

it('the memory of the kernels holds what is kept, whatever later rooms write', () => {
  const [texture, other] = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)]
  keep(texture)
  keep(other)
  const at = new Room().copy(texture)
  const room = new Room()
  expect(room.copy(texture)).toBe(at)
  room.bytes(room.copy(new Uint8Array(100)), 100).fill(9)
  expect([...room.bytes(at, 3)]).toEqual([1, 2, 3])
  expect([...room.bytes(room.copy(other), 2)]).toEqual([4, 5])
})

it('the memory of the kernels drops what is kept when it is too much, and takes it again', () => {
  const textures = Array.from({ length: 80 }, (_, at) => new Uint8Array(1 << 20).fill(at))
  for (const texture of textures) keep(texture)
  expect(kernels.memory.buffer.byteLength).toBeLessThan(40 << 20)
  const [first, last] = [textures[0], textures[79]] as [Uint8Array, Uint8Array]
  keep(first)
  const room = new Room()
  for (const texture of [first, last]) {
    const at = room.copy(texture)
    expect(room.bytes(at, 1 << 20)).toEqual(texture)
  }
})

it('the memory of the kernels grows for large rooms, and takes up the memory of earlier ones again', () => {
  const first = new Room().take(1 << 20)
  const { byteLength } = kernels.memory.buffer
  expect(byteLength).toBeGreaterThan(first + (1 << 20))
  expect(new Room().take(1 << 20)).toBe(first)
  expect(kernels.memory.buffer.byteLength).toBe(byteLength)
})
