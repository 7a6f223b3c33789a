/**
 * @file The clocks of an MPEG transport stream (ISO/IEC 13818-1) that jump back or far ahead, where recordings were joined.
 * The times in its packets are changed while they are read, so that they go on.
 */
import { fileType } from '@shared/files/file-type.ts'

const sync = 0x47
const wrap = 2 ** 33
/** Ticks of 1/90000 s. A clock that is further ahead has jumped, as in ffmpeg. */
const maxAhead = 10 * 90_000
/** Ticks by which sound alone may reach into what follows, as in ffmpeg. Its packets are moved where they are copied. */
const maxOverlap = 9000
/** Duration in ticks of a stream's last packet, if it has only one. */
const usualStep = 3600

interface Layout {
  /** Bytes before the first packet's sync byte: a time code in M2TS. */
  lead: number
  /** Bytes of a packet. */
  step: number
}

const maxPacket = 204

/** Null if it is no transport stream. @param head the first bytes of the file */
export function layoutOf(head: Uint8Array): Layout | null {
  const layouts = [
    { lead: 0, step: 188 },
    { lead: 4, step: 192 },
    { lead: 0, step: maxPacket },
  ]
  return layouts.find(({ lead, step }) => [0, 1, 2].every((at) => head[lead + at * step] === sync)) ?? null
}

/** The file from its first whole packet on: some recordings begin in the middle of one. */
export async function fromFirstPacket(file: Readable): Promise<Readable> {
  const size = await file.size()
  const head = await file.read(0, Math.min(size, 1024))
  if (fileType(head) !== null) return file
  const from = Array.from({ length: maxPacket }, (_, at) => at).find((at) => layoutOf(head.subarray(at)) !== null) ?? 0
  return { size: () => Promise.resolve(size - from), read: (start, end) => file.read(start + from, end + from) }
}

interface Times {
  stream: number
  isPicture: boolean
  /** Of the packets of sound that have this time; 0 if it isn't told. */
  bytes: number
  /** Offset of the presentation time's five bytes, and of the decoding time's, if there is one. */
  pts: number
  dts: number | null
}

/** Where a packet has times of sound or a picture; null if it has none. @param at offset of its sync byte */
function timesAt(bytes: Uint8Array, at: number): Times | null {
  const byte = (index: number): number => bytes[at + index] ?? 0
  const isStart = (byte(1) & 0x40) !== 0 && (byte(3) & 0x10) !== 0
  if (byte(0) !== sync || !isStart) return null
  const pes = 4 + ((byte(3) & 0x20) === 0 ? 0 : byte(4) + 1)
  if (pes + 19 > 188 || byte(pes) !== 0 || byte(pes + 1) !== 0 || byte(pes + 2) !== 1) return null
  const id = byte(pes + 3)
  const hasMedia = (id >= 0xc0 && id <= 0xef) || id === 0xbd || id === 0xfd
  const said = byte(pes + 7) >> 6
  if (!hasMedia || said < 2) return null
  const stream = ((byte(1) & 0x1f) << 8) | byte(2)
  return {
    stream,
    isPicture: id >= 0xe0 && id <= 0xef,
    bytes: (byte(pes + 4) << 8) | byte(pes + 5),
    pts: at + pes + 9,
    dts: said === 3 ? at + pes + 14 : null,
  }
}

function readTime(bytes: Uint8Array, at: number): number {
  const byte = (index: number): number => bytes[at + index] ?? 0
  return (
    ((byte(0) >> 1) & 7) * 2 ** 30 + ((byte(1) << 7) | (byte(2) >> 1)) * 2 ** 15 + ((byte(3) << 7) | (byte(4) >> 1))
  )
}

function writeTime(bytes: Uint8Array, at: number, time: number): void {
  const value = ((time % wrap) + wrap) % wrap
  bytes[at] = ((bytes[at] ?? 0) & 0xf1) | ((Math.floor(value / 2 ** 30) & 7) << 1)
  const [middle, low] = [Math.floor(value / 2 ** 15) & 0x7fff, value & 0x7fff]
  bytes[at + 1] = middle >> 7
  bytes[at + 2] = ((middle & 0x7f) << 1) | 1
  bytes[at + 3] = low >> 7
  bytes[at + 4] = ((low & 0x7f) << 1) | 1
}

