/** @file The videos that are composed: who is where in each shot. 1280 × 720, 25 frames per second. */
import { ramp } from '../quality/scenes/picture.mjs'

/** @typedef {import('./compose.mjs').Head} Head */
/** @typedef {import('./portraits.mjs').PortraitName} PortraitName */
/** A picture on the wall, in the wall's pixels; not moving. @typedef {{ portrait: PortraitName, x: number, y: number, size: number }} Poster */
/**
 * @typedef {object} Shot
 * @property {number} seconds
 * @property {number} seed of the wall
 * @property {(t: number) => Head[]} heads from back to front, at a time in seconds
 * @property {(t: number) => [x: number, y: number]} [pan] upper left corner of what is seen of the wall
 * @property {readonly Poster[]} [posters]
 */
/** @typedef {{ name: string, shots: Shot[] }} Scene */

export const size = { width: 1280, height: 720 }
export const wallSize = { width: 3200, height: 800 }
export const fps = 25

const { sin, PI } = Math

/**
 * Somebody who doesn't hold still.
 * @param {PortraitName} portrait @param {number} t seconds @param {number} x @param {number} y @param {number} side of the region
 * @param {Partial<Head>} [more]
 * @returns {Head}
 */
function standing(portrait, t, x, y, side, more = {}) {
  // A phase of its own for each portrait.
  const phase = portrait.length + portrait.charCodeAt(1)
  return {
    ...{ portrait, x: x + 0.08 * side * sin(1.3 * t + phase), y: y + 0.03 * side * sin(2.1 * t + 2 * phase) },
    ...{ size: side * (1 + 0.03 * sin(0.9 * t + phase)), roll: 4 * sin(1.7 * t + phase) },
    ...{ yaw: 14 * sin(0.8 * t + 2 * phase), pitch: 5 * sin(1.1 * t + phase), ...more },
  }
}

/** From one value to another between two times. @param {number} t @param {number} start @param {number} end @param {number} from @param {number} to */
const moved = (t, start, end, from, to) =>
  from + ((to - from) * Math.min(end - start, Math.max(0, t - start))) / (end - start)

/** @type {PortraitName[]} */
const six = ['collins', 'bluford', 'epps', 'gregory', 'jemison', 'lindgren']
/** Some of the six side by side. @param {readonly number[]} who @param {number} side of the region @param {number} y @returns {Shot['heads']} */
const row = (who, side, y) => (t) =>
  who.map((at, index) =>
    standing(six[at] ?? 'collins', t, (size.width * (index + 0.5)) / who.length, y + (index % 2) * 60, side),
  )

