import { EncodedPacket } from 'mediabunny'
import { beforeEach, expect, it } from 'vitest'
import { SegmentWriter } from '../../../src/renderer/engine/jobs/segments/segment-writer.ts'
import { SegmentStore, type Checkpoint } from '../../../src/renderer/engine/jobs/segments/segments.ts'
import type { Encoding } from '../../../src/renderer/engine/media/encode/even-frame.ts'
import type { MediaOutput } from '../../../src/renderer/engine/media/encode/media-output.ts'
import type { EncodedSegment } from '../../../src/renderer/engine/media/encode/segment-encoder.ts'
import { jobFolder, type JobFolder } from './job-folder.ts'

const saved = 5
const job = 'digest of what the swap is made from'
let folder: JobFolder

const segment: EncodedSegment = {
  packets: [new EncodedPacket(Uint8Array.of(1, 2, 3), 'key', 0, 0.04)],
  config: { codec: 'avc1.42001f', codedWidth: 64, codedHeight: 48, description: Uint8Array.of(1, 66, 0, 31) },
}
const checkpoint = (index: number): Checkpoint => ({
  ...{ frames: index + 1, savedMs: (index + 1) * 40, next: null, ranOn: null },
  quality: [{ kind: 'swapped', frames: 1 }],
  weak: { done: [], open: [], gaps: [], seen: [] },
  cover: { there: false, good: false, faces: 0 },
})

beforeEach(async () => {
  folder = jobFolder()
  const store = new SegmentStore(folder.url, job)
  for (let index = 0; index < saved; index += 1) await store.save(segment, checkpoint(index))
})

/** A writer after a restart, and how many segments it has joined. */
function restarted() {
  const joined: EncodedSegment[] = []
  const output = {
    add: (one: EncodedSegment) => {
      joined.push(one)
      return Promise.resolve([])
    },
  }
  const writer = new SegmentWriter({
    store: new SegmentStore(folder.url, job),
    // Only what joins segments is used.
    output: output as unknown as MediaOutput,
    encoding: {} as Encoding,
    encoder: 'software',
    onSaved: () => undefined,
  })
  return { writer, joined }
}

it('tells of each saved segment as soon as it is joined', async () => {
  const { writer, joined } = restarted()
  const told: [number, number][] = []
  const last = await writer.takeUp(new AbortController().signal, ({ savedMs }) => told.push([joined.length, savedMs]))
  expect(told).toEqual([1, 2, 3, 4, 5].map((count) => [count, count * 40]))
  expect(last?.frames).toBe(5)
})

it('stops between two segments when the swap is cancelled', async () => {
  const { writer, joined } = restarted()
  const abort = new AbortController()
  const taking = writer.takeUp(abort.signal, () => abort.abort())
  await expect(taking).rejects.toThrow()
  expect(joined).toHaveLength(1)
})
