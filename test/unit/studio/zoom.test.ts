import fc from 'fast-check'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextZoom, wheelFactor } from '../../../src/renderer/studio/logic/pictures/zoom.ts'
import { nextSpeed } from '../../../src/renderer/studio/state/task/player.svelte.ts'
import type { Studio } from '../../../src/renderer/studio/state/studio.svelte.ts'
import { CompareView } from '../../../src/renderer/studio/state/task/compare-view.svelte.ts'
import { Zoom } from '../../../src/renderer/studio/state/task/zoom.svelte.ts'
import { startStudio } from './open-studio.ts'

/** A picture of 1600 × 900 in a view of 800 × 600. */
function zoomed(ratio = 1): Zoom {
  const zoom = new Zoom({ width: 1600, height: 900 })
  zoom.measure({ width: 800, height: 600 }, ratio)
  return zoom
}
/** The place of the picture, in its pixels, at a point of what is shown. */
const pixelAt = ({ box }: Zoom, x: number, y: number, width = 1600): { x: number; y: number } => ({
  x: ((x - box.picture.x) / box.picture.width) * width,
  y: ((y - box.picture.y) / box.picture.width) * width,
})

describe('the zoom', () => {
  it('shows the whole picture at first, at every size of the view', () => {
    const zoom = zoomed()
    expect(zoom.value).toBe(0.5)
    expect(zoom.box).toEqual({ width: 800, height: 450, picture: { x: 0, y: 0, width: 800, height: 450 } })
    zoom.measure({ width: 400, height: 600 }, 1)
    expect(zoom).toMatchObject({ value: 0.25, isFit: true, isCut: false })
  })

  it('counts pixels of the screen', () => {
    const zoom = zoomed(2)
    expect(zoom.value).toBe(1)
    zoom.zoomTo(4)
    expect(zoom.box.picture.width).toBe(3200)
  })

  it('keeps what is under the pointer where it is', () => {
    const zoom = zoomed()
    const before = pixelAt(zoom, 300, 200)
    for (const value of [0.8, 2, 8]) {
      // Above and below the picture was room.
      const { height } = zoom.box
      zoom.zoomTo(value, { x: 300, y: 200 + (height - 450) / 2 })
      const after = pixelAt(zoom, 300, 200 + (zoom.box.height - 450) / 2)
      expect(after.x).toBeCloseTo(before.x, -0.5)
      expect(after.y).toBeCloseTo(before.y, -0.5)
    }
  })

  it('goes through its steps, and from the largest not further', () => {
    const zoom = zoomed()
    const seen = Array.from({ length: 8 }, () => {
      zoom.step(1)
      return zoom.value
    })
    expect(seen).toEqual([0.75, 1, 1.5, 2, 3, 4, 6, 8])
    zoom.step(1)
    expect(zoom.value).toBe(8)
    for (let step = 0; step < 12; step += 1) zoom.step(-1)
    expect(zoom).toMatchObject({ value: 0.5, isFit: true })
  })

  it('has a smallest and a largest step also for small pictures', () => {
    expect(nextZoom(12, -1, 1, 12)).toBe(8)
    expect(nextZoom(8, 1, 1, 12)).toBe(12)
    expect(nextZoom(1, -1, 1, 12)).toBe(1)
  })

  it('goes from the whole picture to its pixels and back', () => {
    const zoom = zoomed()
    zoom.toggle({ x: 0, y: 0 })
    expect(zoom.value).toBe(1)
    expect(pixelAt(zoom, 0, 0).x).toBe(0)
    zoom.toggle()
    expect(zoom.isFit).toBe(true)
    // Where both are the same, to twice the size.
    const same = zoomed(2)
    same.toggle()
    expect(same.value).toBe(2)
  })

  it('does nothing before the view has a size', () => {
    const zoom = new Zoom({ width: 1600, height: 900 })
    zoom.zoomTo(2)
    zoom.pan(5, 5)
    zoom.toggle()
    zoom.measure({ width: 800, height: 600 }, 1)
    expect(zoom.value).toBe(0.5)
  })

  it('never shows anything beyond the edges, whatever is done', () => {
    const size = fc.record({ width: fc.integer({ min: 1, max: 8000 }), height: fc.integer({ min: 1, max: 8000 }) })
    const change = fc.oneof(
      fc.tuple(fc.constant('zoom'), fc.double({ min: 0.01, max: 20, noNaN: true }), fc.integer({ min: 0, max: 900 })),
      fc.tuple(fc.constant('pan'), fc.integer({ min: -3000, max: 3000 }), fc.integer({ min: -3000, max: 3000 })),
      fc.tuple(fc.constant('view'), fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 3000 })),
    )
    const ratios = fc.constantFrom(1, 1.25, 1.5, 2)
    fc.assert(
      fc.property(size, ratios, fc.array(change, { maxLength: 12 }), (picture, ratio, changes) => {
        const zoom = new Zoom(picture)
        let view = { width: 800, height: 600 }
        zoom.measure(view, ratio)
        for (const [what, a, b] of changes) {
          if (what === 'zoom') zoom.zoomTo(a, { x: b, y: b })
          else if (what === 'pan') zoom.pan(a, b)
          else zoom.measure((view = { width: a, height: b }), ratio)
          const { box, value } = zoom
          expect(value).toBeLessThanOrEqual(Math.max(8, Math.min(view.width / picture.width, view.height / picture.height) * ratio) + 1e-6) // prettier-ignore
          for (const [start, length, shown, room] of [
            [box.picture.x, box.picture.width, box.width, view.width],
            [box.picture.y, box.picture.height, box.height, view.height],
          ] as const) {
            expect(shown).toBeLessThanOrEqual(room)
            // Places are rounded to pixels of the screen.
            expect(start).toBeLessThanOrEqual(0)
            expect(start + length).toBeGreaterThanOrEqual(shown - 1)
          }
        }
      }),
    )
  })

  it('follows the wheel by notches and a pinch by its small steps', () => {
    const turn = (deltaY: number, ctrlKey = false, deltaMode = 0) => wheelFactor({ deltaY, ctrlKey, deltaMode })
    expect(turn(-100)).toBeCloseTo(1.284)
    expect(turn(-100) * turn(100)).toBeCloseTo(1)
    expect(turn(-4, true)).toBeCloseTo(1.041)
    expect(turn(-3, false, 1)).toBeCloseTo(turn(-48))
    expect(turn(-1000, true)).toBe(turn(-100))
  })
})

