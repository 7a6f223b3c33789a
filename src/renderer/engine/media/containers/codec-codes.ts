/**
 * @file Codecs of Matroska tracks whose ids only say that the codes of another format name them: AVI's and WAV's, and
 * QuickTime's (RFC 9559, 5.1.4.1.21; Matroska codec specifications).
 */
import { nameAt } from './boxes.ts'
import { elementIds, elementOf, textOf } from './elements.ts'

/** WAVE format tags (RFC 2361, and Microsoft's mmreg.h), by names that people know. */
const waveFormats = new Map([
  ...[0x02, 0x11].map((tag) => [tag, 'adpcm'] as const),
  ...[0x0a, 0x160, 0x161, 0x162, 0x163].map((tag) => [tag, 'wma'] as const),
  ...([[0x50, 'mp2'], [0x55, 'mp3'], [0xff, 'aac'], [0x2000, 'ac3'], [0x2001, 'dts'], [0xf1ac, 'flac']] as const), // prettier-ignore
])

/**
 * A track's code, such as "XVID", or a codec's name. Null where the track's id says more.
 * @param entry contents of the track's element
 */
export function codecCodeOf(entry: Uint8Array): string | null {
  const [id, data] = [textOf(entry, elementIds.codec), elementOf(entry, elementIds.codecData)]
  switch (id) {
    case 'V_MS/VFW/FOURCC':
      // A bitmap's header.
      return readable(nameAt(data, 16))
    case 'V_QUICKTIME':
    case 'A_QUICKTIME':
      // A sample description; old files leave its size out.
      return readable(nameAt(data, 4)) ?? readable(nameAt(data, 0))
    case 'A_MS/ACM':
      return waveFormats.get((data[0] ?? 0) | ((data[1] ?? 0) << 8)) ?? null
    default:
      return null
  }
}

const readable = (code: string): string | null => (/^[\w .-]{4}$/.test(code) ? code.trim() : null)
