/** @file What a swapped picture takes over from its file besides pixels. */

export interface PictureMetadata {
  /** ICC profile. */
  icc: Uint8Array | null
  /** EXIF data, from the byte order mark. */
  exif: Uint8Array | null
}

/** What a result has. */
export interface WrittenMetadata extends PictureMetadata {
  /** An XMP packet. */
  xmp?: string
}

/** Whether pixels in RGB can have this profile: others are for grey or CMYK (ICC.1:2022, 7.2.6). */
export const isForRgb = (icc: Uint8Array): boolean => String.fromCharCode(...icc.subarray(16, 20)) === 'RGB '
