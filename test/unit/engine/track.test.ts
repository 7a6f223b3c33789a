import { describe, expect, it } from 'vitest'
import { FrameWindow, type WindowFrame } from '../../../src/renderer/engine/track/frame-window.ts'
import { minFrames, renderInOrder } from '../../../src/renderer/engine/jobs/frames/frame-renderer.ts'
import { identity } from '../../../src/renderer/engine/common/affine.ts'
import type { Points } from '../../../src/renderer/engine/face/landmarks.ts'
import type { Region } from '../../../src/renderer/engine/face/region.ts'
import type { OcclusionState } from '../../../src/renderer/engine/occlusion/occlusion-tracker.ts'
import { follow, pixelsBefore, type FollowState } from '../../../src/renderer/engine/track/follow.ts'
import { eyeOpenness, isJump, needsBetween } from '../../../src/renderer/engine/track/shape-change.ts'
import { smoothed } from '../../../src/renderer/engine/track/smoothing.ts'
import {
  between,
  opacityAt,
  opacityAtYaw,
  type FrameAt,
  type Sample,
  type TrackFrame,
} from '../../../src/renderer/engine/track/track.ts'
import { faceAt } from './face-at.ts'

const framesOf = (points: (Points | null)[], shotOf = (_: number): number => 0): FrameAt => {
  const frames: TrackFrame[] = points.map((one, index) => ({ points: one, shot: shotOf(index), cut: false }))
  return (index) => frames[index] ?? null
}

const xOf = (points: Points | null, index = 1): number => points?.[index * 3] ?? Number.NaN

describe('smoothing', () => {
  it('keeps a steady motion as it is, without lag', () => {
    const at = framesOf(Array.from({ length: 20 }, (_, index) => faceAt(index * 3)))
    for (const index of [0, 1, 2, 9, 18, 19]) {
      expect(xOf(smoothed(at, index), 152)).toBeCloseTo(index * 3, 3)
      expect(xOf(smoothed(at, index), 159)).toBeCloseTo(index * 3 - 20, 3)
    }
  })

  it('calms a face that trembles', () => {
    const at = framesOf(Array.from({ length: 20 }, (_, index) => faceAt(index % 2 === 0 ? 0.3 : -0.3)))
    expect(Math.abs(xOf(smoothed(at, 10), 152))).toBeLessThan(0.03)
  })

  it.each([
    ['a lid', 159],
    ['the corner of an eye', 33],
    ['an iris', 468],
    ['a lip', 13],
  ])('calms %s that trembles', (_, point) => {
    const trembling = (index: number): Points => {
      const points = faceAt(0)
      points[point * 3] = xOf(points, point) + (index % 2 === 0 ? 0.3 : -0.3)
      return points
    }
    const at = framesOf(Array.from({ length: 20 }, (_, index) => trembling(index)))
    expect(Math.abs(xOf(smoothed(at, 10), point) - xOf(faceAt(0), point))).toBeLessThan(0.1)
  })

  it('does not flatten a head that turns back', () => {
    const x = (index: number): number => 30 * Math.cos((2 * Math.PI * index) / 24)
    const at = framesOf(Array.from({ length: 49 }, (_, index) => faceAt(x(index))))
    for (const index of [12, 18, 24]) expect(Math.abs(xOf(smoothed(at, index), 152) - x(index))).toBeLessThan(1.2)
  })

  it.each([[[10]], [[10, 11]]])('keeps the lids shut on frames %j', (shut) => {
    const at = framesOf(Array.from({ length: 24 }, (_, index) => faceAt(0, shut.includes(index) ? 0 : 1)))
    const open = eyeOpenness(faceAt(0), 'right')
    expect(eyeOpenness(smoothed(at, 10) ?? faceAt(0), 'right')).toBeLessThan(open * 0.45)
    expect(eyeOpenness(smoothed(at, 18) ?? faceAt(0, 0), 'right')).toBeGreaterThan(open * 0.97)
  })

  it('mixes nothing across a cut', () => {
    const points = Array.from({ length: 20 }, (_, index) => faceAt(index < 10 ? 0 : 500))
    const at = framesOf(points, (index) => (index < 10 ? 1 : 2))
    expect(xOf(smoothed(at, 9), 152)).toBeCloseTo(0, 4)
    expect(xOf(smoothed(at, 10), 152)).toBeCloseTo(500, 3)
  })

  it('has nothing to say about a frame without a face', () => {
    expect(smoothed(framesOf([faceAt(0), null, faceAt(0)]), 1)).toBeNull()
  })
})

