/** @file Makes odd files with ffmpeg. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} Made
 * @property {string} name
 * @property {string} file name with its extension
 * @property {string} [args] of ffmpeg between the inputs and the output; without them, only `after` makes the file
 * @property {string} [inputs] of ffmpeg instead of the source, `-i` included; `SOURCE` stands for its path
 * @property {(path: string, source: string) => void} [after] what is done to the file then
 */

/**
 * @param {string} words arguments with spaces between them; `SOURCE` and `TO` stand for paths
 * @param {{ SOURCE: string, TO: string }} paths @returns {string} what it wrote if it failed, else nothing
 */
export function ffmpeg(words, paths) {
  const args = words.split(' ').filter((word) => word !== '')
  const given = args.map((word) => (word === 'SOURCE' || word === 'TO' ? paths[word] : word))
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-y', ...given], { encoding: 'utf8' })
  return status === 0 ? '' : `ffmpeg: ${stderr}`
}

/** @param {Made} one @param {string} dir @param {string} source @returns {string | null} the file; null when ffmpeg cannot make it */
export function makeFile({ name, file, args, inputs = '-i SOURCE', after }, dir, source) {
  const path = join(dir, file)
  const problem = args === undefined ? '' : ffmpeg(`${inputs} ${args} TO`, { SOURCE: source, TO: path })
  if (problem) {
    process.stderr.write(`${name}: ${problem}\n`)
    return null
  }
  after?.(path, source)
  return path
}

/** Changes a file. @param {(bytes: Buffer) => Uint8Array} change */
export const changed = (change) => (/** @type {string} */ path) => writeFileSync(path, change(readFileSync(path)))

/** Cuts a file off. @param {number} share that is left */
export const cutOff = (share) => changed((bytes) => bytes.subarray(0, Math.floor(bytes.length * share)))
