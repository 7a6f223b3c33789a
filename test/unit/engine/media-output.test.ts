/** @file Joining segments into a file, with the real muxer and a real folder. */
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { MediaOutput } from '../../../src/renderer/engine/media/encode/media-output.ts'
import type { PlacedSegment } from '../../../src/renderer/engine/media/encode/packet-places.ts'
import { sample, shortClip } from '../../fixtures/clip.ts'
import { mediaFacts } from '../../fixtures/media-facts.ts'
import { jobFolder, type JobFolder } from './job-folder.ts'
import { openItem, segmentsOf } from './segments-of.ts'

let folder: JobFolder

beforeEach(() => {
  folder = jobFolder()
  copyFileSync(sample.video, folder.path('clip'))
})

const bytesAt = (places: PlacedSegment['places']): Buffer => {
  const file = readFileSync(folder.path('output.mp4'))
  return Buffer.concat(places.map(([at, length]) => file.subarray(at, at + length)))
}

it('segments that are joined have the same packets and sound, and lie in the file where it is told', async () => {
  const media = await openItem('clip')
  const segments = await segmentsOf(media.video, 25)
  const output = await MediaOutput.open(folder.url, media)
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
  const [made, original] = await Promise.all([mediaFacts(folder.path('output.mp4')), mediaFacts(sample.video)])
  expect(made).toEqual(original)
  expect(original.audio?.packets).toBeGreaterThan(100)
})

it('segments that are joined are put in the same places again by a run that goes on, over whatever was there', async () => {
  const media = await openItem('clip')
  const segments = await segmentsOf(media.video, 25)
  const run = async (): Promise<Buffer> => {
    const output = await MediaOutput.open(folder.url, media)
    for (const segment of segments) await output.add(segment)
    await output.finish()
    return readFileSync(folder.path('output.mp4')).subarray(100_000)
  }
  const first = await run()
  writeFileSync(folder.path('output.mp4'), Buffer.alloc(3_000_000, 7))
  expect(await run()).toEqual(first)
})

it('segments do not wait in memory for a sound that begins late', async () => {
  await shortClip(folder.path('late.mp4'), 150, 25, 5)
  const media = await openItem('late.mp4')
  expect(await media.audio[0]?.track.getFirstTimestamp()).toBeCloseTo(5, 1)
  const output = await MediaOutput.open(folder.url, media)
  let bytes = 0
  for (const segment of (await segmentsOf(media.video, 25)).slice(0, 3)) {
    await output.add(segment)
    expect(statSync(folder.path('output.mp4')).size).toBeGreaterThan(bytes)
    bytes += segment.packets.reduce((sum, { data }) => sum + data.length, 0)
  }
  await output.cancel()
})
