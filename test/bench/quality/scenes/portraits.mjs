/** @file The portraits that scenes are made of, and where their features are, in pixels (read off the pictures). */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ffmpeg } from '../frames.mjs'
import { textureOf } from './picture.mjs'

/** @typedef {[number, number]} Point */
/**
 * @typedef {object} Portrait
 * @property {import('./picture.mjs').Texture} texture
 * @property {Point} centre between the eyes and the mouth
 * @property {Point} between the middle between the eyes
 * @property {number} eyes their distance
 * @property {number} head where the head ends, as an ellipse's half width round the centre
 */

/** Enlarged once, so that later reading between pixels does not show. */
const enlarged = 3

/** @param {string} made folder for what is made @returns {Promise<Portrait>} */
export async function astronaut(made) {
  const large = join(made, 'astronaut-large.png')
  mkdirSync(made, { recursive: true })
  const original = join(import.meta.dirname, 'astronaut.jpg')
  ffmpeg('-i', original, '-vf', `scale=iw*${enlarged}:-1:flags=lanczos`, large)
  return { texture: await textureOf(large), centre: [670, 355], between: [672, 306], eyes: 127, head: 240 }
}

/** @param {string} made folder for what is made @returns {Promise<Portrait>} */
export async function monaLisa(made) {
  const large = join(made, 'mona-lisa-large.png')
  mkdirSync(made, { recursive: true })
  ffmpeg('-i', join(import.meta.dirname, 'mona-lisa.jpg'), '-vf', 'scale=iw*2:-1:flags=lanczos', large)
  return { texture: await textureOf(large), centre: [668, 590], between: [668, 498], eyes: 163, head: 290 }
}