interface Lane {
  /** Last time without wraps, and how long it lasts. */
  last: number
  step: number
  /** Of what had the last time, and of what lasted `step`. */
  bytes: number
  stepBytes: number
  /** The piece that it is in, and the one that it enters with its next packet. */
  piece: number
  next: number | null
}

/** A stream's first packet since the last table, and the end of the span that it had before. */
interface Recent {
  time: number
  position: number
  end: number
}

/** Whether a packet has the table of programs. @param at offset of its sync byte */
const isTable = (bytes: Uint8Array, at: number): boolean => bytes[at + 1] === 0x40 && bytes[at + 2] === 0

/** A stretch between two jumps. Each stream comes to a jump at another place of the file. */
interface Piece {
  /** Of each stream: its first time, and the end of its last. */
  spans: Map<number, { from: number; to: number; isPicture: boolean }>
  /** Any time in it. */
  near: number
}

/** What has to be added to the times of a stream from an offset of the file on. */
interface Change {
  from: number
  piece: number
}

const hasPicture = ({ spans }: Pick<Piece, 'spans'>): boolean => [...spans.values()].some(({ isPicture }) => isPicture)

/** Finds the jumps of a file, which is given in order, and changes times. */
export class TransportClock {
  readonly #lanes = new Map<number, Lane>()
  readonly #pieces: Piece[] = []
  readonly #changes = new Map<number, Change[]>()
  readonly #recent = new Map<number, Recent>()
  #shifts: number[] = []

  constructor(private readonly layout: Layout) {}

  /** First offset at or before `at` at which a packet begins. */
  packetBefore(at: number): number {
    return at - (at % this.layout.step)
  }

  /** @param bytes of whole packets, from `position` of the file */
  learn(bytes: Uint8Array, position: number): void {
    for (const at of this.#packetsIn(bytes)) {
      if (isTable(bytes, at + this.layout.lead)) this.#recent.clear()
      const times = timesAt(bytes, at + this.layout.lead)
      if (times) this.#learnOne(times, readTime(bytes, times.dts ?? times.pts), position + at)
    }
  }

