import { describe, expect, it } from 'vitest'
import {
  anchors,
  decodeDetections,
  mergeDetections,
  regionOfDetection,
  searchSquares,
  turnOfDetection,
} from '../../../src/renderer/engine/face/detection.ts'

/** A detector's answer with one face on one anchor. */
function answer(anchor: number, box: number[], logit: number): { boxes: Float32Array; scores: Float32Array } {
  const boxes = new Float32Array(896 * 16)
  boxes.set(box, anchor * 16)
  const scores = new Float32Array(896).fill(-20)
  scores[anchor] = logit
  return { boxes, scores }
}

const box = [0, 0, 32, 64, -8, -8, 8, -8, 0, 0, 0, 8, -16, 0, 16, 0]

describe('the face detector', () => {
  it('has two anchors in each of 16 × 16 cells and six in each of 8 × 8', () => {
    expect(anchors).toHaveLength(896 * 2)
    expect([...anchors.subarray(0, 6)]).toEqual([1 / 32, 1 / 32, 1 / 32, 1 / 32, 3 / 32, 1 / 32])
    expect([...anchors.subarray(1024, 1026)]).toEqual([1 / 16, 1 / 16])
    expect([...anchors.subarray(-2)]).toEqual([15 / 16, 15 / 16])
  })

  it('places a face by its anchor, in the pixels of the picture', () => {
    // Anchor 512 + 6 · (8 · 4 + 4) stands at 4.5/8 of the square both ways.
    const { boxes, scores } = answer(512 + 6 * 36, box, 3)
    const [face, ...others] = decodeDetections(boxes, scores, { x: 100, y: 50, size: 256 })
    expect(others).toEqual([])
    expect(face).toMatchObject({ left: 100 + 144 - 32, top: 50 + 144 - 64, width: 64, height: 128 })
    expect(face?.rightEye).toEqual([228, 178])
    expect(face?.score).toBeCloseTo(0.953, 3)
  })

  it('leaves out what is unlikely', () => {
    const { boxes, scores } = answer(0, box, -0.01)
    expect(decodeDetections(boxes, scores, { x: 0, y: 0, size: 128 })).toEqual([])
  })

  it('makes one face of overlapping ones, weighted by score, and keeps others apart', () => {
    const square = { x: 0, y: 0, size: 128 }
    const [near, beside, far] = [answer(600, box, 2), answer(601, [4, ...box.slice(1)], 2), answer(512, box, 5)].map(
      ({ boxes, scores }) => decodeDetections(boxes, scores, square),
    )
    const merged = mergeDetections([near, beside, far].flatMap((one) => one ?? []))
    expect(merged).toHaveLength(2)
    expect(merged[0]?.score).toBeGreaterThan(merged[1]?.score ?? 1)
    expect((merged[1]?.left ?? 0) - (near?.[0]?.left ?? 0)).toBeCloseTo(2, 5)
  })

  const face = { score: 1, left: 0, top: 0, width: 100, height: 80 }

  it('turns the region of a face by its eyes', () => {
    const region = regionOfDetection({ ...face, rightEye: [20, 20], leftEye: [60, 60], nose: [40, 50] })
    expect(region).toEqual({ x: 50, y: 40, size: 150, angle: Math.PI / 4 })
  })

  it.each<[string, [number, number], number]>([
    ['ahead', [40, 60], 0],
    ['a quarter to the left', [50, 60], 0.25],
    ['a half to the right', [20, 60], 0.5],
  ])('sees by the nose how far a head is turned: %s', (_where, nose, turn) => {
    expect(turnOfDetection({ ...face, rightEye: [20, 40], leftEye: [60, 40], nose })).toBeCloseTo(turn)
    // The same face, lying on its side.
    const [x, y] = nose
    expect(turnOfDetection({ ...face, rightEye: [-40, 20], leftEye: [-40, 60], nose: [-y, x] })).toBeCloseTo(turn)
  })
})

describe('the search', () => {
  it.each([
    [1280, 720, 1, 1],
    [1280, 720, 2, 4],
    [720, 720, 2, 1],
    [1280, 720, 3, 22],
  ] as const)('of %i × %i at level %i looks at %i squares', (width, height, levels, count) => {
    expect(searchSquares(width, height, levels)).toHaveLength(count)
  })

  it('leaves no part of the picture out at any level', () => {
    const squares = searchSquares(1280, 720, 3).slice(4)
    for (let x = 5; x < 1280; x += 50) {
      for (let y = 5; y < 720; y += 50) {
        const seen = squares.some((one) => x >= one.x && x <= one.x + one.size && y >= one.y && y <= one.y + one.size)
        expect(seen, `${x}, ${y}`).toBe(true)
      }
    }
  })

  it.each([
    [1280, 720],
    [720, 1280],
    [1920, 800],
  ])(
    'has each face of %i × %i that is too small for a scale as a whole in a square of the next, 0.8 apart',
    (width, height) => {
      const squares = searchSquares(width, height, 3, 0.8)
      const sizes = [...new Set(squares.map(({ size }) => size))]
      for (const [at, size] of sizes.slice(1).entries()) {
        const face = (sizes[at] ?? 0) / 10
        const same = squares.filter((square) => square.size === size)
        for (let x = 0; x <= width - face; x += 20) {
          for (let y = 0; y <= height - face; y += 20) {
            const isWhole = same.some(
              (one) => x >= one.x && x + face <= one.x + size && y >= one.y && y + face <= one.y + size,
            )
            expect(isWhole, `${x}, ${y}`).toBe(true)
          }
        }
      }
    },
  )
})