describe('between two samples', () => {
  const looksAt = (
    indexes: number[],
    x: (index: number) => number,
    shotOf = (_: number): number => 0,
  ): (Sample | null)[] =>
    indexes.map((index) => (index < 0 ? null : { index, points: faceAt(x(index)), shot: shotOf(index), cut: false }))
  const square = (index: number): number => index * index
  const xBetween = (samples: (Sample | null)[], index: number): number => xOf(between(samples, index), 152)

  it.each([
    [[1, 3, 5, 7], 4],
    [[0, 3, 6, 9], 4],
    [[0, 3, 6, 9], 5],
    [[2, 3, 6, 8], 5],
  ])('follows a curve when it has four: %j', (indexes, index) => {
    expect(xBetween(looksAt(indexes, square), index)).toBeCloseTo(index * index, 3)
  })

  it('follows a line when it has two', () => {
    expect(xBetween(looksAt([-1, 3, 6, 9], square), 4)).toBeCloseTo(18, 3)
    const acrossCut = looksAt([0, 3, 6, 9], square, (index) => (index > 6 ? 1 : 0))
    expect(xBetween(acrossCut, 5)).toBeCloseTo(27, 3)
  })

  it('is nothing across a cut or beside a frame without a face', () => {
    const [far, before, after, beyond] = looksAt([0, 2, 4, 6], square)
    expect(between([far, before && { ...before, shot: 1 }, after, beyond], 3)).toBeNull()
    expect(between([far, before, after && { ...after, points: null }, beyond], 3)).toBeNull()
  })
})

it.each([
  ['a still face', faceAt(0), false, false],
  ['a small move', faceAt(3), false, false],
  ['a blink', faceAt(0, 0), true, false],
  ['a quick move', faceAt(15), true, false],
  ['another place', faceAt(120), true, true],
])('a change of a face is judged: %s', (_, after, analyse, jump) => {
  expect([needsBetween(faceAt(0), after), isJump(faceAt(0), after)]).toEqual([analyse, jump])
})

it('the fade with yaw is none ahead, all in profile, and the same to both sides', () => {
  expect([0, 30, 60, -60].map(opacityAtYaw)).toEqual([1, 1, 0, 0])
  expect(opacityAtYaw(45)).toBeCloseTo(opacityAtYaw(-45), 9)
  expect(opacityAtYaw(45)).toBeGreaterThan(opacityAtYaw(50))
})

describe('coming and going', () => {
  const fadeOf = (points: (Points | null)[], cutAt = -1): number[] => {
    const at: FrameAt = (index) => {
      const one = points[index]
      return one === undefined ? null : { points: one, shot: 0, cut: index === cutAt }
    }
    return points.map((one, index) => (one ? opacityAt(at, index, one) : 0))
  }
  const face = faceAt(0)
  const seen = (from: number, to: number): (Points | null)[] =>
    Array.from({ length: 30 }, (_, index) => (index >= from && index < to ? face : null))

  it('is by and by where a face enters and leaves', () => {
    const fade = fadeOf(seen(8, 22))
    expect(fade.slice(12, 18)).toEqual([1, 1, 1, 1, 1, 1])
    for (let index = 7; index < 23; index += 1)
      expect(Math.abs((fade[index + 1] ?? 0) - (fade[index] ?? 0))).toBeLessThan(0.25)
  })

  it('is at once at a cut, and at the ends of the video', () => {
    expect(fadeOf(seen(8, 30), 8).slice(7, 30)).toEqual([0, ...Array.from({ length: 22 }, () => 1)])
    expect(fadeOf(seen(0, 12), 12).slice(0, 13)).toEqual([...Array.from({ length: 12 }, () => 1), 0])
  })
})

