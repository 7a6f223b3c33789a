import { expect, it } from 'vitest'
import { PartFrames, type VideoFrames } from '../../../src/renderer/studio/media/part-frames.ts'

/** A video from 0.1 s on, with frames of two lengths; four of them are decoded ahead. */
const all = Array.from({ length: 40 }, (_, index) => 0.1 + index * 0.05 + (index % 2) * 0.01)
class Frames implements VideoFrames {
  readonly duration = 2.1
  readonly hasSound = true
  at = 0
  get times(): number[] {
    return all.slice(this.at, this.at + 4)
  }
  get ended(): boolean {
    return this.at + 4 >= all.length
  }
  frame = (): null => null
  close = (): void => undefined
  dropBefore(index: number): void {
    this.at += index
  }
  seek(time: number): void {
    this.at = Math.max(
      0,
      all.findLastIndex((each) => each <= time + 0.002),
    )
  }
  frameTime = (time: number): Promise<number> =>
    Promise.resolve(all.findLast((each) => each <= time + 0.002) ?? all[0] ?? 0)
  neighbour = (time: number, direction: 1 | -1): Promise<number> =>
    Promise.resolve(
      (direction > 0 ? all.find((each) => each > time + 0.002) : all.findLast((each) => each < time - 0.002)) ?? time,
    )
}

/** From frame 4 to 9, and from 20 to the end; the first one begins between two frames. */
const parts = [{ fromMs: 190, toMs: 460 }, { fromMs: 1000, toMs: 9000 }] // prettier-ignore
const shown = async (): Promise<{ frames: Frames; made: PartFrames }> => {
  const frames = new Frames()
  return { frames, made: await PartFrames.open(frames, parts) }
}
const inFile = (frame: number): number => all[frame] ?? 0
const length = inFile(9) - inFile(4)

it('has the parts’ frames alone, from zero on', async () => {
  const { made } = await shown()
  made.seek(0)
  expect(made.times.map((time) => time.toFixed(3))).toEqual(['0.000', '0.060', '0.100', '0.160'])
  expect(made.ended).toBe(false)
  made.seek(inFile(8) - inFile(4))
  expect(made.times).toHaveLength(1)
  // What follows in the file is of no part.
  expect(made.ended).toBe(true)
  expect(made.duration).toBeCloseTo(length + 2.1 - inFile(20), 6)
})

it('goes on with the next part', async () => {
  const { frames, made } = await shown()
  made.seek(0)
  made.follow(length - 0.02)
  expect(frames.at).toBe(4)
  made.follow(length)
  expect(frames.at).toBe(20)
  expect(made.times[0]).toBeCloseTo(length, 6)
})

it('steps over what is between two parts', async () => {
  const { made } = await shown()
  expect(await made.neighbour(inFile(8) - inFile(4), 1)).toBeCloseTo(length, 6)
  expect(await made.neighbour(length, -1)).toBeCloseTo(inFile(8) - inFile(4), 6)
  expect(await made.neighbour(0, -1)).toBe(0)
  expect(await made.frameTime(0.07)).toBeCloseTo(0.06, 6)
})
