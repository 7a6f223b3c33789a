/**
 * @file Decodes the frames of one video file from a given time, a few ahead. It stops reading and decoding when it has
 * those few, so memory is bounded and it is idle while playback is paused. Times in seconds.
 */
import {
  ALL_FORMATS,
  EncodedPacketSink,
  Input,
  UrlSource,
  VideoSampleSink,
  type InputVideoTrack,
  type VideoSample,
} from 'mediabunny'
import { MienError } from '@shared/errors.ts'
import { sameTime, type DecodedFrames } from '../logic/pictures/frame-pair.ts'

/** The shown frame and the next ones. The sink buffers a few more. */
const maxFrames = 4
/** Up to this many seconds ahead, a seek continues decoding; beyond it, decoding restarts at a key frame. */
const nearby = 1
const metadataOnly = { metadataOnly: true } as const

export interface FrameReaderEvents {
  /** More frames are decoded, or the last one is. */
  onframes: () => void
  onerror: () => void
}

/** @throws MienError `codec-unsupported`; other errors for a file that cannot be read */
export async function openFrames(url: string, events: FrameReaderEvents): Promise<FrameReader> {
  const source = new UrlSource(url, {
    getRetryDelay: () => null,
    maxCacheSize: 16 * 1024 * 1024,
    // The read that needs the bytes reports the error.
    handleUnhandledError: () => undefined,
  })
  const input = new Input({ source, formats: ALL_FORMATS })
  try {
    const track = await input.getPrimaryVideoTrack()
    if (track === null) throw new MienError('no-video-track')
    if (!(await track.canDecode())) {
      const ownName = await track.getInternalCodecId()
      throw new MienError('codec-unsupported', {
        codec: (await track.getCodec()) ?? (typeof ownName === 'string' ? ownName : null),
      })
    }
    const sound = await input.getPrimaryAudioTrack()
    return new FrameReader(input, track, await input.computeDuration(), sound !== null, events)
  } catch (error) {
    input.dispose()
    throw error
  }
}

export class FrameReader implements DecodedFrames {
  readonly duration: number
  readonly hasSound: boolean
  readonly #input: Input
  readonly #packets: EncodedPacketSink
  readonly #samples: VideoSampleSink
  readonly #events: FrameReaderEvents
  #frames: VideoSample[] = []
  #ended = false
  /** The current decoding run; a seek replaces it. */
  #run: AsyncGenerator<VideoSample, void> | null = null
  /** Drop frames that end before this time. */
  #from = -Infinity
  #onroom: () => void = () => undefined

  constructor(input: Input, track: InputVideoTrack, duration: number, hasSound: boolean, events: FrameReaderEvents) {
    this.#input = input
    this.#packets = new EncodedPacketSink(track)
    this.#samples = new VideoSampleSink(track)
    this.#events = events
    this.duration = duration
    this.hasSound = hasSound
  }

  get times(): readonly number[] {
    return this.#frames.map((frame) => frame.timestamp)
  }
  get ended(): boolean {
    return this.#ended
  }

  frame(index: number): VideoSample | null {
    return this.#frames[index] ?? null
  }

  /** Drops all frames before `index`. */
  dropBefore(index: number): void {
    for (const frame of this.#frames.splice(0, index)) frame.close()
    this.#onroom()
  }

  /** Timestamp of the frame shown at a time. Reads only the index and decodes nothing. */
  async frameTime(time: number): Promise<number> {
    const packet =
      (await this.#packets.getPacket(time + sameTime, metadataOnly)) ??
      (await this.#packets.getFirstPacket(metadataOnly))
    return packet?.timestamp ?? 0
  }

  /** Timestamp of the frame before or after the one that starts at `time`; `time` if there is none. */
  async neighbour(time: number, direction: 1 | -1): Promise<number> {
    if (direction < 0) {
      return (await this.#packets.getPacket(time - sameTime, metadataOnly))?.timestamp ?? time
    }
    let found = time
    for (let reach = 0.02; found <= time + sameTime; reach *= 2) {
      if (time + reach > this.duration * 2 + 1) return time
      found = await this.frameTime(time + reach)
    }
    // Step back: there may be frames in between.
    for (;;) {
      const earlier = await this.neighbour(found, -1)
      if (earlier <= time + sameTime || earlier === found) return found
      found = earlier
    }
  }

  /** Seeks to the frame shown at a time and decodes from there. */
  seek(time: number): void {
    const [first] = this.#frames
    const last = this.#frames.at(-1)
    const isAhead = first !== undefined && first.timestamp <= time + sameTime
    const isNear = this.#ended || (last !== undefined && time <= last.timestamp + nearby)
    this.#from = time
    if (this.#run !== null && isAhead && isNear) {
      const next = this.#frames.findIndex((frame) => frame.timestamp > time + sameTime)
      this.dropBefore((next === -1 ? this.#frames.length : next) - 1)
      return
    }
    this.#stop()
    const run = this.#samples.samples(time)
    this.#run = run
    void this.#decode(run)
  }

  close(): void {
    this.#stop()
    this.#input.dispose()
  }

  #stop(): void {
    void this.#run?.return()
    this.#run = null
    this.#ended = false
    this.dropBefore(this.#frames.length)
  }

  async #decode(run: AsyncGenerator<VideoSample, void>): Promise<void> {
    try {
      for await (const frame of run) {
        if (this.#run !== run) {
          frame.close()
          return
        }
        if (frame.timestamp <= this.#from + sameTime) this.dropBefore(this.#frames.length)
        this.#frames.push(frame)
        this.#events.onframes()
        while (this.#run === run && this.#frames.length >= maxFrames) {
          await new Promise<void>((resolve) => (this.#onroom = resolve))
        }
      }
      if (this.#run !== run) return
      this.#ended = true
      this.#events.onframes()
    } catch {
      if (this.#run === run) this.#events.onerror()
    }
  }
}
