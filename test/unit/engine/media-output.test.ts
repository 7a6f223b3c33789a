/** @file Joining segments into a file, with the real muxer and a real folder; ffmpeg decodes where that is what counts. */
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ALL_FORMATS, EncodedPacket, EncodedPacketSink, FilePathSource, Input, type InputVideoTrack } from 'mediabunny'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { VideoFacts } from '../../../src/renderer/engine/media/media-input.ts'
import { MediaOutput } from '../../../src/renderer/engine/media/media-output.ts'
import type { PlacedSegment } from '../../../src/renderer/engine/media/packet-places.ts'
import type { EncodedSegment } from '../../../src/renderer/engine/media/segment-encoder.ts'
import { sortSound, type KeptSound } from '../../../src/renderer/engine/media/sound.ts'
import { mediaFacts } from '../../fixtures/media-facts.ts'
import { jobFolder, type JobFolder } from './job-folder.ts'

const sample = join(import.meta.dirname, '../../../resources/sample/astronaut-clip.mp4')
const hasFfmpeg = spawnSync('ffmpeg', ['-version']).status === 0
const facts: VideoFacts = {
  ...{ container: 'MP4', codec: 'avc', codedWidth: 1280, codedHeight: 720, width: 1280, height: 720, rotation: 0 },
  ...{ flip: false, durationMs: 6000, frames: 150, fps: 25, timeResolution: 12_800, firstTimestamp: 0, bitrate: 1e6 },
  ...{ audioCodec: 'aac', lostSound: [], view: { a: 1, b: 0, c: 0, d: 0, e: 1, f: 0 } },
}

async function tracksOf(path: string): Promise<{ video: InputVideoTrack; audio: readonly KeptSound[] }> {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS })
  const video = await input.getPrimaryVideoTrack()
  if (!video) throw new Error('no video')
  return { video, audio: (await sortSound(await input.getAudioTracks())).kept }
}

/** A video's packets in segments of so many frames, its times moved by `later` seconds. */
async function segmentsOf(video: InputVideoTrack, frames: number, later = 0): Promise<EncodedSegment[]> {
  const config = await video.getDecoderConfig()
  if (!config) throw new Error('no configuration')
  const segments: EncodedSegment[] = []
  for await (const { data, type, timestamp, duration } of new EncodedPacketSink(video).packets()) {
    if ((segments.at(-1)?.packets.length ?? frames) >= frames) segments.push({ packets: [], config })
    segments.at(-1)?.packets.push(new EncodedPacket(data, type, timestamp + later, duration))
  }
  return segments
}

let folder: JobFolder

beforeEach(() => {
  folder = jobFolder()
})
afterEach(() => {
  folder.remove()
})

const bytesAt = (places: PlacedSegment['places']): Buffer => {
  const file = readFileSync(folder.path('output.mp4'))
  return Buffer.concat(places.map(([at, length]) => file.subarray(at, at + length)))
}

describe('segments that are joined', () => {
  it('have the same packets and sound, and lie in the file where it is told', async () => {
    const { video, audio } = await tracksOf(sample)
    const segments = await segmentsOf(video, 25)
    const output = await MediaOutput.open(folder.url, facts, audio)
    const placed: PlacedSegment[] = []
    for (const segment of segments) {
      for (const one of await output.add(segment)) {
        placed.push(one)
        expect(bytesAt(one.places)).toEqual(Buffer.concat(segments[one.segment]?.packets.map(({ data }) => data) ?? []))
      }
    }
    // Of the last, some packets still wait in the muxer.
    expect(placed.map(({ segment }) => segment)).toEqual([0, 1, 2, 3, 4])
    const { sizeBytes } = await output.finish()
    expect(sizeBytes).toBe(statSync(folder.path('output.mp4')).size)
    const [made, original] = await Promise.all([mediaFacts(folder.path('output.mp4')), mediaFacts(sample)])
    expect(made).toEqual(original)
    expect((await mediaFacts(sample)).audio?.packets).toBeGreaterThan(100)
  })

  it('are put in the same places again by a run that goes on, over whatever was there', async () => {
    const { video, audio } = await tracksOf(sample)
    const segments = await segmentsOf(video, 25)
    const run = async (): Promise<Buffer> => {
      const output = await MediaOutput.open(folder.url, facts, audio)
      for (const segment of segments) await output.add(segment)
      await output.finish()
      return readFileSync(folder.path('output.mp4')).subarray(100_000)
    }
    const first = await run()
    writeFileSync(folder.path('output.mp4'), Buffer.alloc(3_000_000, 7))
    expect(await run()).toEqual(first)
  })
})

const ffmpeg = (args: string[]): void => {
  const { status, stderr } = spawnSync('ffmpeg', ['-v', 'error', ...args])
  if (status !== 0) throw new Error(String(stderr))
}

it.skipIf(!hasFfmpeg)('segments do not wait in memory for a sound that begins late', async () => {
  const late = folder.path('late.mp4')
  ffmpeg(['-i', sample, '-itsoffset', '5', '-i', sample, '-map', '0:v', '-map', '1:a', '-c', 'copy', late])
  const { video, audio } = await tracksOf(late)
  const output = await MediaOutput.open(folder.url, facts, audio)
  let bytes = 0
  for (const segment of (await segmentsOf(video, 25)).slice(0, 3)) {
    await output.add(segment)
    expect(statSync(folder.path('output.mp4')).size).toBeGreaterThan(bytes)
    bytes += segment.packets.reduce((sum, { data }) => sum + data.length, 0)
  }
  await output.cancel()
})

describe.skipIf(!hasFfmpeg)('an encoder that changed its mind', () => {
  const make = (name: string, ...options: string[]): string => {
    const source = ['-f', 'lavfi', '-i', 'testsrc2=size=320x240:rate=25:duration=1']
    const path = folder.path(name)
    ffmpeg([...source, '-c:v', 'libx264', ...options, path])
    return path
  }
  const pictures = (path: string): string[] =>
    spawnSync('ffmpeg', ['-v', 'error', '-i', path, '-f', 'framemd5', '-'], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(',').at(-1)?.trim() ?? '')

  it('is followed by a decoder, with every picture as in the parts', async () => {
    const parts = [
      make('a.mp4', '-profile:v', 'baseline', '-g', '10'),
      make('b.mp4', '-profile:v', 'high', '-refs', '4', '-bf', '0', '-g', '10', '-x264-params', 'cabac=1:8x8dct=1'),
    ]
    const output = await MediaOutput.open(folder.url, { ...facts, frames: 50 }, [])
    const configs = []
    for (const [index, part] of parts.entries()) {
      const { video } = await tracksOf(part)
      for (const segment of await segmentsOf(video, 25, index)) {
        configs.push(segment.config.description)
        await output.add(segment)
      }
    }
    await output.finish()
    expect(configs[0]).not.toEqual(configs[1])
    expect(pictures(folder.path('output.mp4'))).toEqual(parts.flatMap(pictures))
  })
})
