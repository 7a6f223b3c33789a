/** @file Minimal zip writer (APPNOTE 6.3.10): deflate, UTF-8 names. Pure. */
import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  /** With `/` as separator. */
  name: string
  data: Buffer
}

const utf8Names = 0x0800
const deflated = 8
/** 2.0: supports deflate. */
const neededVersion = 20

/** MS-DOS date and time: from 1980, in steps of 2 s. */
function dosTime(at: Date): { time: number; date: number } {
  return {
    time: (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1),
    date: ((at.getFullYear() - 1980) << 9) | ((at.getMonth() + 1) << 5) | at.getDate(),
  }
}

export function makeZip(entries: readonly ZipEntry[], at: Date): Buffer {
  const { time, date } = dosTime(at)
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, data } of entries) {
    const packed = deflateRawSync(data)
    const nameBytes = Buffer.from(name)
    // Fields shared by the local header and the central directory.
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(neededVersion, 0)
    shared.writeUInt16LE(utf8Names, 2)
    shared.writeUInt16LE(deflated, 4)
    shared.writeUInt16LE(time, 6)
    shared.writeUInt16LE(date, 8)
    shared.writeUInt32LE(crc32(data), 10)
    shared.writeUInt32LE(packed.length, 14)
    shared.writeUInt32LE(data.length, 18)
    shared.writeUInt16LE(nameBytes.length, 22)
    const header = Buffer.concat([signature(0x04034b50), shared, nameBytes])
    const madeBy = Buffer.alloc(2)
    madeBy.writeUInt16LE(neededVersion)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(signature(0x02014b50), madeBy, shared, rest, nameBytes)
    parts.push(header, packed)
    offset += header.length + packed.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(list.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, list, signature(0x06054b50), end])
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
