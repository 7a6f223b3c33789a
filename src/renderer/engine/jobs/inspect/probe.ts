/** @file Tests the encoders as a swap uses them: encodes a 720p segment, muxes it into MP4 and decodes it again. */
import {
  BufferSource,
  BufferTarget,
  EncodedVideoPacketSource,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
  VideoSample,
  VideoSampleSink,
} from 'mediabunny'
import type { Encoder, ProbeResult } from '@shared/engine/encoder.ts'
import { tryEncoder, type TrialPort } from '../../media/encode/encoder-trial.ts'
import { hdTags } from '../../media/pixels/color-tags.ts'
import { readFrame } from '../../media/pixels/frame-planes.ts'
import { planesByteLength, planesOver, type Planes } from '../../media/pixels/planes.ts'
import { canEncode, SegmentEncoder, type EncodedSegment } from '../../media/encode/segment-encoder.ts'

const width = 1280
const height = 720
const fps = 25
/** Frames per segment. */
const frames = 100
const encoding = { width, height, fps, bitrate: 4_500_000, tags: hdTags }
const colorSpace = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const

export async function probe(signal: AbortSignal): Promise<ProbeResult> {
  const pictures = testPictures()
  // One after the other, because they compete for the CPU.
  const software = await tryEncoder(portFor('software', signal), pictures)
  const hardware = await tryEncoder(portFor('hardware', signal), pictures)
  return { hardware, software }
}

function portFor(encoder: Encoder, signal: AbortSignal): TrialPort {
  let segment: EncodedSegment | null = null
  return {
    isThere: () => canEncode(encoding, encoder),
    encode: async (pictures) => {
      const started = performance.now()
      const trial = new SegmentEncoder(encoding, encoder)
      for (const [index, { y }] of pictures.entries()) {
        signal.throwIfAborted()
        const size = { format: 'I420', codedWidth: width, codedHeight: height, colorSpace } as const
        const sample = new VideoSample(new Uint8Array(y.buffer), { ...size, timestamp: index / fps, duration: 1 / fps })
        await trial.add(sample)
        sample.close()
      }
      segment = await trial.finish()
      return performance.now() - started
    },
    decoded: () => decoded(segment, signal),
  }
}

async function* decoded(segment: EncodedSegment | null, signal: AbortSignal): AsyncGenerator<Planes, void> {
  if (!segment) return
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat(), target })
  const source = new EncodedVideoPacketSource('avc')
  output.addVideoTrack(source)
  await output.start()
  for (const packet of segment.packets) await source.add(packet, { decoderConfig: segment.config })
  await output.finalize()
  const input = new Input({ source: new BufferSource(target.buffer ?? new ArrayBuffer()), formats: [MP4] })
  try {
    const track = await input.getPrimaryVideoTrack()
    if (!track) return
    const buffer = new ArrayBuffer(planesByteLength(width, height))
    const samples = new VideoSampleSink(track, { hardwareAcceleration: 'prefer-software' }).samples()
    for await (const sample of samples) {
      signal.throwIfAborted()
      yield await readFrame(sample, width, height, { matrix: 'bt709', full: false }, buffer)
      sample.close()
    }
  } finally {
    input.dispose()
  }
}

/** A pattern that moves diagonally, forwards and back. No two planes are alike. */
function testPictures(): Planes[] {
  const length = 20
  const made = Array.from({ length }, (_, index) => testPicture(index))
  return Array.from({ length: frames }, (_, index) => {
    const at = index % (2 * length - 2)
    return made[at < length ? at : 2 * length - 2 - at]
  }).filter((picture) => picture !== undefined)
}

function testPicture(index: number): Planes {
  const planes = planesOver(new ArrayBuffer(planesByteLength(width, height)), width, height)
  const wave = (count: number, period: number, depth: number, moved: number): Float32Array =>
    Float32Array.from({ length: count }, (_, at) => depth * Math.sin(((at + moved) * 2 * Math.PI) / period))
  // Each picture moves 8 pixels in x and 4 in y.
  const across = wave(width, 97, 45, index * 8)
  const down = wave(height, 61, 30, index * 4)
  const slant = wave(width + height, 23, 15, index * 12)
  for (let row = 0, at = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1, at += 1)
      planes.y[at] = 126 + (across[column] ?? 0) + (down[row] ?? 0) + (slant[row + column] ?? 0)
  const blue = wave(width / 2, 140, 50, index * 4)
  const red = wave(height / 2, 90, 50, index * 2)
  for (let row = 0, at = 0; row < height / 2; row += 1)
    for (let column = 0; column < width / 2; column += 1, at += 1) {
      planes.u[at] = 128 + (blue[column] ?? 0)
      planes.v[at] = 128 + (red[row] ?? 0)
    }
  return planes
}
