/** @file Copies one audio track's packets into the swapped video, interleaved with the video packets. */
import { EncodedPacketSink, type EncodedAudioPacketSource, type EncodedPacket } from 'mediabunny'
import type { Part } from '../range/swap-plan.ts'
import { packetsOfParts } from './part-sound.ts'
import type { KeptSound } from './sound.ts'

export class AudioCopy {
  readonly #packets: AsyncGenerator<EncodedPacket, void>
  readonly #targets: EncodedAudioPacketSource[]
  readonly #sound: KeptSound
  #next: EncodedPacket | null = null
  /** Duration of the last packet that had one, in seconds. */
  #step = 0
  #first = true
  #done = false

  /** @param parts what to copy; null: all packets */
  constructor(sound: KeptSound, targets: EncodedAudioPacketSource[], parts: readonly Part[] | null = null) {
    this.#packets = parts ? packetsOfParts(sound.track, parts) : new EncodedPacketSink(sound.track).packets()
    this.#sound = sound
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
    return packet.clone({ data: this.#sound.convert(packet.data), duration: this.#step })
  }

  async stop(): Promise<void> {
    await this.#packets.return()
  }
}
