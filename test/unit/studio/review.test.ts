import { beforeEach, describe, expect, it } from 'vitest'
import type { WeakKind, WeakPart } from '../../../src/shared/engine/engine.ts'
import { Review } from '../../../src/renderer/studio/state/task/review.svelte.ts'

const part = (kind: WeakKind, fromMs: number, toMs: number, face = 0): WeakPart => ({
  ...{ kind, face, fromMs, toMs },
  frames: (toMs - fromMs) / 40,
})
const parts = [part('lost', 6000, 6400), part('turned', 1000, 2000), part('turned', 4000, 4800, 1)]
const [lost, turned, later] = parts as [WeakPart, WeakPart, WeakPart]

/** Ten seconds of 25 frames a second, which begin at 0.5 s. */
class FakePlayer {
  readonly start = 0.5
  readonly duration = 10.5
  time = 0.5
  seek(time: number): void {
    this.time = time
  }
  /** With the tolerance of the real one. */
  frameAt(time: number): Promise<{ start: number; end: number }> {
    const frame = Math.max(0, Math.min(249, Math.floor((time - 0.5 + 0.002) * 25)))
    return Promise.resolve({ start: 0.5 + frame / 25, end: 0.5 + (frame + 1) / 25 })
  }
  get frame(): number {
    return Math.floor((this.time - 0.5 + 0.002) * 25)
  }
}

let player: FakePlayer
let review: Review
beforeEach(() => {
  player = new FakePlayer()
  review = new Review(player, parts)
})
/** Waits for the frames that were asked for. */
const settled = () => new Promise((resolve) => setTimeout(resolve))
const markAt = (time: number, end: 'from' | 'to'): Promise<void> => {
  player.seek(time)
  return review.mark(end)
}

describe('weak parts', () => {
  it('are in the order of time, and counted by kind', () => {
    expect(review.parts).toEqual([turned, later, lost])
    expect(review.counts).toEqual({ turned: 2, covered: 0, lost: 1, unsteady: 0, unsure: 0 })
  })

  it('are selected one after the other, around the ends', () => {
    const seen: (WeakPart | null | undefined)[] = []
    for (const step of ['next', 'next', 'next', 'next', 'previous', 'previous'] as const) {
      review[step]()
      seen.push(review.selected?.weak)
    }
    expect(seen).toEqual([turned, later, lost, turned, lost, later])
    expect(player.frame).toBe(100)
  })

  it('are looked for from the playhead', () => {
    player.seek(5)
    review.next()
    expect(review.selected).toEqual({ fromMs: 6000, toMs: 6400, weak: lost })
    expect(player.frame).toBe(150)
    review.close()
    expect(review.selected).toBeNull()
    player.seek(3)
    review.previous()
    expect(review.selected?.weak).toBe(turned)
  })

  it('are limited to a kind', () => {
    review.filter = 'turned'
    expect(review.shown).toEqual([turned, later])
    review.select(later)
    review.next()
    expect(review.selected?.weak).toBe(turned)
    review.filter = 'covered'
    review.next()
    expect(review.selected?.weak).toBe(turned)
  })
})

describe('the ends of the selected part', () => {
  it('go to the nearest frame, which is shown', async () => {
    review.select(turned)
    review.setStart(1115)
    expect(review.selected?.fromMs).toBe(1115)
    await settled()
    expect(review.selected).toEqual({ fromMs: 1120, toMs: 2000, weak: turned })
    expect(player.frame).toBe(28)
    review.setEnd(1905)
    await settled()
    expect(review.selected?.toMs).toBe(1920)
    expect(player.frame).toBe(47)
  })

  it('select any range', async () => {
    await markAt(2.51, 'from')
    expect(review.selected).toEqual({ fromMs: 2000, toMs: 10_000, weak: null })
    await markAt(3.51, 'to')
    // With the frame on the screen.
    expect(review.selected).toEqual({ fromMs: 2000, toMs: 3040, weak: null })
    review.close()
    await review.mark('to')
    expect(review.selected).toEqual({ fromMs: 0, toMs: 3040, weak: null })
  })

  it('move by frames, and stay in the result', async () => {
    review.select(lost)
    await review.step('from', -1)
    expect(review.selected?.fromMs).toBe(5960)
    await review.step('to', 1)
    expect(review.selected?.toMs).toBe(6440)
    await review.step('to', -1)
    expect(review.selected).toEqual({ fromMs: 5960, toMs: 6400, weak: lost })
    review.setEnd(99_999)
    review.setStart(-5)
    await settled()
    expect(review.selected).toEqual({ fromMs: 0, toMs: 10_000, weak: lost })
  })

  it('stop a frame from each other when they are moved', async () => {
    review.select(turned)
    review.setStart(2500)
    await settled()
    expect(review.selected).toEqual({ fromMs: 1960, toMs: 2000, weak: turned })
    review.setEnd(800)
    await settled()
    expect(review.selected).toEqual({ fromMs: 1960, toMs: 2000, weak: turned })
  })

  it('stop a frame from each other when they move by frames', async () => {
    review.select({ ...turned, toMs: 1040 })
    await review.step('from', 1)
    await review.step('to', -1)
    expect(review.selected).toMatchObject({ fromMs: 1000, toMs: 1040 })
  })

  it('give way at the playhead, and then it is no weak part any more', async () => {
    review.select(turned)
    await markAt(3.5, 'from')
    expect(review.selected).toEqual({ fromMs: 3000, toMs: 10_000, weak: null })
    await markAt(1, 'to')
    expect(review.selected).toEqual({ fromMs: 0, toMs: 520, weak: null })
  })

  it('are those of the last change, whichever frame is found first', async () => {
    review.setStart(1000)
    review.select(later)
    await settled()
    expect(review.selected).toEqual({ fromMs: 4000, toMs: 4800, weak: later })
    review.setStart(4200)
    review.close()
    await settled()
    expect(review.selected).toBeNull()
  })
})
