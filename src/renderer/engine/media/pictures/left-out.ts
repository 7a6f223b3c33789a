/**
 * @file Finds out what results don't have of a picture: HDR, and a short video. AVIF: ISO/IEC 23008-12 and 14496-12, 12.1.5;
 * PQ and HLG: ITU-T H.273, table 3. JPEG with a gain map: ISO 21496-1, Adobe's `hdrgm` and Apple's `HDRGainMap`.
 */
import { boxesIn, nameAt, numberAt, type Box } from '../containers/boxes.ts'
import { segmentsOf, startsWith } from './jpeg.ts'

/** Boxes that lead to colours, and the bytes before those inside. */
const containers = new Map([
  ...['iprp', 'ipco', 'moov', 'trak', 'mdia', 'minf', 'stbl'].map((name) => [name, 0] as const),
  ...([['meta', 4], ['stsd', 8], ['av01', 78], ['iinf', 6]] as const), // prettier-ignore
])
const hdrTransfers = [16, 18]
/** Type of an item that joins a picture with its gain map. */
const toneMap = 'tmap'

/** Still or animated. */
export function isHdrAvif(bytes: Uint8Array): boolean {
  const isHdr = (around: Pick<Box, 'from' | 'to'>): boolean => {
    for (const box of boxesIn(bytes, around)) {
      const before = containers.get(box.name)
      if (before !== undefined && isHdr({ from: box.from + before, to: box.to })) return true
      if (box.name === 'colr' && nameAt(bytes, box.from) === 'nclx')
        if (hdrTransfers.includes(numberAt(bytes, box.from + 6, 2))) return true
      if (box.name === 'infe' && nameAt(bytes, box.from + 8) === toneMap) return true
    }
    return false
  }
  return isHdr({ from: 0, to: bytes.length })
}

/** A JPEG file with a short video of the same moment behind it (Google's Motion Photo format, and the one before). */
export const hasMotion = (bytes: Uint8Array): boolean =>
  [...segmentsOf(bytes)].some(
    ({ marker, body }) => marker === 0xe1 && /(?:MotionPhoto|MicroVideo)(?:="|>)1/.test(latin1(body)),
  )

const isoName = 'urn:iso:std:iso:ts:21496:-1'
const latin1 = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes)

/** A JPEG file that another picture in it makes HDR. */
export function hasGainMap(bytes: Uint8Array): boolean {
  for (const { marker, body, end } of segmentsOf(bytes)) {
    if (marker === 0xe1 && latin1(body).includes('hdrgm:Version')) return true
    if (marker === 0xe2 && startsWith(body, isoName)) return true
    // Further pictures are behind this one. Apple's says by itself what it is for.
    if (marker === 0xe2 && startsWith(body, 'MPF\0') && latin1(bytes.subarray(end)).includes('HDRGainMap')) return true
  }
  return false
}
