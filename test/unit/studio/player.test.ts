import { beforeEach, expect, it, vi } from 'vitest'
import { Player } from '../../../src/renderer/studio/state/task/player.svelte.ts'

/** Ends when the files can be read. */
let readable = Promise.withResolvers<null>()
vi.mock('../../../src/renderer/studio/media/frame-reader.ts', () => ({
  openFrames: async () => {
    await readable.promise
    return {
      ...{ duration: 6, hasSound: false, ended: true, times: [], frame: () => null },
      frameTime: (time: number) => Promise.resolve(Math.floor(time * 25) / 25),
      neighbour: (time: number, direction: number) => Promise.resolve(time + direction / 25),
      ...{ seek: () => undefined, dropBefore: () => undefined, close: () => undefined },
    }
  },
}))

const options = { before: 'media://item/a', after: 'media://item/b', duration: 6 }
beforeEach(() => {
  readable = Promise.withResolvers()
})

it('another version shows the picture of the one before until it is open', () => {
  const [old, next] = [document.createElement('canvas'), document.createElement('canvas')]
  Object.assign(old, { width: 12, height: 8 })
  const drawImage = vi.fn()
  vi.spyOn(next, 'getContext').mockReturnValue({ drawImage } as unknown as RenderingContext)
  const first = new Player(options)
  first.after(old)
  new Player({ ...options, pictures: first.pictures }).after(next)
  expect([next.width, next.height, drawImage.mock.calls]).toEqual([12, 8, [[old, 0, 0]]])
})

it('knows the frame at a time once the video is open, not before', async () => {
  const player = new Player(options)
  void player.open()
  const frame = player.frameAt(2)
  readable.resolve(null)
  expect(await frame).toEqual({ start: 2, end: 2.04 })
  player.dispose()
})

it('plays from the start when it is at the end, and goes on from everywhere else', () => {
  const player = new Player({ ...options, time: 2 })
  player.play()
  expect(player.time).toBe(2)
  player.pause()
  player.seek(6)
  player.play()
  expect(player.time).toBe(0)
  player.part = { from: 1, to: 3 }
  player.seek(4)
  player.play()
  expect(player.time).toBe(1)
  player.dispose()
})
