/** @file What an encoder is told, and who goes on where it fails. */
import { CustomVideoEncoder, EncodedPacket, registerEncoder, VideoSample } from 'mediabunny'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { SegmentEncoder } from '../../../src/renderer/engine/media/encode/segment-encoder.ts'
import { pcmRecord } from '../../../src/renderer/engine/media/encode/pcm-avc.ts'
import { hdTags } from '../../../src/renderer/engine/media/pixels/color-tags.ts'

vi.mock('mediabunny', { spy: true })

it.each([
  [24, 24],
  [0.5, 1],
  [240, 60],
])('the encoder of a video of %d frames a second is told of %d', async (fps, told) => {
  // Files share a process: one before may have loaded the encoder with the real mediabunny.
  vi.resetModules()
  const mediabunny = await import('mediabunny')
  const { SegmentEncoder } = await import('../../../src/renderer/engine/media/encode/segment-encoder.ts')
  new SegmentEncoder({ bitrate: 12e6, width: 1920, height: 1080, fps, tags: hdTags }, 'software')
  const config: VideoEncoderConfig = { codec: 'avc1.640028', width: 1920, height: 1080 }
  vi.mocked(mediabunny.VideoSampleSource).mock.lastCall?.[0].onEncoderConfig?.(config)
  expect(config.framerate).toBe(told)
})

const size = { width: 66, height: 34 }
/** Bits per second up to which each frame is encoded, by its time; other frames always are. */
const limits = new Map<number, number>()
/** Bits per second of each encoder that began. */
const rates: number[] = []

/** Gives each frame out two frames later, and fails at those with a limit. */
class FailingEncoder extends CustomVideoEncoder {
  readonly #late: EncodedPacket[] = []
  static override supports(_: string, { width }: VideoEncoderConfig): boolean {
    return width === size.width
  }
  init(): void {
    rates.push(this.config.bitrate ?? 0)
  }
  encode({ timestamp, duration }: VideoSample, { keyFrame = false }: VideoEncoderEncodeOptions): void {
    if ((rates.at(-1) ?? 0) > (limits.get(timestamp) ?? Infinity)) throw new Error('Failed to encode')
    this.#late.push(new EncodedPacket(new Uint8Array([1]), keyFrame ? 'key' : 'delta', timestamp, duration))
    if (this.#late.length > 2) this.#give()
  }
  flush(): void {
    while (this.#late.length > 0) this.#give()
  }
  close(): void {
    this.#late.length = 0
  }
  #give(): void {
    const packet = this.#late.shift()
    const decoderConfig = { codec: 'avc1.42c01f', codedWidth: 66, codedHeight: 34, description: pcmRecord(size) }
    if (packet) this.onPacket(packet, { decoderConfig })
  }
}
registerEncoder(FailingEncoder)

/** Encodes ten frames. @returns their times, with a mark at key frames */
async function encodeTen(encoder: 'hardware' | 'software'): Promise<string> {
  const segment = new SegmentEncoder({ ...size, bitrate: 800_000, fps: 1, tags: hdTags }, encoder)
  try {
    for (let second = 0; second < 10; second += 1) {
      const [format, data] = ['I420', new Uint8Array(66 * 34 * 1.5)] as const
      const init = { format, codedWidth: 66, codedHeight: 34, timestamp: second / 8, duration: 1 / 8 }
      const sample = new VideoSample(data, init)
      await segment.add(sample)
      sample.close()
    }
    const { packets } = await segment.finish()
    return packets.map(({ type, timestamp }) => `${String(timestamp * 8)}${type === 'key' ? '!' : ''}`).join(' ')
  } catch (error) {
    await segment.cancel()
    throw error
  }
}

describe('the software encoder', () => {
  beforeEach(() => {
    limits.clear()
    rates.length = 0
  })

  it('goes on with fewer bits where it fails, and no frame is lost or doubled', async () => {
    limits.set(4 / 8, 200_000)
    expect(await encodeTen('software')).toBe('0! 1 2! 3 4 5 6 7 8 9')
    expect(rates).toEqual([800_000, 400_000, 200_000])
  })

  it('goes on at the last frame, too', async () => {
    limits.set(9 / 8, 400_000)
    expect(await encodeTen('software')).toBe('0! 1 2 3 4 5 6 7! 8 9')
  })

  it('fails where no number of bits is small enough', async () => {
    limits.set(4 / 8, 0)
    await expect(encodeTen('software')).rejects.toThrow('Failed to encode')
    expect(rates.length).toBeLessThan(10)
  })

  it('is what goes on where the hardware fails', async () => {
    limits.set(4 / 8, 200_000)
    await expect(encodeTen('hardware')).rejects.toThrow('Failed to encode')
    expect(rates).toEqual([800_000])
  })
})