  /** Call when all was learnt. @returns whether any time has to be changed */
  finish(): boolean {
    const first = Math.min(...[...(this.#pieces[0]?.spans.values() ?? [])].map(({ from }) => from))
    // mediabunny takes times near the wrap for negative ones.
    let shift = Number.isFinite(first) && first > wrap / 2 ? usualStep - first : 0
    this.#shifts = []
    for (const { spans } of this.#pieces) {
      // No stream may overlap itself, and all keep their distance.
      const shifts = [...spans].flatMap(([stream, { from }]) => {
        const before = this.#pieces.findLastIndex((piece, at) => at < this.#shifts.length && piece.spans.has(stream))
        const end = this.#pieces[before]?.spans.get(stream)?.to
        return end === undefined ? [] : [end + (this.#shifts[before] ?? 0) - from]
      })
      const needed = shifts.length > 0 ? Math.max(...shifts) : shift
      const isSound = this.#pieces.some(hasPicture) && !hasPicture({ spans })
      const isSmall = needed >= shift && needed - shift <= maxOverlap
      if (!isSound || !isSmall) shift = needed
      this.#shifts.push(shift)
    }
    return this.#shifts.some((one) => one !== 0)
  }

  /** Changes the times of packets in place. @param bytes as of `learn` */
  change(bytes: Uint8Array, position: number): void {
    for (const at of this.#packetsIn(bytes)) {
      const times = timesAt(bytes, at + this.layout.lead)
      if (!times) continue
      const { stream, pts, dts } = times
      const piece = this.#changes.get(stream)?.findLast(({ from }) => from <= position + at)?.piece
      const shift = this.#shifts[piece ?? 0] ?? 0
      if (shift === 0) continue
      for (const place of [pts, dts]) if (place !== null) writeTime(bytes, place, readTime(bytes, place) + shift)
    }
  }

  *#packetsIn(bytes: Uint8Array): Generator<number> {
    const { lead, step } = this.layout
    for (let at = 0; at + lead + 188 <= bytes.length; at += step) yield at
  }

  #learnOne({ stream, bytes, isPicture }: Times, time: number, position: number): void {
    const lane = this.#lanes.get(stream)
    if (!lane) {
      const near = this.#pieces.findLastIndex((piece) => Math.abs(piece.near - time) < maxAhead)
      const first = Math.max(0, near < 0 ? this.#pieces.length - 1 : near)
      const piece = this.#enter({ stream, isPicture }, first, time, position)
      this.#lanes.set(stream, { last: time, step: usualStep, bytes, stepBytes: 0, piece, next: null })
      return
    }
    const end = this.#pieces[lane.piece]?.spans.get(stream)?.to
    if (end !== undefined && !this.#recent.has(stream)) this.#recent.set(stream, { time, position, end })
    const ahead = ((time - lane.last + 1.5 * wrap) % wrap) - wrap / 2
    const now = lane.last + ahead
    const others = [...this.#lanes.values()].filter((one) => one !== lane && one.piece === lane.piece)
    const isLate = ahead > maxAhead && !others.some(({ last }) => Math.abs(last - now) < maxAhead)
    if (ahead < 0 || isLate || lane.next !== null) {
      const known = this.#pieces.findIndex(({ near }, index) => index > lane.piece && Math.abs(near - time) < maxAhead)
      const next = lane.next ?? (known < 0 ? this.#pieces.length : known)
      lane.piece = this.#enter({ stream, isPicture }, next, time, position)
      lane.last = time
      lane.next = null
      if (isPicture) this.#takeAlong(lane.piece)
    } else {
      if (ahead > 0 && ahead <= maxAhead) {
        lane.step = ahead
        lane.stepBytes = lane.bytes
      }
      lane.last = now
    }
    lane.bytes = bytes
    const piece = this.#pieces[lane.piece]
    const span = piece?.spans.get(stream)
    if (!piece || !span) return
    // Several packets of sound may have one time; behind the last time there may be fewer.
    const share = bytes > 0 && lane.stepBytes > 0 ? Math.min(1, bytes / lane.stepBytes) : 1
    span.to = lane.last + Math.round(lane.step * share)
    piece.near = lane.last
  }

  /**
   * Where the picture jumped, sound did, too, maybe by too little to see it: since the last table, with which recordings
   * begin, or with its next packet.
   */
  #takeAlong(piece: number): void {
    for (const [stream, lane] of this.#lanes) {
      if (lane.piece >= piece) continue
      const recent = this.#recent.get(stream)
      const before = this.#pieces[lane.piece]?.spans.get(stream)
      if (!recent || !before) lane.next = piece
      else {
        const { to, isPicture } = before
        before.to = recent.end
        lane.piece = this.#enter({ stream, isPicture }, piece, recent.time, recent.position)
        const span = this.#pieces[piece]?.spans.get(stream)
        if (span) span.to = to
      }
    }
  }

  #enter(
    { stream, isPicture }: Pick<Times, 'stream' | 'isPicture'>,
    piece: number,
    time: number,
    position: number,
  ): number {
    const known = (this.#pieces[piece] ??= { spans: new Map(), near: time })
    known.spans.set(stream, { from: time, to: time + usualStep, isPicture })
    const changes = this.#changes.get(stream) ?? []
    this.#changes.set(stream, [...changes, { from: position, piece }])
    return piece
  }
}

/** What `VersionedFile` offers. */
interface Readable {
  size: () => Promise<number>
  read: (start: number, end: number) => Promise<Uint8Array<ArrayBuffer>>
}

const chunkBytes = 4 * 1024 * 1024

/** The file, or one whose times go on if it is a transport stream with jumps. It is read once for that. */
export async function withSteadyClock(file: Readable): Promise<Readable> {
  const size = await file.size()
  const layout = layoutOf(await file.read(0, Math.min(size, 1024)))
  if (!layout) return file
  const clock = new TransportClock(layout)
  const step = clock.packetBefore(chunkBytes)
  for (let at = 0; at < size; at += step) clock.learn(await file.read(at, Math.min(size, at + step)), at)
  if (!clock.finish()) return file
  return {
    size: () => file.size(),
    read: async (start, end) => {
      const from = clock.packetBefore(start)
      const to = Math.min(size, clock.packetBefore(end - 1) + layout.step)
      const bytes = await file.read(from, to)
      clock.change(bytes, from)
      return bytes.slice(start - from, end - from)
    },
  }
}
