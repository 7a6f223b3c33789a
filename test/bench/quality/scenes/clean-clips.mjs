/**
 * @file The scenes that the benchmark makes itself, from a NASA portrait and the Mona Lisa (both in the public domain): each
 * shows one thing that is hard for a swap, and knows where the face is and what covers it.
 */
import { drawCutOut } from './cut-out.mjs'
import { addGrain, relight } from './light.mjs'
import { blinking, lidsShut } from './lids.mjs'
import { glasses, hand, microphone } from './occluders.mjs'
import { drawTexture, moving, ramp } from './picture.mjs'
import { betweenEyes, pose, swaying } from './pose.mjs'
import { drawCavity, jawDropped, talking } from './talk.mjs'
import { drawTurned } from './turn.mjs'

/** @typedef {import('./portraits.mjs').Portrait} Portrait @typedef {import('./pose.mjs').Pose} Pose */
/** @typedef {{ astronaut: Portrait, mona: Portrait }} Portraits */
/**
 * @typedef {object} Scene
 * @property {string} name
 * @property {number} frames
 * @property {'sample' | 'astronaut'} [face] that is put on: the sample's unless told
 * @property {boolean} [masked] something is in front of the face
 * @property {string} [bare] the scene that is the same but for what is in front
 * @property {(portraits: Portraits, index: number) => Pose | null} pose of the face that is to be swapped; null when there is none
 * @property {(portraits: Portraits, index: number) => Pose} [bystander] whose face must stay untouched
 * @property {(canvas: import('./record.mjs').Canvas, portraits: Portraits, at: Pose | null, index: number) => void} draw
 * @property {(index: number) => boolean} [judged] frames that faces are compared on; all unless told
 * @property {number[]} [cuts] first frames after a hard cut
 * @property {string[]} gates
 */

const face = ['identityRise', 'identityDistance', 'landmarks', 'gaze', 'jitter', 'seam']
const lasting = ['light', 'colour', 'pop']

/** @type {Scene['draw']} */
const stand = ({ frame }, { astronaut }, at) => void (at && drawTexture(frame, astronaut.texture, at.where))

/** @type {Scene['pose']} */
const sway = ({ astronaut }, index) => swaying(astronaut, index)

/** Yaw of a head that looks about, and of one that turns away. @param {number} index */
const looking = (index) => 35 * Math.sin((index * 2 * Math.PI) / 90)
const turning = (/** @type {number} */ index) =>
  80 * (ramp(8, 34, index) - ramp(40, 62, index)) - 80 * (ramp(62, 84, index) - ramp(90, 110, index))

/** Who crosses in front. @param {Portraits} portraits @param {number} index */
const crossing = ({ mona }, index) =>
  pose(mona, { x: 130 + 7 * index, y: 330, eyes: 74, degrees: 3 * Math.sin(index / 8) })

