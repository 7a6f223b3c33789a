/** @file Converts 8-bit PCM, A-law and µ-law (ITU-T G.711), which MP4 lacks, to 16-bit PCM without loss. */

const readers = {
  'pcm-u8': (byte: number) => (byte - 128) * 256,
  'pcm-s8': (byte: number) => ((byte ^ 0x80) - 128) * 256,
  alaw: (byte: number) => {
    const bits = byte ^ 0x55
    const exponent = (bits >> 4) & 7
    const step = ((bits & 15) << 4) + 8
    const size = exponent === 0 ? step : (step + 256) << (exponent - 1)
    return bits & 0x80 ? size : -size
  },
  ulaw: (byte: number) => {
    const bits = byte ^ 0xff
    const size = ((((bits & 15) << 3) + 132) << ((bits >> 4) & 7)) - 132
    return bits & 0x80 ? -size : size
  },
} as const

type NarrowCodec = keyof typeof readers

/** True for a codec that `toPcm16` can convert. */
export const widened = (codec: string): codec is NarrowCodec => Object.hasOwn(readers, codec)

/** Converts one byte per sample to two, little-endian. */
export function toPcm16(codec: NarrowCodec, data: Uint8Array): Uint8Array {
  const read = readers[codec]
  const out = new DataView(new ArrayBuffer(data.length * 2))
  data.forEach((byte, index) => {
    out.setInt16(index * 2, read(byte), true)
  })
  return new Uint8Array(out.buffer)
}
