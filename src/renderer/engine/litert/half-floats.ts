/**
 * @file A model whose weights are stored as 16-bit floats. Layout, little-endian: the number of ranges (u32); for each,
 * its start in bytes in the model and its number of floats (u32); all floats; the rest of the model.
 * `scripts/models/halve-segmenter.mjs` writes it.
 */

/** @returns the model with its weights as 32-bit floats @throws RangeError if the file is cut off */
export function widen(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const head = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const ranges = Array.from({ length: head.getUint32(0, true) }, (_, index) => ({
    start: head.getUint32(4 + 8 * index, true),
    count: head.getUint32(8 + 8 * index, true),
  }))
  const floats = ranges.reduce((sum, { count }) => sum + count, 0)
  const floatsAt = 4 + 8 * ranges.length
  const halves = new Float16Array(file.slice(floatsAt, floatsAt + 2 * floats).buffer)
  let rest = floatsAt + 2 * floats
  const model = new Uint8Array(file.length - rest + 4 * floats)
  let [at, done] = [0, 0]
  for (const { start, count } of ranges) {
    model.set(file.subarray(rest, rest + start - at), at)
    rest += start - at
    new Float32Array(model.buffer, start, count).set(halves.subarray(done, done + count))
    done += count
    at = start + 4 * count
  }
  model.set(file.subarray(rest), at)
  return model
}
