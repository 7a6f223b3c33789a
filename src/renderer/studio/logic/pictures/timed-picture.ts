/** @file Pictures by time, in seconds. */

export interface TimedPicture<Picture = ImageBitmap> {
  time: number
  picture: Picture
}

/** Times of one frame in two files differ by less: their clocks have other units. */
const sameTime = 0.002

/** The picture shown at a time; the first one before that. Null without pictures. */
export const pictureAt = <Picture>(pictures: readonly TimedPicture<Picture>[], time: number): Picture | null =>
  (pictures.findLast((one) => one.time <= time + sameTime) ?? pictures[0])?.picture ?? null