/** @type {Scene[]} */
export const cleanClips = [
  {
    name: 'blink',
    frames: 100,
    pose: ({ astronaut }, index) => swaying(astronaut, index, { shut: blinking(index) }),
    draw: ({ frame }, { astronaut }, at) => at && drawTexture(frame, astronaut.texture, at.where, lidsShut(at.shut)),
    gates: [...face, ...lasting, 'blinks', 'shut', 'expression', 'expressionRange'],
  },
  {
    name: 'talk',
    frames: 75,
    pose: sway,
    draw: ({ frame }, { astronaut }, at, index) => {
      if (!at) return
      drawTexture(frame, astronaut.texture, at.where, jawDropped(talking(index)))
      drawCavity(frame, at.where, talking(index))
    },
    gates: [...face, ...lasting, 'mouth'],
  },
  {
    name: 'smile',
    frames: 60,
    face: 'astronaut',
    pose: ({ mona }, index) => swaying(mona, index, { eyes: 115 }),
    draw: ({ frame }, { mona }, at) => at && drawTexture(frame, mona.texture, at.where),
    gates: [...face, ...lasting, 'mouth'],
  },
  { name: 'bare', frames: 100, pose: sway, draw: stand, gates: [] },
  {
    name: 'mic',
    frames: 100,
    masked: true,
    bare: 'bare',
    pose: sway,
    draw: (canvas, portraits, at, index) => {
      stand(canvas, portraits, at, index)
      const up = ramp(8, 30, index) - ramp(72, 94, index)
      const swing = Math.sin(index / 6)
      microphone(canvas, 640 - 135 * up + 8 * swing, 660 - 305 * up + 5 * Math.cos(index / 5), 52, 70 - 8 * swing)
    },
    gates: ['covered', 'uncovered', 'pop'],
  },
  {
    name: 'hand',
    frames: 100,
    masked: true,
    bare: 'bare',
    pose: sway,
    draw: (canvas, portraits, at, index) => {
      stand(canvas, portraits, at, index)
      const up = ramp(6, 34, index) - ramp(70, 96, index)
      const wipe = Math.sin(index / 9)
      const wrist = /** @type {[number, number]} */ ([300 + 105 * up + 25 * wipe * up, 690 - 330 * up])
      hand(canvas, portraits.mona.texture, moving([560, 350], wrist, 0.3, -62 + 6 * wipe))
    },
    gates: ['covered', 'uncovered', 'pop'],
  },
  {
    name: 'glasses',
    frames: 100,
    masked: true,
    bare: 'bare',
    pose: sway,
    draw: (canvas, portraits, at, index) => {
      stand(canvas, portraits, at, index)
      if (!at) return
      // Worn, then taken off upwards.
      const off = ramp(60, 84, index)
      const [x, y] = betweenEyes(at, portraits.astronaut)
      const degrees = (at.turn * 180) / Math.PI + 3 + off * 20
      glasses(canvas, moving([0, 0], [x + off * 60, y - off * 330], at.eyes, degrees), 0.25)
    },
    gates: ['identityRise', 'identityDistance', 'covered', 'uncovered', 'pop'],
  },
  {
    name: 'yaw',
    frames: 90,
    pose: ({ astronaut }, index) => swaying(astronaut, index, { yaw: looking(index) }),
    draw: ({ frame }, { astronaut }, at, index) =>
      at && drawTurned(frame, astronaut.texture, at.where, at.yaw, 8 * Math.sin(index / 13)),
    gates: [...face, ...lasting],
  },
  {
    name: 'profile',
    frames: 115,
    pose: ({ astronaut }, index) => swaying(astronaut, index, { yaw: turning(index) }),
    draw: ({ frame }, { astronaut }, at) => at && drawTurned(frame, astronaut.texture, at.where, at.yaw),
    judged: (index) => Math.abs(turning(index)) <= 35,
    gates: ['identityDistance', 'landmarks', 'pop', 'faded'],
  },
  {
    name: 'edge',
    frames: 110,
    pose: ({ astronaut }, index) => swaying(astronaut, index, { x: -160 + 12 * index }),
    draw: stand,
    judged: (index) => index > 35 && index < 78,
    gates: ['identityRise', 'identityDistance', 'landmarks', 'jitter', 'pop'],
  },
  {
    name: 'cut',
    frames: 90,
    pose: ({ astronaut, mona }, index) =>
      index < 30 || index >= 60 ? swaying(astronaut, index) : swaying(mona, index, { x: 560, y: 250, eyes: 90 }),
    draw: ({ frame }, { astronaut, mona }, at, index) =>
      at && drawTexture(frame, (index < 30 || index >= 60 ? astronaut : mona).texture, at.where),
    judged: (index) => index < 30 || index >= 60,
    cuts: [30, 60],
    gates: [...face, 'cut'],
  },
  {
    name: 'cross',
    frames: 100,
    masked: true,
    pose: ({ astronaut }, index) => swaying(astronaut, index, { x: 640 - 3.4 * index, y: 250, eyes: 100 }),
    bystander: crossing,
    draw: (canvas, portraits, at, index) => {
      stand(canvas, portraits, at, index)
      drawCutOut(canvas, portraits.mona, crossing(portraits, index), true)
    },
    gates: ['covered', 'bystander'],
  },
  {
    name: 'roll',
    frames: 90,
    pose: ({ astronaut }, index) => swaying(astronaut, index, { degrees: 32 * Math.sin((index * 2 * Math.PI) / 90) }),
    draw: stand,
    gates: [...face, ...lasting],
  },
  {
    name: 'upside-down',
    frames: 50,
    pose: ({ astronaut }, index) => swaying(astronaut, index, { degrees: 180 }),
    draw: stand,
    gates: [...face, 'pop'],
  },
  {
    name: 'small',
    frames: 75,
    pose: ({ astronaut }, index) => swaying(astronaut, index, { eyes: 20, x: 460 + index, y: 280 }),
    draw: stand,
    gates: ['identityRise', 'identityDistance', 'jitter', 'seam', 'pop'],
  },
  {
    name: 'close',
    frames: 50,
    pose: ({ astronaut }, index) => swaying(astronaut, index, { eyes: 250, y: 265 }),
    draw: stand,
    gates: ['identityRise', 'identityDistance', 'landmarks', 'gaze', 'jitter', 'light', 'colour', 'pop'],
  },
  {
    name: 'dark-skin',
    frames: 60,
    pose: sway,
    draw: (canvas, portraits, at, index) => {
      stand(canvas, portraits, at, index)
      relight(canvas.frame, { gain: 0.62, gamma: 1.45, warm: 0.1 })
    },
    gates: [...face, ...lasting],
  },
  {
    name: 'night',
    frames: 60,
    pose: sway,
    draw: (canvas, portraits, at, index) => {
      stand(canvas, portraits, at, index)
      relight(canvas.frame, { gain: 0.32, gamma: 1.3, warm: -0.08 })
      addGrain(canvas.frame, index, 18)
    },
    gates: ['identityDistance', 'landmarks', 'jitter', 'seam', ...lasting],
  },
  {
    name: 'bright',
    frames: 60,
    pose: sway,
    draw: (canvas, portraits, at, index) => {
      stand(canvas, portraits, at, index)
      relight(canvas.frame, { gain: 1.25, gamma: 0.75 })
    },
    gates: [...face, ...lasting],
  },
  {
    name: 'flicker',
    frames: 60,
    pose: sway,
    draw: (canvas, portraits, at, index) => {
      stand(canvas, portraits, at, index)
      // A lamp that flickers, and a party's coloured light.
      const lamp = [1, 0.7, 1.1, 0.55, 0.9][index % 5] ?? 1
      relight(canvas.frame, { gain: index < 30 ? lamp : 0.85, warm: index < 30 ? 0 : 0.16 * Math.sin(index * 0.9) })
    },
    gates: ['identityDistance', 'landmarks', 'light', 'colour'],
  },
  {
    name: 'grain',
    frames: 50,
    pose: sway,
    draw: (canvas, portraits, at, index) => {
      stand(canvas, portraits, at, index)
      addGrain(canvas.frame, index, 26)
    },
    gates: ['identityDistance', 'landmarks', 'jitter', 'seam', 'grain', ...lasting],
  },
]
