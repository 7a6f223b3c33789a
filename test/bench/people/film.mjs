/**
 * @file Who is where in `tears-of-steel-10s.mp4`, read off its frames: a man in profile on a bridge, far away; a man with
 * glasses beside a head seen from behind; robots; and a woman, for the last half second.
 */
import { join } from 'node:path'

/** @typedef {import('./judge.mjs').Truth} Truth */

const fps = 24
const frames = 240

/** Places by frame: x, y and side of the region. `required`: first and last frame. */
const people = [
  {
    person: 'man in profile',
    required: null,
    places: [
      [21, 222, 62, 60],
      [42, 228, 64, 60],
      [64, 200, 54, 60],
    ],
  },
  {
    person: 'man with glasses',
    // Then he bends down until only his hair is seen.
    required: [66, 162],
    places: [
      ...[
        [65, 484, 138, 219],
        [68, 486, 133, 219],
        [72, 497, 106, 217],
        [76, 500, 97, 206],
        [88, 480, 93, 201],
      ],
      ...[
        [92, 473, 100, 224],
        [100, 468, 103, 213],
        [108, 465, 108, 203],
        [120, 461, 115, 208],
      ],
      ...[
        [130, 451, 119, 215],
        [138, 440, 122, 222],
        [142, 425, 124, 222],
        [146, 413, 130, 208],
      ],
      ...[
        [150, 419, 149, 206],
        [154, 425, 163, 225],
        [160, 423, 185, 226],
        [164, 426, 195, 218],
        [184, 430, 205, 215],
      ],
    ],
  },
  // Before, smoke covers her, and her eyes are a robot's.
  {
    person: 'woman',
    required: [230, 239],
    places: [
      [220, 345, 190, 258],
      [226, 351, 197, 275],
      [230, 348, 188, 276],
      [239, 341, 185, 274],
    ],
  },
]

/** @param {readonly number[][]} places @param {number} frame */
function placeAt(places, frame) {
  const next = places.findIndex(([at = 0]) => at >= frame)
  const [before, after] = [places[Math.max(0, next - 1)], places[next]]
  if (!before || !after || frame < (places[0]?.[0] ?? 0)) return null
  const [from = 0, to = 0] = [before[0], after[0]]
  const share = to === from ? 0 : (frame - from) / (to - from)
  const [x = 0, y = 0, size = 0] = [1, 2, 3].map(
    (axis) => (before[axis] ?? 0) * (1 - share) + (after[axis] ?? 0) * share,
  )
  return { x, y, size }
}

/** @type {{ name: string, path: string, truth: Truth }} */
export const film = {
  name: 'film',
  path: join(import.meta.dirname, 'tears-of-steel-10s.mp4'),
  truth: {
    fps,
    frames: Array.from({ length: frames }, (_, frame) =>
      people.flatMap(({ person, places, required }) => {
        const place = placeAt(places, frame)
        const [first = Infinity, last = -1] = required ?? []
        return place ? [{ ...place, person, isRequired: frame >= first && frame <= last }] : []
      }),
    ),
  },
}
