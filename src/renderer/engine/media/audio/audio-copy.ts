/**
 * @file Copies one audio track's packets into the swapped video, interleaved with the video packets. If only parts of the
 * video are in the result, cuts the track to them, at its packets.
 */
import { EncodedPacketSink, type EncodedPacket, type EncodedAudioPacketSource } from 'mediabunny'
import type { Part } from '../range/swap-plan.ts'
import type { KeptSound } from './sound.ts'

/** Seconds before a part at which to look for its first packet; longer than any packet. */
const reach = 1

/**
 * The packets of all parts, with their times in the result.
 *
 * Packets follow the sound before without a gap, if there is sound: a part's first packet is the one whose beginning is
 * nearest to the end of the sound so far, and its last one is the last that begins at least half a packet before the
 * part ends. All packets of a part are shifted alike, so that the sound is at most half a packet off the picture.
 */
export async function* packetsOfParts(
  { track, delay }: Pick<KeptSound, 'track' | 'delay'>,
  parts: readonly Pick<Part, 'from' | 'to' | 'shift'>[],
  options: { metadataOnly?: boolean } = {},
): AsyncGenerator<EncodedPacket, void> {
  const sink = new EncodedPacketSink(track)
  /** End of the sound so far, in the result. */
  let end = 0
  /** Duration of the last packet that had one: Matroska's last one has none. */
  let step = 0
  for (const part of parts) {
    // In the track's times.
    const [from, to, shift] = [part.from + delay, part.to + delay, part.shift - delay]
    let moved: number | null = null
    const first = await sink.getPacket(from - reach, options)
    for await (const packet of sink.packets(first ?? undefined, undefined, options)) {
      if (packet.duration > 0) step = packet.duration
      if (moved === null) {
        const early = end - (packet.timestamp + shift)
        if (early > step / 2) continue
        moved = early > -step / 2 ? shift + early : shift
      }
      const timestamp = packet.timestamp + moved
      if (timestamp >= to + shift - step / 2) break
      yield packet.clone({ timestamp })
      end = timestamp + step
    }
  }
}

/** Min seconds between packets. The muxer needs times that increase; like ffmpeg, only those that don't are changed. */
const minStep = 0.001

export class AudioCopy {
  readonly #packets: AsyncGenerator<EncodedPacket, void>
  readonly #shift: number
  #next: EncodedPacket | null = null
  /** Duration of the last packet that had one, and the time of the last, in seconds. */
  #step = 0
  #last = -Infinity
  #first = true
  #done = false

  /**
   * @param parts what to copy; null: all packets
   * @param shift seconds that are added to the times of all packets, if there are no parts
   */
  constructor(
    private readonly sound: KeptSound,
    private readonly targets: EncodedAudioPacketSource[],
    parts: readonly Part[] | null = null,
    shift = 0,
  ) {
    this.#packets = parts ? packetsOfParts(sound, parts) : new EncodedPacketSink(sound.track).packets()
    this.#shift = parts ? 0 : shift - sound.delay
  }

  /** Copies all packets that start before `time`, in seconds of the result. */
  async advance(time: number): Promise<void> {
    while (!this.#done) {
      if (!this.#next) {
        const { value } = await this.#packets.next()
        if (!value) {
          this.#done = true
          for (const target of this.targets) target.close()
          return
        }
        this.#next = this.#made(value)
      }
      if (this.#next.timestamp >= time) return
      const metadata = this.#first ? { decoderConfig: this.sound.config } : undefined
      for (const target of this.targets) await target.add(this.#next, metadata)
      this.#first = false
      this.#next = null
    }
  }

  /** Matroska's last packet has no duration. With 0 the track would end before it, so use the previous duration. */
  #made(packet: EncodedPacket): EncodedPacket {
    if (packet.duration > 0) this.#step = packet.duration
    // Where two recordings were joined, the sound of the first may reach into the second.
    const timestamp = Math.max(packet.timestamp + this.#shift, this.#last + minStep)
    this.#last = timestamp
    return packet.clone({ timestamp, data: this.sound.convert(packet.data), duration: this.#step })
  }

  async stop(): Promise<void> {
    await this.#packets.return()
  }
}
