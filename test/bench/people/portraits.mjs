/**
 * @file The portraits that videos of people are composed of, and where their faces are: the region as the engine finds it
 * (face/region.ts), in pixels of the picture and degrees.
 */
import { join } from 'node:path'
import { textureOf } from '../quality/scenes/picture.mjs'

const people = join(import.meta.dirname, '../quality/people')
const scenes = join(import.meta.dirname, '../quality/scenes')

/** @typedef {'collins' | 'ochoa' | 'gregory' | 'hopper' | 'bluford' | 'epps' | 'lindgren' | 'jemison' | 'mona' | 'ride' | 'ride-1984'} PortraitName */
/** @typedef {{ texture: import('../quality/scenes/picture.mjs').Texture, region: { x: number, y: number, size: number, degrees: number }, shirt: [number, number, number] }} Portrait */

/** @type {Record<PortraitName, [path: string, x: number, y: number, size: number, degrees: number, shirt: [number, number, number]]>} */
const all = {
  collins: [join(scenes, 'astronaut.jpg'), 224.8, 125, 160.1, 2.7, [200, 84, 50]],
  ochoa: [join(people, 'ellen-ochoa.jpg'), 409, 312.9, 245.4, 1, [60, 70, 90]],
  gregory: [join(people, 'frederick-gregory.jpg'), 135.3, 126.7, 201.4, -1.9, [30, 40, 80]],
  hopper: [join(people, 'grace-hopper.jpg'), 334.3, 410.8, 491.7, -3.1, [25, 25, 35]],
  bluford: [join(people, 'guion-bluford.jpg'), 240.1, 211.9, 266, -0.6, [110, 120, 90]],
  epps: [join(people, 'jeanette-epps.jpg'), 254.1, 224.7, 367.5, -0.1, [40, 80, 160]],
  lindgren: [join(people, 'kjell-lindgren.jpg'), 203.5, 170.5, 209.8, 1.4, [220, 220, 215]],
  jemison: [join(people, 'mae-jemison.jpg'), 216.7, 195.7, 241.7, -0.9, [150, 60, 60]],
  mona: [join(scenes, 'mona-lisa.jpg'), 365.1, 292.3, 330, -2.5, [60, 50, 30]],
  ride: [join(people, 'sally-ride.jpg'), 342.7, 276, 419, 3.3, [40, 50, 90]],
  'ride-1984': [join(people, 'sally-ride-1984.jpg'), 339.6, 332.6, 358, -2.3, [50, 90, 70]],
}

/** @returns {Promise<Map<string, Portrait>>} */
export async function loadPortraits() {
  /** @type {Map<string, Portrait>} */
  const portraits = new Map()
  for (const [name, [path, x, y, size, degrees, shirt]] of Object.entries(all))
    portraits.set(name, { texture: await textureOf(path), region: { x, y, size, degrees }, shirt })
  return portraits
}
