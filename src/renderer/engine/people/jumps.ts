/** @file Notices frames that may be the first of a shot, though `isCut` doesn't say so. */

/** Such a frame differs more than so many times as much as usual from the one before, and by so many luma levels. */
const jump = { times: 3, least: 1.5 }
const learning = 0.1

export class Jumps {
  #usual = 0
  #isMoving = false

  /**
   * Call it for each frame. The second of two jumps is none: then the camera moves.
   * @param difference from the frame before, in luma levels (`differenceOf`)
   */
  isJump(difference: number): boolean {
    const isFar = difference > Math.max(jump.least, this.#usual * jump.times)
    const isFirst = isFar && !this.#isMoving
    this.#isMoving = isFar
    this.#usual += (Math.min(difference, this.#usual * jump.times + jump.least) - this.#usual) * learning
    return isFirst
  }
}
