import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { defaultOptions } from '@shared/options/swap-options.ts'
import {
  readPackets,
  readSegment,
  segmentName,
} from '../../../../../../src/main/service/cluster/worker/segment-files.ts'
import { SegmentEngine } from '../../../../../fixtures/segment-engine.ts'
import { tempDir } from '../../../../../fixtures/temp-dir.ts'

/** A folder with two segments, whose packets are in `output.mp4`. */
async function swapped(): Promise<string> {
  const dir = tempDir()
  const [video, work] = [join(dir, 'video'), join(dir, 'work')]
  writeFileSync(video, 'a video')
  mkdirSync(work)
  await new SegmentEngine({ segments: 2 }).swap({
    ...{ cast: [], stay: [], video, range: null, options: defaultOptions, dir: work },
    onProgress: () => undefined,
    signal: new AbortController().signal,
  })
  return work
}

it('reads packets that are in the output', async () => {
  const work = await swapped()
  const packets: Buffer[] = []
  for (const index of [0, 1]) {
    const segment = await readSegment(work, index)
    expect(segment).toMatchObject({ frames: (index + 1) * 10, savedMs: (index + 1) * 1000 })
    const data = segment && (await readPackets(work, index, segment))
    expect(data?.equals(readFileSync(join(work, segmentName(index, 'bin'))))).toBe(false)
    packets.push(data ?? Buffer.alloc(0))
  }
  const output = readFileSync(join(work, 'output.mp4'))
  expect(Buffer.concat(packets).equals(output.subarray('header'.length))).toBe(true)
  expect(await readSegment(work, 2)).toBeNull()
})

it('reads nothing that is damaged', async () => {
  const work = await swapped()
  const segment = await readSegment(work, 0)
  if (!segment) throw new Error('the engine saved no segment')
  const output = readFileSync(join(work, 'output.mp4'))
  writeFileSync(join(work, 'output.mp4'), output.subarray(0, 100))
  expect(await readPackets(work, 0, segment)).toBeNull()
  output[200] = (output[200] ?? 0) ^ 1
  writeFileSync(join(work, 'output.mp4'), output)
  expect(await readPackets(work, 0, segment)).toBeNull()
  writeFileSync(join(work, segmentName(0, 'bin')), 'neither packets nor places')
  expect(await readPackets(work, 0, segment)).toBeNull()
  writeFileSync(join(work, segmentName(0, 'json')), segment.text.replace('frames', 'Frames'))
  expect(await readSegment(work, 0)).toBeNull()
})
