/** @file Where a face is in a frame of a scene, as told to the judges. */
import { moving, place } from './picture.mjs'

/** @typedef {import('./portraits.mjs').Portrait} Portrait @typedef {import('./picture.mjs').Similarity} Similarity */

/**
 * What is known of the face in a frame.
 * @typedef {object} Pose
 * @property {Similarity} where from the portrait's pixels to the frame's
 * @property {number} x middle of the face, in the frame's pixels
 * @property {number} y
 * @property {number} eyes their distance if the face were seen from the front
 * @property {number} turn radians, clockwise
 * @property {number} yaw degrees
 * @property {number} shut how far the lids are shut, 0…1
 */

/**
 * @param {Portrait} portrait
 * @param {{ x: number, y: number, eyes: number, degrees?: number, yaw?: number, shut?: number }} at
 * @returns {Pose}
 */
export function pose(portrait, { x, y, eyes, degrees = 0, yaw = 0, shut = 0 }) {
  const where = moving(portrait.centre, [x, y], eyes / portrait.eyes, degrees)
  return { where, x, y, eyes, turn: (degrees * Math.PI) / 180, yaw, shut }
}

/**
 * Somebody who stands before a camera: nobody holds still.
 * @param {Portrait} portrait @param {number} index @param {Partial<Parameters<typeof pose>[1]>} [at]
 */
export function swaying(portrait, index, { x = 480, y = 270, eyes = 105, degrees = 0, ...more } = {}) {
  const t = index / 25
  const size = eyes / 105
  return pose(portrait, {
    x: x + size * 22 * Math.sin(t * 1.7),
    y: y + size * 9 * Math.sin(t * 2.6),
    eyes: eyes * (1 + 0.03 * Math.sin(t * 1.3)),
    degrees: degrees + 4 * Math.sin(t * 2.1),
    ...more,
  })
}

/** The middle between the eyes. @param {Pose} at @param {Portrait} portrait @returns {[number, number]} */
export const betweenEyes = ({ where }, { between }) => place(where, ...between)
