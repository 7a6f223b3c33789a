/** @file Where a muxer put the packets it was given, found by comparing bytes. */
import type { EncodedPacket } from 'mediabunny'

/** Byte offset and length in the file. */
export type Place = [at: number, length: number]

/** A segment of which every packet lies in the file. */
export interface PlacedSegment {
  /** Counted from 0. */
  segment: number
  places: Place[]
}

interface Expected {
  segment: number
  /** As given to the muxer. */
  data: Uint8Array
  /** Bytes put before the packet's own. */
  added: number
}

/** A muxer that is so many segments behind changes what it is given, or holds it for too long. */
const maxBehind = 4

/** Packets come out in their order, many in one piece, which holds nothing else. */
export class PacketPlaces {
  readonly #open = new Map<number, { places: Place[]; missing: number }>()
  #expected: Expected[] = []
  #placed: PlacedSegment[] = []

  /** @param packets all of one segment, as given to the muxer; `added` bytes of each come before its own */
  expect(segment: number, packets: { packet: EncodedPacket; added: number }[]): void {
    const late = this.#expected.findIndex((one) => one.segment > segment - maxBehind)
    this.#passOver(late < 0 ? this.#expected.length : late)
    this.#open.set(segment, { places: [], missing: packets.length })
    this.#expected.push(...packets.map(({ packet, added }) => ({ segment, data: packet.data, added })))
  }

  /** A piece of the file. */
  see(data: Uint8Array, position: number): void {
    const first = this.#expected.findIndex((one) => beginsWith(data, one.data, 0))
    if (first < 0) return
    // They lie in a piece that begins with something else.
    this.#passOver(first)
    for (let at = 0; at < data.length;) {
      const next = this.#expected[0]
      if (!next || !beginsWith(data, next.data, at)) return
      this.#expected.shift()
      this.#note(next, position + at)
      at += next.data.length
    }
  }

  /** Segments that have become whole since the last time. */
  take(): PlacedSegment[] {
    const placed = this.#placed
    this.#placed = []
    return placed
  }

  /** The first packets will not be seen any more, so their segments are never whole. */
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
