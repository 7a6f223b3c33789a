/** @file Copies one audio track's packets into the swapped video, interleaved with the video packets. */
import { EncodedPacketSink, type EncodedAudioPacketSource, type EncodedPacket } from 'mediabunny'
import type { Part } from '../range/swap-plan.ts'
import { packetsOfParts } from './part-sound.ts'
import type { KeptSound } from './sound.ts'

/** Min seconds between packets. The muxer needs times that increase; like ffmpeg, only those that don't are changed. */
const minStep = 0.001

export class AudioCopy {
  readonly #packets: AsyncGenerator<EncodedPacket, void>
  readonly #targets: EncodedAudioPacketSource[]
  readonly #sound: KeptSound
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
  constructor(sound: KeptSound, targets: EncodedAudioPacketSource[], parts: readonly Part[] | null = null, shift = 0) {
    this.#packets = parts ? packetsOfParts(sound, parts) : new EncodedPacketSink(sound.track).packets()
    this.#sound = sound
    this.#shift = parts ? 0 : shift - sound.delay
    this.#targets = targets
  }

  /** Copies all packets that start before `time`, in seconds of the result. */
  async advance(time: number): Promise<void> {
    while (!this.#done) {
      if (!this.#next) {
        const { value } = await this.#packets.next()
        if (!value) {
          this.#done = true
          for (const target of this.#targets) target.close()
          return
        }
        this.#next = this.#made(value)
      }
      if (this.#next.timestamp >= time) return
      const metadata = this.#first ? { decoderConfig: this.#sound.config } : undefined
      for (const target of this.#targets) await target.add(this.#next, metadata)
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
    return packet.clone({ timestamp, data: this.#sound.convert(packet.data), duration: this.#step })
  }

  async stop(): Promise<void> {
    await this.#packets.return()
  }
}
