/** @file Sound in eight bits a sample, for which MP4 has no place, as the same samples in sixteen (ITU-T G.711; nothing is lost). */

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

/** Whether a codec is one of those. */
export const widened = (codec: string): codec is NarrowCodec => Object.hasOwn(readers, codec)

/** One byte a sample to two, little end first. */
export function toPcm16(codec: NarrowCodec, data: Uint8Array): Uint8Array {
  const read = readers[codec]
  const out = new DataView(new ArrayBuffer(data.length * 2))
  data.forEach((byte, index) => {
    out.setInt16(index * 2, read(byte), true)
  })
  return new Uint8Array(out.buffer)
}
