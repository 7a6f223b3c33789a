/** @file Finds the file offsets at which a muxer wrote its packets, by comparing bytes. */
import type { EncodedPacket } from 'mediabunny'

/** Byte offset and length in the file. */
export type Place = [at: number, length: number]

/** A segment whose packets are all in the file. */
export interface PlacedSegment {
  /** Counted from 0. */
  segment: number
  places: Place[]
}

interface Expected {
  segment: number
  /** Data passed to the muxer. */
  data: Uint8Array
  /** Number of bytes prepended to the packet's own data. */
  added: number
}

/** Packets this many segments late are given up: the muxer changed their data or buffers too long. */
const maxBehind = 4

/** Assumes that packets are written in order, as chunks that contain only packets. */
export class PacketPlaces {
  readonly #open = new Map<number, { places: Place[]; missing: number }>()
  #expected: Expected[] = []
  #placed: PlacedSegment[] = []

  /** @param packets all packets of one segment as passed to the muxer; `added` counts prepended bytes */
  expect(segment: number, packets: { packet: EncodedPacket; added: number }[]): void {
    const late = this.#expected.findIndex((one) => one.segment > segment - maxBehind)
    this.#passOver(late < 0 ? this.#expected.length : late)
    this.#open.set(segment, { places: [], missing: packets.length })
    this.#expected.push(...packets.map(({ packet, added }) => ({ segment, data: packet.data, added })))
  }

  /** Searches a chunk written at `position` for expected packets. */
  see(data: Uint8Array, position: number): void {
    const first = this.#expected.findIndex((one) => beginsWith(data, one.data, 0))
    if (first < 0) return
    // Skipped packets were in a chunk that starts with other data, so they weren't found.
    this.#passOver(first)
    for (let at = 0; at < data.length;) {
      const next = this.#expected[0]
      if (!next || !beginsWith(data, next.data, at)) return
      this.#expected.shift()
      this.#note(next, position + at)
      at += next.data.length
    }
  }

  /** Segments completed since the last call. */
  take(): PlacedSegment[] {
    const placed = this.#placed
    this.#placed = []
    return placed
  }

  /** Gives up the first `count` packets and their segments. */
  #passOver(count: number): void {
    for (const { segment } of this.#expected.splice(0, count)) this.#open.delete(segment)
  }

  #note({ segment, data, added }: Expected, at: number): void {
    const open = this.#open.get(segment)
    if (!open) return
    const place: Place = [at + added, data.length - added]
    const last = open.places.at(-1)
    if (last && last[0] + last[1] === place[0]) last[1] += place[1]
    else open.places.push(place)
    open.missing -= 1
    if (open.missing > 0) return
    this.#open.delete(segment)
    this.#placed.push({ segment, places: open.places })
  }
}

function beginsWith(data: Uint8Array, part: Uint8Array, at: number): boolean {
  if (at + part.length > data.length || part.length === 0) return false
  for (let index = 0; index < part.length; index += 1) if (data[at + index] !== part[index]) return false
  return true
}
