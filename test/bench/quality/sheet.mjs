/** @file A contact sheet: input above, output below. */
import { spawnSync } from 'node:child_process'
import { crop } from './judges.mjs'

/** Pixels of a picture's side. */
const side = 240
const columns = 8

/** @typedef {import('./judges.mjs').Picture} Picture */

export class Sheet {
  /** @type {{ before: Uint8Array, after: Uint8Array }[]} */
  #cells = []

  /** @param {Picture} before @param {Picture} after @param {import('./judges.mjs').Square} square */
  add(before, after, square) {
    this.#cells.push({ before: crop(before, square, side), after: crop(after, square, side) })
  }

  /** @param {string} path */
  write(path) {
    const rows = Math.ceil(this.#cells.length / columns) * 2
    if (rows === 0) return
    const width = columns * side
    const sheet = new Uint8Array(width * rows * side * 3)
    for (const [index, { before, after }] of this.#cells.entries()) {
      const left = (index % columns) * side
      for (const [half, cell] of [before, after].entries()) {
        const top = (Math.floor(index / columns) * 2 + half) * side
        for (let row = 0; row < side; row += 1) {
          sheet.set(cell.subarray(row * side * 3, (row + 1) * side * 3), ((top + row) * width + left) * 3)
        }
      }
    }
    const format = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${rows * side}`, '-i', '-']
    spawnSync('ffmpeg', ['-v', 'error', '-y', ...format, '-q:v', '3', path], { input: sheet })
  }
}
