/**
 * @file Swaps that are wrong in one way, to see that its gate notices: the engine with a part turned off, and outputs that
 * are spoiled by hand.
 */
import { framesOf } from './frames.mjs'

/** @typedef {import('./judges.mjs').Picture} Picture */

/** Engines with a part turned off. */
export const brokenEngines = [
  { off: 'render', ablation: { render: false }, clip: 'dev-talk', frames: 16, expected: 'identityRise' },
  { off: 'smooth', ablation: { smooth: false }, clip: 'dev-talk', frames: 40, expected: 'jitter' },
  { off: 'feather', ablation: { feather: false }, clip: 'sample', frames: 16, expected: 'seam' },
]

/** @param {AsyncIterable<Picture>} output @param {AsyncIterable<Picture>} input @param {(index: number) => boolean} taken from the input */
async function* mixed(output, input, taken) {
  let index = 0
  const others = input[Symbol.asyncIterator]()
  for await (const frame of output) {
    const { value } = await others.next()
    yield taken(index) ? value : frame
    index += 1
  }
  await others.return?.(undefined)
}

/** @param {AsyncIterable<Picture>} output @param {(index: number) => boolean} stuck shows the frame before again */
async function* frozen(output, stuck) {
  /** @type {Picture | null} */
  let last = null
  let index = 0
  for await (const frame of output) {
    if (!last || !stuck(index)) last = frame
    yield last
    index += 1
  }
}

/** @param {AsyncIterable<Picture>} output @param {number} by frames; the first is shown until then */
async function* delayed(output, by) {
  /** @type {Picture[]} */
  const waiting = []
  for await (const frame of output) {
    waiting.push(frame)
    const [oldest = frame] = waiting
    if (waiting.length > by) waiting.shift()
    yield oldest
  }
}

/** @param {AsyncIterable<Picture>} output @param {(value: number, channel: number, index: number) => number} change */
async function* recoloured(output, change) {
  let index = 0
  for await (const { data, ...shape } of output) {
    const frame = index
    yield { ...shape, data: data.map((value, at) => change(value, at % 3, frame)) }
    index += 1
  }
}

/**
 * Outputs spoiled by hand.
 * @type {{ off: string, clip: string, frames: number, expected: string, spoil: (output: () => AsyncIterable<Picture>, input: () => AsyncIterable<Picture>, other: (name: string) => AsyncIterable<Picture>) => AsyncIterable<Picture> }[]}
 */
export const spoiled = [
  {
    off: 'a frame in the middle',
    clip: 'smile',
    frames: 12,
    expected: 'pop',
    spoil: (output, input) => mixed(output(), input(), (index) => index === 6),
  },
  {
    off: 'the blink',
    clip: 'blink',
    frames: 14,
    expected: 'shut',
    spoil: (output) => frozen(output(), (index) => index >= 8 && index <= 10),
  },
  {
    off: 'timely expressions',
    clip: 'dev-talk',
    frames: 60,
    expected: 'expression',
    spoil: (output) => delayed(output(), 3),
  },
  {
    off: 'expressions',
    clip: 'dev-talk',
    frames: 60,
    expected: 'expressionRange',
    spoil: (output) => frozen(output(), (index) => index > 0),
  },
  {
    off: 'what is in front',
    clip: 'mic',
    frames: 40,
    expected: 'covered',
    spoil: (_output, _input, other) => other('bare'),
  },
  { off: 'the swap beside it', clip: 'mic', frames: 40, expected: 'uncovered', spoil: (_output, input) => input() },
  {
    off: 'the frames after the cut',
    clip: 'cut',
    frames: 40,
    expected: 'cut',
    spoil: (output, input) => mixed(output(), input(), (index) => index === 30),
  },
  {
    off: 'the first frames of a face that comes in',
    clip: 'edge',
    frames: 40,
    expected: 'present',
    spoil: (output, input) => mixed(output(), input(), (index) => index < 20),
  },
  {
    off: 'the fade to profile',
    clip: 'profile',
    frames: 40,
    expected: 'faded',
    spoil: (output) => frozen(output(), (index) => index > 10),
  },
  {
    off: 'steady light',
    clip: 'smile',
    frames: 12,
    expected: 'light',
    spoil: (output) => recoloured(output(), (value, _, index) => value * (index % 2 === 0 ? 1 : 0.96)),
  },
  {
    off: 'warm skin',
    clip: 'smile',
    frames: 8,
    expected: 'colour',
    spoil: (output) => recoloured(output(), (value, channel) => (channel === 0 ? value * 0.4 : value)),
  },
  {
    off: 'the right person',
    clip: 'cross',
    frames: 12,
    expected: 'bystander',
    spoil: (output) => recoloured(output(), (value) => Math.min(255, value * 1.15)),
  },
]

/** @param {string} path @param {number} frames */
export const reader = (path, frames) => () => framesOf(path, frames)
