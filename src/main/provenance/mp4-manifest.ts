/**
 * @file Puts a manifest into an MP4 file with little memory: copies the file, makes room after its first box, and hashes
 * what it writes. ISO/IEC 14496-12; C2PA 2.2, sections A.5 (the box) and 18.7 (the hash `c2pa.hash.bmff.v3`).
 */
import { createHash } from 'node:crypto'
import { readSync, writeSync } from 'node:fs'

/** The `uuid` box that holds manifests. */
const c2paUuid = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex')
/** The box, before the manifest: size, type, uuid, version and flags, purpose, offset of Merkle boxes. */
const headSize = 8 + 16 + 4 + 'manifest\0'.length + 8
const chunkSize = 4 * 1024 * 1024

/** Boxes that aren't hashed. Their readers skip them too. */
const unhashed = ['ftyp', 'mfra', 'free', 'skip']

/** The binding of a manifest to the file. `hash`: SHA-256. */
export const bmffHash = (hash: Uint8Array) => ({
  name: 'jumbf manifest',
  exclusions: [
    { xpath: '/uuid', data: [{ offset: 8, value: [...c2paUuid] }] },
    ...unhashed.map((type) => ({ xpath: `/${type}` })),
  ],
  alg: 'sha256',
  hash: [...hash],
})

interface Box {
  type: string
  start: number
  size: number
  headSize: number
  isManifest: boolean
}

/** Why a file can't take a manifest: it isn't a plain MP4 file, or its tables can't hold the new addresses. */
export class UnfitMp4 extends Error {}

/**
 * Copies the open file `source` to the empty open file `target`, with a manifest. Earlier manifests are left out.
 *
 * @param size of the manifest, in bytes; it has to be the same for each hash
 * @param manifestFor makes the manifest for a hash
 * @throws UnfitMp4, file system errors
 */
export async function embedInMp4(
  { source, sourceSize, target }: { source: number; sourceSize: number; target: number },
  size: number,
  manifestFor: (hash: Uint8Array) => Promise<Uint8Array>,
): Promise<void> {
  const boxes = topBoxes(source, sourceSize)
  const [first] = boxes
  if (first?.type !== 'ftyp') throw new UnfitMp4('the file has no type')
  if (!boxes.some(({ type }) => type === 'moov')) throw new UnfitMp4('the file has no index')
  // Fragmented files have other kinds of addresses.
  if (boxes.some(({ type }) => type === 'moof' || type === 'meta')) throw new UnfitMp4('the file is in fragments')
  const room = headSize + size
  const hash = createHash('sha256')
  let position = 0
  const write = (data: Uint8Array): void => {
    writeAll(target, data, position)
    position += data.length
  }
  write(read(source, first.start, first.size))
  const roomStart = position
  write(new Uint8Array(room))
  const kept = boxes.slice(1).filter(({ isManifest }) => !isManifest)
  // New position of everything that follows the first box.
  const moves = kept.map((box, at) => {
    const before = kept.slice(0, at).reduce((sum, each) => sum + each.size, 0)
    return { start: box.start, end: box.start + box.size, by: roomStart + room + before - box.start }
  })
  for (const box of kept) {
    const isHashed = !unhashed.includes(box.type)
    if (isHashed) hash.update(uint64(position))
    if (box.type === 'moov') {
      const index = moveChunks(read(source, box.start, box.size), box.headSize, moves)
      hash.update(index)
      write(index)
      continue
    }
    for (let done = 0; done < box.size; done += chunkSize) {
      const chunk = read(source, box.start + done, Math.min(chunkSize, box.size - done))
      if (isHashed) hash.update(chunk)
      write(chunk)
    }
  }
  const manifest = await manifestFor(hash.digest())
  // No space may be left: some readers skip only one `free` box, and the file may have one.
  if (manifest.length !== size) throw new Error('the manifest has another size than its reserved space')
  const head = Buffer.alloc(8)
  head.writeUInt32BE(room)
  head.write('uuid', 4, 'latin1')
  writeAll(target, Buffer.concat([head, c2paUuid, manifestHead, manifest]), roomStart)
}

/** Version and flags, purpose, and no Merkle boxes. */
const manifestHead = Buffer.concat([Buffer.alloc(4), Buffer.from('manifest\0'), Buffer.alloc(8)])

function topBoxes(file: number, fileSize: number): Box[] {
  const boxes: Box[] = []
  for (let start = 0; start < fileSize;) {
    const head = read(file, start, Math.min(32, fileSize - start))
    const box = readHead(head, fileSize - start)
    if (box === null) throw new UnfitMp4('a box is broken')
    boxes.push({ ...box, start, isManifest: box.type === 'uuid' && head.subarray(8, 24).equals(c2paUuid) })
    start += box.size
  }
  return boxes
}

/** @param left bytes until the end of what holds the box */
function readHead(head: Buffer, left: number): Pick<Box, 'type' | 'size' | 'headSize'> | null {
  if (head.length < 8) return null
  const short = head.readUInt32BE(0)
  if (short === 1 && head.length < 16) return null
  const headSize = short === 1 ? 16 : 8
  // 0: until the end.
  const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? left : short
  return size < headSize || size > left ? null : { type: head.toString('latin1', 4, 8), size, headSize }
}

const containers = new Set(['trak', 'mdia', 'minf', 'stbl'])

/** Changes the addresses of chunks in a `moov` box. */
function moveChunks(box: Buffer, start: number, moves: readonly { start: number; end: number; by: number }[]): Buffer {
  const moved = (address: number): number => {
    const move = moves.find(({ start, end }) => address >= start && address < end)
    // An address outside of the file is wrong anyway.
    return address + (move?.by ?? 0)
  }
  const walk = (from: number, to: number): void => {
    for (let at = from; at < to;) {
      const found = readHead(box.subarray(at), to - at)
      if (found === null) throw new UnfitMp4('a box is broken')
      const content = at + found.headSize
      const end = at + found.size
      if (containers.has(found.type)) walk(content, end)
      const width = { stco: 4, co64: 8 }[found.type]
      if (width !== undefined) {
        const count = box.readUInt32BE(content + 4)
        const first = content + 8
        if (first + count * width > end) throw new UnfitMp4('a box is broken')
        for (let entry = first; entry < first + count * width; entry += width) {
          if (width === 8) box.writeBigUInt64BE(BigInt(moved(Number(box.readBigUInt64BE(entry)))), entry)
          else {
            const address = moved(box.readUInt32BE(entry))
            if (address > 0xffff_ffff) throw new UnfitMp4('the file is too large for its tables')
            box.writeUInt32BE(address, entry)
          }
        }
      }
      at = end
    }
  }
  walk(start, box.length)
  return box
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

/** Reads exactly `length` bytes. */
function read(file: number, start: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length)
  for (let done = 0; done < length;) {
    const count = readSync(file, buffer, done, length - done, start + done)
    if (count === 0) throw new UnfitMp4('the file is shorter than it was')
    done += count
  }
  return buffer
}

function writeAll(file: number, data: Uint8Array, position: number): void {
  for (let done = 0; done < data.length;) done += writeSync(file, data, done, data.length - done, position + done)
}
