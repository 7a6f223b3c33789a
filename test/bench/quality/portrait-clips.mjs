/** @file Clips of one second in which a portrait moves a little. The portraits are in the public domain. */
import { join } from 'node:path'
import { ffmpeg } from './frames.mjs'

const people = join(import.meta.dirname, 'people')

/** Width, height, left and top of what is filmed. @type {Record<string, { picture: string, part: [number, number, number, number] }>} */
export const portraits = {
  'ellen-ochoa': { picture: join(people, 'ellen-ochoa.jpg'), part: [420, 470, 190, 40] },
  'kjell-lindgren': { picture: join(people, 'kjell-lindgren.jpg'), part: [396, 360, 0, 0] },
  'guion-bluford': { picture: join(people, 'guion-bluford.jpg'), part: [464, 448, 0, 0] },
  'jeanette-epps': { picture: join(people, 'jeanette-epps.jpg'), part: [500, 492, 0, 0] },
  'mae-jemison': { picture: join(people, 'mae-jemison.jpg'), part: [412, 396, 0, 0] },
  'frederick-gregory': { picture: join(people, 'frederick-gregory.jpg'), part: [268, 268, 0, 0] },
  'sally-ride': { picture: join(people, 'sally-ride.jpg'), part: [512, 608, 120, 0] },
  'sally-ride-1984': { picture: join(people, 'sally-ride-1984.jpg'), part: [448, 488, 180, 60] },
  'grace-hopper': { picture: join(people, 'grace-hopper.jpg'), part: [630, 710, 0, 0] },
  'eileen-collins': { picture: join(import.meta.dirname, 'scenes/astronaut.jpg'), part: [400, 400, 50, 0] },
}
/** The frame to judge. By then, the encoder has spent its bits on the skin. */
export const judged = 27

/** @param {string} made folder for the clip @param {string} name @returns {string} its path */
export function portraitClip(made, name) {
  const clip = join(made, `${name}.mp4`)
  const { picture, part } = portraits[name] ?? { picture: '', part: [0, 0, 0, 0] }
  const [width, height, left, top] = part
  const window = `crop=${String(width)}:${String(height)}:${String(left)}+4+4*sin(n/9):${String(top)}+4+4*cos(n/11)`
  ffmpeg('-loop', '1', '-i', picture, '-vf', `${window},noise=c0s=3:c0f=t`, '-frames:v', '30', '-crf', '14', clip)
  return clip
}