describe('following', () => {
  /** Runs `follow` over a video whose face is `faceOn(frame)`, painting as the renderer would. */
  async function run(
    count: number,
    faceOn: (index: number) => Points | null,
    {
      from = null as FollowState | null,
      lightOn = (_: number): number => 60,
      /** Whether the picture is the other way round: another scene. */
      turnedOn = (_: number): boolean => false,
      /** Whether the face is only found by who knows where it is. */
      hiddenOn = (_: number): boolean => false,
      /** Part of the swap's plan. */
      partOn = (_: number): number | null => 0,
      /** Whether what is in front moves fast there. */
      fastOn = (_: number): boolean => false,
      atOnce = 2,
      held = minFrames(atOnce),
    } = {},
  ) {
    const first = from ? from.index - pixelsBefore : 0
    const frames = new FrameWindow(160, 160, held, first, 1)
    const [track] = frames.tracks
    if (!track) throw new Error('the window has one track')
    // Nobody here waits for anything but the others: whoever still waits when it is the event loop's turn waits for ever.
    setImmediate(() => frames.stop())
    const seen: number[] = []
    /** Where it looked because of another frame. */
    const hints: { index: number; x: number }[] = []
    /** Which frames it began to look at early, and the frame it was on. */
    const ahead: { from: number; index: number }[] = []
    /** How many frames it had looked at when it forgot where the face was. */
    const forgotten: number[] = []
    const states: FollowState[] = []
    const state = { region: null, seenAt: null, searches: 0, lost: 0, ahead: null, known: null }
    const tracker = {
      find: async ({ index }: { index: number }, hint: Region | null = null) => {
        seen.push(index)
        if (hint) hints.push({ index, x: hint.x })
        return hiddenOn(index) && !hint ? null : faceOn(index)
      },
      forget: () => void forgotten.push(seen.length),
      prefetch: ({ index }: { index: number }) => void ahead.push({ from: seen.at(-1) ?? 0, index }),
      restore: () => undefined,
      state,
    }
    const tracks: TrackFrame[] = []
    const occlusions: (number | null)[][] = []
    const decode = async (): Promise<void> => {
      for (let index = first; index < count; index += 1) {
        const room = await frames.room()
        room.planes.y.forEach((_, at, y) => {
          const column = at % 160
          y[at] = lightOn(index) + (turnedOn(index) ? 160 - column : column) / 2
        })
        frames.push({ ...room, timestamp: index / 25, duration: 0.04, damaged: false, part: partOn(index) })
      }
      frames.finish()
    }
    const render = async (frame: WindowFrame): Promise<{ frame: WindowFrame }> => {
      const { before, after } = track.occlusionsAround(frame.index, 4)
      occlusions.push([before?.index ?? null, after?.index ?? null])
      tracks.push(track.trackAt(frame.index) ?? { points: null, shot: -1, cut: false })
      return { frame }
    }
    const finish = async (): Promise<void> => undefined
    const painting = renderInOrder({ frames, start: from?.index ?? 0, atOnce, render, finish })
    const onSample = (_: number, stateNow: () => FollowState): void => void states.push(stateNow())
    // Something is in front on every sixth frame; what was last said is all that is remembered.
    let front: OcclusionState | null = null
    const mapOn = (index: number, shot: number) => ({
      ...{ index, shot },
      ...{ anchors: new Float32Array(2), toMap: identity, share: null, covered: 0, hasGlasses: false },
    })
    const watch = {
      update: async (_: unknown, __: Points, index: number, shot: number) => {
        if (index % 6 !== 0 && front?.map.shot === shot) return null
        const map = mapOn(index, shot)
        front = { map, pattern: new Float32Array(1), covered: new Uint8Array(1), rest: 'clear' as const, spots: 7 }
        return map
      },
      get movesFast() {
        return front !== null && fastOn(front.map.index)
      },
      mapBefore: async (_: unknown, __: Points, index: number, shot: number) => mapOn(index, shot),
      restore: (known: OcclusionState | null) => {
        front = known
      },
      get state() {
        return front
      },
    }
    const view = { ...identity, c: 80, f: 80 }
    const { signal } = new AbortController()
    const following = follow({ frames, track, tracker, front: watch, view, signal, from, onSample })
    await Promise.all([decode(), following, painting])
    return { seen, hints, ahead, forgotten, tracks, states, occlusions }
  }

  it.each([1, 2, 3, 4, 5, 20, 21, 60])('gives every one of %i frames its points', async (count) => {
    const { tracks } = await run(count, (index) => faceAt(index))
    expect(tracks).toHaveLength(count)
    tracks.forEach(({ points }, index) => expect(xOf(points, 152)).toBeCloseTo(index, 3))
  })

  it('looks at every fourth frame while nothing happens, and at the last', async () => {
    const { seen } = await run(42, (index) => faceAt(index))
    expect(seen).toEqual([0, 2, 4, ...Array.from({ length: 9 }, (_, index) => 8 + index * 4), 41])
  })

  it('looks at every second frame while the head turns', async () => {
    const turning = (index: number): Points => {
      const points = faceAt(0)
      // The near side of the outline comes to the front, the far one goes back.
      points[234 * 3 + 2] = index
      points[454 * 3 + 2] = -index
      return points
    }
    const { seen } = await run(21, turning)
    expect(seen).toEqual(Array.from({ length: 11 }, (_, index) => index * 2))
  })

  it('looks at the frames around a blink one by one', async () => {
    const { seen, tracks } = await run(40, (index) => faceAt(0, index === 23 || index === 24 ? 0 : 1))
    expect(seen).toEqual(expect.arrayContaining([21, 22, 23, 24, 25]))
    const open = [22, 23, 24, 25].filter((index) => eyeOpenness(tracks[index]?.points ?? faceAt(0, 0), 'left') > 0)
    expect(open).toEqual([22, 25])
  })

  it('sees a blink of one frame between two samples by the light of the eyes', async () => {
    const shut = 21
    const faceOn = (index: number): Points => faceAt(0, index === shut ? 0 : 1)
    const blind = await run(40, faceOn)
    expect(blind.seen).not.toContain(shut)
    const { seen, tracks } = await run(40, faceOn, { lightOn: (index) => (index === shut ? 100 : 60) })
    expect(seen).toContain(shut)
    expect(eyeOpenness(tracks[shut]?.points ?? faceAt(0), 'left')).toBe(0)
    expect(seen.length).toBeLessThan(blind.seen.length + 4)
  })

  it('takes no light that changes evenly for a blink', async () => {
    const { seen } = await run(42, (index) => faceAt(index), { lightOn: (index) => 30 + index * 3 })
    expect(seen).toHaveLength(13)
  })

  it.each([17, 18, 19, 20])('begins anew at a cut on frame %i of 21', async (cut) => {
    const after = (index: number): boolean => index >= cut
    const { tracks, hints, ahead, forgotten, seen } = await run(21, (index) => faceAt(after(index) ? 30 : 0), {
      lightOn: (index) => (after(index) ? 20 : 100),
      turnedOn: after,
    })
    expect(tracks.map(({ points }) => xOf(points, 152))).toEqual(
      Array.from({ length: 21 }, (_, index) => (after(index) ? 30 : 0)),
    )
    expect(tracks[cut]?.shot).not.toBe(tracks[cut - 1]?.shot)
    // Where the face was before the cut says nothing of where it is after.
    for (const { index, x } of hints) expect(x > 15).toBe(after(index))
    for (const { from, index } of ahead) expect(after(from)).toBe(after(index))
    expect(forgotten).toHaveLength(1)
    expect(after(seen[forgotten[0] ?? 0] ?? 0)).toBe(true)
  })

  it.each([
    ['one frame', '0000000-00000'],
    ['one frame at any place', '---0----------0-------------0------'],
    ['parts one after the other', '-0123444455556'],
    ['a part in the middle', '----------00000000000000000000000-----'],
  ])('looks at frames of the parts alone, and begins and ends at once: %s', async (_what, parts) => {
    const partOn = (index: number): number | null => (parts[index] === '-' ? null : Number(parts[index]))
    const { tracks, seen, states } = await run(parts.length, (index) => faceAt(index), { partOn })
    expect(tracks.map(({ points }, index) => (points ? parts[index] : '-')).join('')).toBe(parts)
    expect(seen.every((index) => partOn(index) !== null)).toBe(true)
    const starts = tracks.flatMap((_, index) => (index > 0 && parts[index] !== parts[index - 1] ? [index] : []))
    expect(tracks.flatMap(({ cut }, index) => (cut ? [index] : []))).toEqual(starts)
    for (const from of states.slice(1)) {
      const resumed = await run(parts.length, (index) => faceAt(index), { partOn, from })
      expect(resumed.tracks).toEqual(tracks.slice(from.index))
    }
  })

  it('finds the frame where a face comes and goes, and starts a new shot', async () => {
    const { tracks } = await run(40, (index) => (index >= 11 && index < 30 ? faceAt(0) : null))
    expect(tracks.map(({ points }) => (points ? 1 : 0)).join('')).toBe('0'.repeat(11) + '1'.repeat(19) + '0'.repeat(10))
    expect(tracks[31]?.shot).not.toBe(tracks[29]?.shot)
  })

  it('finds a face where it had looked in vain, once it knows where it is', async () => {
    const { tracks } = await run(20, () => faceAt(0), { hiddenOn: (index) => index === 0 || index === 10 })
    expect(tracks.every(({ points }) => points !== null)).toBe(true)
    expect(tracks[0]?.shot).toBe(tracks[3]?.shot)
  })

  it('notes what is in front on each frame while it moves fast', async () => {
    const { occlusions } = await run(40, (index) => faceAt(index), { fastOn: (index) => index === 24 })
    expect(occlusions.slice(19, 27).map(([before]) => before)).toEqual([12, 12, 21, 22, 23, 24, 24, 24])
  })

  it('goes on from any of its states as if it had never stopped', async () => {
    // Blinks, a loss, another face's jump: everything that makes it look at frames in between.
    const faceOn = (index: number): Points | null =>
      index > 17 && index < 24 ? null : faceAt(index > 33 ? index + 400 : index, index % 13 < 2 ? 0 : 1)
    const lightOn = (index: number): number => (index % 7 === 3 ? 100 : 60)
    const hiddenOn = (index: number): boolean => index % 11 === 2
    const scene = { lightOn, hiddenOn, fastOn: (index: number) => index % 24 === 0 }
    const whole = await run(70, faceOn, scene)
    for (const state of whole.states) {
      const rest = await run(70, faceOn, { ...scene, from: state })
      const expected = whole.tracks.slice(state.index)
      expect(rest.tracks.map(({ shot }) => shot)).toEqual(expected.map(({ shot }) => shot))
      rest.tracks.forEach(({ points }, index) => expect(points).toEqual(expected[index]?.points))
      expect(rest.occlusions).toEqual(whole.occlusions.slice(state.index))
    }
  })

  it.each([1, 2, 3])('never stands still in the least window, with %i frames at the renderWorkers', async (atOnce) => {
    const faceOn = (index: number): Points => faceAt(index)
    const { states, tracks } = await run(60, faceOn, { atOnce })
    expect(tracks).toHaveLength(60)
    for (const from of states) {
      const rest = await run(60, faceOn, { from, atOnce })
      expect(rest.tracks).toHaveLength(60 - from.index)
    }
  })

  it('stands still in a window of one frame less', async () => {
    const faceOn = (index: number): Points => faceAt(index)
    const { states } = await run(60, faceOn)
    const from = states.find(({ stride }) => stride === pixelsBefore) ?? null
    await expect(run(60, faceOn, { from, held: minFrames(2) - 1 })).rejects.toThrow('stopped')
  })
})
