import { defaultOptions, type SwapOptions } from '@shared/options/swap-options.ts'
import { describe, expect, it } from 'vitest'
import { segmentSide } from '../../../src/renderer/engine/face/region.ts'
import { identity } from '../../../src/renderer/engine/common/affine.ts'
import { createPlanes, type Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import {
  anchorsOf,
  coverOver,
  keepOcclusion,
  projectOcclusions,
  type OcclusionMap,
} from '../../../src/renderer/engine/occlusion/occlusion-map.ts'
import { OcclusionTracker, type OcclusionState } from '../../../src/renderer/engine/occlusion/occlusion-tracker.ts'
import { otherFaces } from '../../../src/renderer/engine/occlusion/other-faces.ts'
import { restoreSkin } from '../../../src/renderer/engine/occlusion/restore-skin.ts'
import { changedSpots, skinPattern, towards } from '../../../src/renderer/engine/face/skin-pattern.ts'
import { Caller } from '../../../src/renderer/engine/common/rpc.ts'
import { isCut, thumbnailOf } from '../../../src/renderer/engine/track/frame-window.ts'
import { frameOf, plane, segmentMap } from './face-crop.ts'
import { flat } from './flat-face.ts'
import { portTo } from './port-to.ts'

/** A face of spread points, `size` wide, about (x, y): x, y, z of all 478. */
function faceAt(x: number, y: number, size = 100, turn = 0): Float32Array {
  const points = new Float32Array(478 * 3)
  for (let index = 0; index < 478; index += 1) {
    const radius = (Math.sqrt(index / 478) * size) / 2
    const angle = index * 2.4 + turn
    points.set([x + radius * Math.cos(angle), y + radius * Math.sin(angle), 0], index * 3)
  }
  return points
}

/** A map whose right half is covered, of a face about the middle of a frame as large as the map. */
const rightHalf = segmentMap((x) => x >= 64)
const mapAt = (index: number, shot = 0, share: Uint8Array | null = rightHalf): OcclusionMap => ({
  index,
  shot,
  share,
  toMap: identity,
  covered: 0,
  hasGlasses: false,
  anchors: anchorsOf(flat(faceAt(64, 64))),
})
const on = { index: 6, shot: 0, reach: 4 }
const here = flat(faceAt(64, 64))

describe('what is in front', () => {
  const half = { left: 0, top: 0, width: 64, height: 64 }
  /** @param isDark where the picture shows what is in front */
  const draw = (
    occlusions: ReturnType<typeof projectOcclusions>,
    isDark: (x: number, y: number) => boolean,
  ): Uint8Array => {
    const mask = new Uint8Array(64 * 64).fill(253)
    const luma = plane(128, 128, (x, y) => (isDark(x, y) ? 60 : 150))
    keepOcclusion(coverOver(occlusions, half, mask, luma), mask)
    return mask
  }

  it('loses its mask and its say about skin; the rest keeps both', () => {
    const mask = draw(projectOcclusions({ before: mapAt(6), after: null }, on, here), (x) => x >= 64)
    const row = [...mask.subarray(20 * 64, 21 * 64)]
    expect(row.slice(0, 31)).toEqual(Array.from({ length: 31 }, () => 253))
    expect(row.slice(33)).toEqual(Array.from({ length: 31 }, () => 0))
  })

  it('ends where the picture says if it is glasses, not where its coarse map does', () => {
    const close = flat(faceAt(64, 64, 400))
    const glasses = projectOcclusions({ before: { ...mapAt(6), hasGlasses: true }, after: null }, on, close)
    const mask = draw(glasses, (x) => x >= 68)
    // By the map alone, all ends at the 32nd pixel.
    const row = mask.subarray(20 * 64, 21 * 64)
    expect(row.subarray(0, 34).every((weight) => weight >= 100)).toBe(true)
    expect(row.subarray(34).every((weight) => weight === 0)).toBe(true)
  })

  it('is carried along when the face moves, grows and turns', () => {
    const moved = projectOcclusions({ before: mapAt(2), after: null }, on, flat(faceAt(84, 70, 100)))
    const mask = draw(moved, (x) => x >= 84)
    expect([mask[30 * 64 + 40], mask[30 * 64 + 44]]).toEqual([253, 0])
    const down = projectOcclusions({ before: mapAt(2), after: null }, on, flat(faceAt(64, 64, 50, Math.PI / 2)))
    const turned = draw(down, (_, y) => y >= 64)
    // A quarter turn takes the covered right half down.
    expect([turned[20 * 64 + 32], turned[44 * 64 + 32]]).toEqual([253, 0])
  })

  it('gives way to the next map over the frames that lead up to it', () => {
    const weights = [4, 5, 6, 7].map((index) =>
      projectOcclusions({ before: mapAt(0), after: mapAt(8) }, { ...on, index }, here).map(({ weight }) => weight),
    )
    expect(weights).toEqual([[1], [0.75, 0.25], [0.5, 0.5], [0.25, 0.75]])
  })

  it('is of one shot only, and nothing when nothing covers', () => {
    expect(projectOcclusions({ before: mapAt(0, 1), after: mapAt(8, 2) }, on, here)).toEqual([])
    expect(projectOcclusions({ before: mapAt(0, 1), after: mapAt(8) }, on, here)).toMatchObject([{ weight: 1 }])
    expect(projectOcclusions({ before: mapAt(0, 0, null), after: null }, on, here)).toEqual([])
  })
})

describe('skin that shows between fingers', () => {
  const side = segmentSide
  const points = flat(faceAt(64, 64, 130))
  /** A frame with a face, below the middle of which something with gaps is. @param gap whether a column is one */
  const lookAt = (gap: (column: number) => boolean, hand: readonly [number, number, number]): Uint8Array => {
    const frame = createPlanes(side, side)
    const painted = (scale: number, skin: number, other: number): Uint8Array =>
      plane(side / scale, side / scale, (column, row) => {
        const [x, y] = [column * scale, row * scale]
        return y >= 64 && !gap(x) ? other : skin + ((x + y) % 8)
      })
    frame.y.set(painted(1, 150, hand[0]))
    frame.u.set(painted(2, 112, hand[1]))
    frame.v.set(painted(2, 148, hand[2]))
    const share = segmentMap((_, y) => y >= 64)
    restoreSkin(share, identity, frame, points)
    return share.slice(side * 80, side * 81)
  }
  const betweenFingers = (column: number): boolean => column % 24 < 8

  it('is the face, and the fingers stay in front', () => {
    const row = lookAt(betweenFingers, [90, 100, 170])
    const seen = (gap: boolean): number[] =>
      [...row.subarray(36, 92)].filter((_, at) => betweenFingers(at + 36) === gap)
    expect(Math.max(...seen(true))).toBeLessThan(64)
    expect(Math.min(...seen(false))).toBe(255)
  })

  it('cannot be told from a hand of the same colour, which stays in front', () => {
    expect(new Set(lookAt(betweenFingers, [146, 114, 150]))).toEqual(new Set([255]))
    const shadowed = lookAt((column) => column % 24 < 15, [90, 100, 170])
    expect(Math.min(...shadowed)).toBeGreaterThan(220)
  })

  it('is no wide stretch: that is the hand which holds the other thing', () => {
    const row = lookAt((column) => column >= 80, [40, 128, 128])
    expect(row[108]).toBe(255)
  })
})

describe('a face beside the one that is swapped', () => {
  const own = flat(faceAt(44, 64, 70))
  const at = (x: number, y: number): number => y * segmentSide + x
  /** Covered but for two faces, and what `but` says. */
  const around = (but: (x: number, y: number) => number | null): Uint8Array =>
    plane(segmentSide, segmentSide, (x, y) => {
      const shows = Math.hypot(x - 44, y - 64) < 35 || Math.hypot(x - 102, y - 64) < 21
      return but(x, y) ?? (shows ? 0 : 255)
    })

  const othersIn = (but: Parameters<typeof around>[0]): number[] => otherFaces(around(but), identity, own)

  it('is somebody else in front, down to the line between them', () => {
    const others = othersIn((x) => (x === 80 ? 90 : null))
    const found = [44, 70, 81, 90, 102].filter((x) => others.includes(at(x, 64)))
    expect(found).toEqual([81, 90, 102])
  })

  it('cannot be told from it where nothing lies between', () => {
    expect(othersIn((x, y) => (y === 64 && x > 75 && x < 85 ? 0 : null))).toEqual([])
  })

  it('is not a part of it that something in front cuts off', () => {
    const others = othersIn((x) => (x > 40 && x < 50 ? 255 : null))
    for (const x of [20, 36, 55, 70]) expect(others.includes(at(x, 64)), `at ${x}`).toBe(false)
  })
})

describe('the pattern of a face', () => {
  /** Of a face at a place of a frame. */
  const patternOf = (paint: (x: number, y: number) => number, x = 120, y = 120): Float32Array =>
    skinPattern(frameOf(240, 240, paint), flat(faceAt(x, y, 160)))
  const skin = (x: number, y: number): number => 120 + 30 * Math.sin(x / 25) * Math.cos(y / 30)
  const then = patternOf(skin)

  it('is the same in more or less light', () => {
    const brighter = patternOf((x, y) => skin(x, y) * 1.25 + 8)
    expect(changedSpots(then, brighter)).toEqual({ changed: 0, compared: then.length })
  })

  it('is compared only where both are in the picture', () => {
    const leaving = patternOf((x, y) => skin(x + 120, y), 0)
    const { changed, compared } = changedSpots(then, leaving)
    expect(compared).toBeGreaterThan(then.length / 4)
    expect(compared).toBeLessThan(then.length * 0.7)
    expect(changed).toBe(0)
    expect(changedSpots(towards(leaving, then, 0.5), then)).toEqual({ changed: 0, compared: then.length })
  })

  it('is altogether another for another face', () => {
    const other = patternOf((x, y) => 110 + 40 * Math.cos(x / 11) * Math.sin(y / 14))
    expect(changedSpots(then, other).changed).toBeGreaterThan(then.length * 0.45)
    expect(changedSpots(then, other, true).changed).toBeGreaterThan(then.length * 0.45)
  })

  it('is the same where the face has moved', () => {
    const moved = patternOf((x, y) => skin(x - 12, y + 7), 132, 113)
    expect(changedSpots(then, moved).changed).toBe(0)
  })

  it('is what it was beside something that covers a good part of it', () => {
    // A head that passes: darker, and with no pattern of its own.
    const covered = patternOf((x, y) => (x > 140 ? 40 : skin(x, y)))
    const behind = patternOf((x) => (x > 140 ? 0 : 255)).filter((value) => value < 250).length
    expect(behind).toBeGreaterThan(then.length * 0.25)
    expect(changedSpots(then, covered, true).changed).toBeLessThan(behind + 4)
  })

  it('is another under something small', () => {
    const finger = patternOf((x, y) => skin(x, y) - (Math.abs(x - 150) < 9 && y > 110 ? 45 : 0))
    expect(changedSpots(then, finger).changed).toBeGreaterThan(7)
  })
})

describe('looking for what is in front', () => {
  /** @param covered rows from below that are no face @param line a column that is none */
  const watch = (
    covered: () => number,
    line = -1,
    keep: SwapOptions['keep'] = defaultOptions.keep,
  ): { front: OcclusionTracker; asked: () => number } => {
    let asked = 0
    const port = portTo({
      segment: async () => {
        asked += 1
        const isFace = (x: number, y: number): boolean => y < segmentSide - covered() && x !== line
        // What covers the face is a thing, unless it is a line.
        return { face: segmentMap(isFace), things: segmentMap((x, y) => !isFace(x, y) && line < 0) }
      },
    })
    const front = new OcclusionTracker({
      analyst: new Caller(port),
      view: identity,
      color: { matrix: 'bt709', full: false },
      keep,
    })
    return { front, asked: () => asked }
  }
  const darkBelow = (row: number): Planes => frameOf(240, 240, (_, y) => (y >= row ? 60 : 120))
  const [grey, hand, scarf] = [darkBelow(240), darkBelow(150), darkBelow(100)]
  const face = faceAt(120, 120, 160)

  it('happens at the start of a shot, after four seconds, then once in eight while nothing changes', async () => {
    const { front, asked } = watch(() => 0)
    const looked: number[] = []
    for (let index = 0; index < 520; index += 2) if (await front.update(grey, face, index, 0)) looked.push(index)
    expect(looked).toEqual([0, 100, 300, 500])
    expect(await front.update(grey, face, 520, 1)).toMatchObject({ index: 520, shot: 1, share: null })
    expect(asked()).toBe(5)
  })

  it('happens at once when something comes before the face', async () => {
    const { front } = watch(() => 50)
    expect(await front.update(grey, face, 0, 0)).not.toBeNull()
    const map = await front.update(hand, face, 2, 0)
    expect(map?.share?.at(-1)).toBe(255)
    expect(map?.share?.at(0)).toBe(0)
    expect(await front.update(hand, face, 4, 0)).toBeNull()
  })

  it('sees what moves fast, and asks about frames in between without a change of state', async () => {
    let covered = 0
    const { front } = watch(() => covered)
    await front.update(grey, face, 0, 0)
    expect(front.movesFast).toBe(false)
    covered = 50
    await front.update(hand, face, 4, 0)
    expect(front.movesFast).toBe(true)
    const state = front.state
    expect((await front.mapBefore(hand, face, 3, 0)).index).toBe(3)
    expect(front.state).toBe(state)
    await front.update(hand, face, 8, 0)
    expect(front.movesFast).toBe(false)
  })

  it('paints over glasses if they are not kept, and over nothing else', async () => {
    const shares = await Promise.all(
      [defaultOptions.keep, ['hair' as const]].map(async (keep) => {
        // Everything below the brows is covered, by something that doesn't look like skin.
        const map = await watch(() => 74, -1, keep).front.update(scarf, face, 0, 0)
        return map?.share ?? new Uint8Array()
      }),
    )
    const [kept = new Uint8Array(), painted = new Uint8Array()] = shares
    const opened = [...kept.keys()].filter((cell) => kept[cell] === 255 && painted[cell] === 0)
    expect(opened.length).toBeGreaterThan(500)
    expect(opened.length).toBeLessThan(kept.length / 3)
    expect([kept.at(-1), painted.at(-1)]).toEqual([255, 255])
  })

  it('keeps glasses that are only suspected on what looks like skin, if they are to be kept', async () => {
    const segment = async () => ({
      face: plane(segmentSide, segmentSide, 220),
      things: plane(segmentSide, segmentSide, 90),
    })
    const shares = await Promise.all(
      [defaultOptions.keep, ['hair' as const]].map(async (keep) => {
        const color = { matrix: 'bt709', full: false } as const
        const front = new OcclusionTracker({ analyst: new Caller(portTo({ segment })), view: identity, color, keep })
        const map = await front.update(grey, face, 0, 0)
        // Glasses neither make a swap weak, nor do they come and go.
        expect([map?.covered, front.state?.rest, map?.hasGlasses]).toEqual([0, 'clear', keep.includes('glasses')])
        return map?.share ?? null
      }),
    )
    expect(shares[0]?.filter((share) => share === 255).length).toBeGreaterThan(500)
    expect(shares[1]).toBeNull()
  })

  it('sees somebody else behind a line', async () => {
    const { front } = watch(() => 50, 116)
    const map = await front.update(hand, face, 0, 0)
    expect(map?.share?.at(segmentSide * 10 + 122)).toBe(255)
    expect(map?.share?.at(segmentSide * 10 + 64)).toBe(0)
  })

  it('does not believe that a face which was found is covered altogether', async () => {
    const { front } = watch(() => segmentSide)
    expect(await front.update(grey, face, 0, 0)).toMatchObject({ share: null })
  })

  it('waits for more each time that a face has only moved', async () => {
    const { front } = watch(() => 0)
    const looked: number[] = []
    // The same spots change more and more, then nothing for a while.
    for (let index = 0; index < 40; index += 2) {
      if (await front.update(darkBelow(190 - (index % 8) * 4), face, index, 0)) looked.push(index)
    }
    expect(looked.length).toBeGreaterThan(2)
    expect(looked.length).toBeLessThan(12)
    expect(looked.filter((index) => index >= 20).length).toBeLessThan(looked.filter((index) => index < 20).length)
  })

  it('goes on from what was known', async () => {
    const first = watch(() => 50)
    await first.front.update(hand, face, 0, 0)
    const state: OcclusionState | null = first.front.state
    expect(state?.rest).toBe('covered')
    const second = watch(() => 50)
    second.front.restore(state)
    expect(await second.front.update(hand, face, 22, 0)).toBeNull()
    expect(await second.front.update(hand, face, 24, 0)).not.toBeNull()
  })

  it('happens often while what is in front moves', async () => {
    let rows = 30
    const { front } = watch(() => rows)
    await front.update(hand, face, 0, 0)
    rows = 60
    const moving = darkBelow(120)
    expect(await front.update(moving, face, 2, 0)).not.toBeNull()
    expect(front.state?.rest).toBe('moving')
    expect(await front.update(moving, face, 10, 0)).not.toBeNull()
  })
})

describe('a cut', () => {
  const picture = (luma: (x: number, y: number) => number): Uint8Array => thumbnailOf(frameOf(96, 56, luma))
  const scene = (x: number, y: number): number => 110 + 60 * Math.sin(x / 9) * Math.cos(y / 7)
  const isCutTo = (luma: Parameters<typeof picture>[0]): boolean => isCut(picture(scene), picture(luma))

  it('is told from a pan, a flash and a fade', () => {
    expect(isCutTo((x, y) => scene(x + 3, y))).toBe(false)
    expect(isCutTo((x, y) => Math.min(255, scene(x, y) * 1.4 + 20))).toBe(false)
    expect(isCutTo((x, y) => scene(x, y) * 0.7)).toBe(false)
  })

  it('is seen', () => {
    expect(isCutTo((x, y) => 90 + 70 * Math.cos(x / 14 + 1) * Math.sin(y / 5))).toBe(true)
    expect(isCutTo(() => 16)).toBe(true)
  })
})