/** @type {Scene[]} */
export const scenes = [
  {
    name: 'two',
    shots: [
      {
        ...{ seconds: 12, seed: 1 },
        heads: (t) => [standing('bluford', t, 900, 300, 230), standing('collins', t, 380, 320, 260)],
        pan: (t) => [200 + 10 * t, 20],
      },
    ],
  },
  {
    name: 'cuts',
    shots: [
      { seconds: 2.5, seed: 2, heads: (t) => [standing('epps', t, 640, 340, 330)] },
      { seconds: 2.5, seed: 3, heads: (t) => [standing('lindgren', t, 420, 300, 220)] },
      {
        seconds: 3,
        seed: 4,
        heads: (t) => [standing('jemison', t, 380, 280, 170), standing('epps', t, 860, 320, 180)],
      },
      { seconds: 2, seed: 3, heads: (t) => [standing('lindgren', t, 700, 340, 310)], pan: () => [900, 40] },
      { seconds: 2.5, seed: 2, heads: (t) => [standing('epps', t, 380, 300, 200)], pan: () => [700, 0] },
      { seconds: 2.5, seed: 5, heads: (t) => [standing('jemison', t, 760, 260, 120)] },
    ],
  },
  {
    name: 'crossing',
    shots: [
      {
        ...{ seconds: 15, seed: 6 },
        heads: (t) => [
          ...(t < 8 ? [] : [standing('ochoa', t, moved(t, 9, 12, 1060, 220), 300, 200)]),
          standing('gregory', t, 640, 320, 240),
          ...(t < 8 ? [standing('ochoa', t, moved(t, 3, 6, 220, 1060), 340, 260 - 6 * t)] : []),
        ],
      },
    ],
  },
  {
    name: 'reentry',
    shots: [
      {
        ...{ seconds: 19, seed: 7 },
        heads: (t) => [
          standing('epps', t, t < 10 ? moved(t, 3.5, 5, 500, -200) : moved(t, 14, 15.5, 1480, 800), 320, 250),
          standing('lindgren', t, t < 9 ? moved(t, 6.5, 8, -200, 500) : moved(t, 11, 12.5, 500, 1480), 310, 240),
        ],
      },
    ],
  },
  {
    name: 'light',
    shots: [
      {
        ...{ seconds: 14, seed: 8 },
        heads: (t) => {
          const gain = 1 - 0.65 * (ramp(2, 3, t) - ramp(5, 5.2, t)) + 0.35 * ramp(11, 11.1, t)
          const warm = 0.35 * (ramp(6, 7, t) - 2 * ramp(8, 9, t) + ramp(10.5, 11, t))
          const side = 0.7 * sin((2 * PI * t) / 7)
          return [
            standing('jemison', t, 250, 300, 210, { gain, warm, side }),
            standing('collins', t, 1020, 300, 220, { gain, warm, side }),
            standing('lindgren', t, 640, 330, 240, { gain, warm, side: -side }),
          ]
        },
      },
    ],
  },
  {
    name: 'turned',
    shots: [
      {
        ...{ seconds: 14, seed: 9 },
        heads: (t) => [
          standing('hopper', t, 360, 330, 270, { yaw: 45 * sin((2 * PI * t) / 9), roll: 20 * sin(0.9 * t) }),
          standing('gregory', t, 920, 330, 260, {
            yaw: 25 * sin(2 * t),
            pitch: 18 * sin(1.3 * t),
            roll: 35 * sin(0.7 * t),
          }),
        ],
      },
    ],
  },
  {
    name: 'alike',
    shots: [
      {
        ...{ seconds: 10, seed: 10 },
        heads: (t) => [
          standing('collins', t, moved(t, 3, 6, 350, 930), 300, 210),
          standing('ride', t, moved(t, 3, 6, 930, 350), 330, 240),
        ],
      },
      { seconds: 2.5, seed: 11, heads: (t) => [standing('ride', t, 640, 320, 300)] },
      { seconds: 2.5, seed: 11, heads: (t) => [standing('collins', t, 640, 320, 300)] },
      { seconds: 2, seed: 11, heads: (t) => [standing('ride', t, 600, 330, 260)], pan: () => [300, 0] },
    ],
  },
  {
    name: 'years',
    shots: [
      { seconds: 4, seed: 12, heads: (t) => [standing('ride', t, 560, 330, 280)] },
      {
        seconds: 4,
        seed: 13,
        heads: (t) => [standing('bluford', t, 350, 300, 220), standing('ride-1984', t, 900, 320, 240)],
      },
      { seconds: 2.5, seed: 12, heads: (t) => [standing('ride', t, 760, 300, 200)], pan: () => [600, 0] },
      { seconds: 2.5, seed: 14, heads: (t) => [standing('ride-1984', t, 640, 330, 300)] },
    ],
  },
  {
    name: 'posters',
    shots: [
      {
        ...{ seconds: 5, seed: 15, posters: [{ portrait: 'hopper', x: 1000, y: 160, size: 46 }] },
        heads: (t) => [standing('ochoa', t, 480, 320, 240)],
      },
      {
        // The camera passes a poster within a third of a second.
        ...{ seconds: 3, seed: 16, posters: [{ portrait: 'gregory', x: 1800, y: 300, size: 110 }] },
        pan: (t) => [moved(t, 1.2, 1.7, 100, 1900), 20],
        heads: () => [],
      },
      {
        ...{ seconds: 5, seed: 17, posters: [{ portrait: 'mona', x: 1050, y: 280, size: 150 }] },
        heads: (t) => [standing('jemison', t, 400, 320, 250)],
      },
    ],
  },
  {
    name: 'six',
    shots: [
      { seconds: 6, seed: 18, heads: row([0, 1, 2, 3, 4, 5], 150, 250) },
      { seconds: 4, seed: 19, heads: row([2, 0, 4], 240, 300) },
      { seconds: 4, seed: 20, heads: row([5, 3, 1], 240, 300) },
      { seconds: 6, seed: 18, heads: row([3, 5, 1, 4, 0, 2], 140, 260), pan: (t) => [400 + 20 * t, 30] },
    ],
  },
  {
    name: 'nobody',
    shots: [21, 22, 23].map((seed) => ({ seconds: 3, seed, heads: () => [], pan: (t) => [100 * t, 20] })),
  },
]
