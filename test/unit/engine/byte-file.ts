import type { Readable } from '../../../src/renderer/engine/media/containers/boxes.ts'

/** A file in memory, read as `VersionedFile` is. */
export const byteFile = (bytes: Uint8Array): Readable => ({
  size: () => Promise.resolve(bytes.length),
  read: (from, to) => Promise.resolve(new Uint8Array(bytes.subarray(from, to))),
})