describe('the mode', () => {
  let studio: Studio
  let view: CompareView
  let isStill = false
  beforeAll(async () => {
    ;({ studio } = await startStudio())
  })
  beforeEach(() => {
    vi.useFakeTimers()
    isStill = false
    vi.stubGlobal('matchMedia', () => ({ matches: isStill }))
    void studio.app.set({ compareMode: 'divider' })
    view = new CompareView(studio, { width: 16, height: 9 })
  })
  afterEach(() => {
    view.dispose()
  })
  /** The modes of the next second, every 50 ms. */
  const second = (): string[] =>
    Array.from({ length: 20 }, () => {
      vi.advanceTimersByTime(50)
      return view.mode
    })
  const changes = (modes: string[]): number =>
    modes.filter((mode, index) => index > 0 && mode !== modes[index - 1]).length

  it('changes by itself only in flicker, twice a second at first', () => {
    expect(new Set(second())).toEqual(new Set(['divider']))
    view.choose('flicker')
    expect(view).toMatchObject({ mode: 'after', chosen: 'flicker', rate: 2 })
    expect(changes([view.mode, ...second()])).toBe(2)
    view.flicker(4)
    expect(changes([view.mode, ...second()])).toBe(4)
    // Not a setting: the next swap doesn't begin with it.
    expect(studio.app.settings.compareMode).toBe('divider')
    view.choose('side')
    expect(new Set(second())).toEqual(new Set(['side']))
  })

  it('stays at “after” with reduced motion', () => {
    isStill = true
    view.choose('flicker')
    expect(new Set(second())).toEqual(new Set(['after']))
    expect(view.rate).toBeNull()
  })

  it.each(['divider', 'flicker'] as const)('is “before” while a key is held, in %s', (mode) => {
    isStill = true
    view.choose(mode)
    const shown = view.mode
    view.runs['hold-before'](new KeyboardEvent('keydown', { key: 'b', code: 'KeyB' }))
    expect(view.mode).toBe('before')
    view.release(new KeyboardEvent('keyup', { key: 'x', code: 'KeyX' }))
    expect(view.mode).toBe('before')
    view.release(new KeyboardEvent('keyup', { key: 'B', code: 'KeyB' }))
    expect(view.mode).toBe(shown)
    view.runs['hold-before'](new KeyboardEvent('keydown', { key: 'b', code: 'KeyB' }))
    view.release(new FocusEvent('blur'))
    expect(view.mode).toBe(shown)
  })
})

it('has a next speed up to the last', () => {
  expect([nextSpeed(1, 1), nextSpeed(1, -1), nextSpeed(0.1, -1), nextSpeed(2, 1)]).toEqual([1.5, 0.5, 0.1, 2])
})
