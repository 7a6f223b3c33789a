import { identity } from '../../../src/renderer/engine/common/affine.ts'
import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { EncodedPacket } from 'mediabunny'
import { beforeEach, describe, expect, it } from 'vitest'
import { SegmentWriter } from '../../../src/renderer/engine/jobs/segments/segment-writer.ts'
import { SegmentStore, type Checkpoint } from '../../../src/renderer/engine/jobs/segments/segments.ts'
import type { Encoding } from '../../../src/renderer/engine/media/encode/even-frame.ts'
import type { MediaOutput } from '../../../src/renderer/engine/media/encode/media-output.ts'
import type { EncodedSegment } from '../../../src/renderer/engine/media/encode/segment-encoder.ts'
import { jobFolder, type JobFolder } from './job-folder.ts'

const job = 'digest of what the swap is made from'
const points = Float32Array.from({ length: 956 }, (_, at) => at / 7)

const checkpoint = (index: number): Checkpoint => ({
  frames: (index + 1) * 3,
  quality: [{ kind: 'swapped', frames: 3 }],
  weak: { done: [], open: [], gaps: [], seen: [] },
  cover: { there: true, good: false, faces: 1 },
  savedMs: (index + 1) * 120,
  ranOn: { backends: ['wasm'], fellBack: 'absent' },
  next: {
    decodeFrom: index * 0.12,
    index: (index + 1) * 3,
    faces: [
      {
        index: (index + 1) * 3,
        stride: 3,
        shot: 1,
        looks: [index * 3],
        settled: index * 3 - 1,
        tracks: [{ index: index * 3, track: { points, shot: 1, cut: false } }],
        tracker: {
          region: null,
          seenAt: 4,
          searches: 1,
          lost: 0,
          ahead: null,
          known: { pattern: Float32Array.of(1.5, -1), looks: 3 },
        },
        front: {
          map: {
            index: 2,
            shot: 1,
            anchors: points,
            toMap: identity,
            share: Uint8Array.of(0, 255, 7),
            covered: 0.25,
            hasGlasses: true,
          },
          pattern: points,
          covered: Uint8Array.of(0, 1),
          rest: 'covered',
          spots: 5,
        },
      },
    ],
  },
})

const segment = (index: number): EncodedSegment => ({
  packets: [0, 1, 2].map((number) => {
    const data = Uint8Array.from({ length: 50 + number * 9 }, (_, at) => (at * 31 + index * 7 + number) % 256)
    return new EncodedPacket(data, number === 0 ? 'key' : 'delta', index * 0.12 + number * 0.04, 0.04)
  }),
  config: {
    codec: 'avc1.42001f',
    codedWidth: 64,
    codedHeight: 48,
    colorSpace: { matrix: 'bt709' },
    description: Uint8Array.of(1, 66, 0, 31),
  },
})

const plain = ({ packets, config }: EncodedSegment): unknown => ({
  config,
  packets: packets.map(({ data, type, timestamp, duration }) => ({ data: [...data], type, timestamp, duration })),
})

let folder: JobFolder

/** What a later run finds, and its store. */
async function found(of = job) {
  const store = new SegmentStore(folder.url, of)
  const all = []
  for (let one = await store.next(); one; one = await store.next()) all.push(one)
  return { store, all }
}

const read = (name: string): Buffer => readFileSync(folder.path(name))
const write = (name: string, content: string | Uint8Array): void => {
  writeFileSync(folder.path(name), content)
}
const flip = (name: string, at: number): void => {
  const bytes = read(name)
  bytes[at] = (bytes[at] ?? 0) ^ 4
  write(name, bytes)
}
const copy = (from: string, to: string): void => {
  copyFileSync(folder.path(from), folder.path(to))
}
const cut = (name: string, length: number): void => {
  truncateSync(folder.path(name), length)
}
const remove = (name: string): void => {
  rmSync(folder.path(name))
}
/** A checkpoint that says this, and whose digest is right. */
const tell = (name: string, body: string): void => {
  write(name, `${createHash('sha256').update(body).digest('hex')}\n${body}`)
}
const retell = (name: string, from: RegExp, to: string): void => {
  tell(name, read(name).toString().slice(65).replace(from, to))
}
const change = (name: string, changes: object): void => {
  tell(name, JSON.stringify({ ...(JSON.parse(read(name).toString().slice(65)) as object), ...changes }))
}

beforeEach(async () => {
  folder = jobFolder()
  const store = new SegmentStore(folder.url, job)
  for (const index of [0, 1, 2, 3]) await store.save(segment(index), checkpoint(index))
})

it('gives back what was saved', async () => {
  const { all } = await found()
  expect(all.map((one) => one.checkpoint)).toMatchObject([0, 1, 2, 3].map(checkpoint))
  expect(all.map((one) => plain(one.segment))).toEqual([0, 1, 2, 3].map((index) => plain(segment(index))))
})

const [json, bin] = ['segment-0002.json', 'segment-0002.bin']
const damages: Record<string, () => void> = {
  'a checkpoint with a flipped bit in its digest': () => flip(json, 40),
  'a checkpoint with a flipped bit at the end of its digest': () => flip(json, 64),
  'a checkpoint with a flipped bit': () => flip(json, 4000),
  'a checkpoint cut short': () => cut(json, 900),
  'a checkpoint cut within its digest': () => cut(json, 20),
  'an empty checkpoint': () => write(json, ''),
  'a missing checkpoint': () => remove(json),
  'a checkpoint that is text, with a right digest': () => tell(json, 'no JSON'),
  'a checkpoint that is a list, with a right digest': () => tell(json, '[]'),
  'a checkpoint without frames, with a right digest': () => change(json, { frames: undefined }),
  'a checkpoint whose points are no base64, with a right digest': () => retell(json, /(?<="points":")[^"]+/, '%'),
  'a checkpoint whose points are cut, with a right digest': () => retell(json, /(?<="points":")[^"]+/, 'AAA'),
  'a checkpoint with fewer bytes than packets, with a right digest': () => change(json, { packets: [[7, 0, 0, true]] }),
  'a checkpoint with a packet of no time, with a right digest': () => change(json, { packets: [[177, 0, -1, true]] }),
  'packets with a flipped bit': () => flip(bin, 77),
  'packets cut short': () => cut(bin, 60),
  'packets with a byte after them': () => writeFileSync(folder.path(bin), 'x', { flag: 'a' }),
  'empty packets': () => write(bin, ''),
  'missing packets': () => remove(bin),
  'packets that are said to lie in a file that is not there': () => write(bin, '{"output.mp4":[[0,177]]}'),
  'packets that lie nowhere': () => write(bin, '{"output.mp4":[]}'),
  "another segment's packets": () => copy('segment-0001.bin', bin),
  "another segment's checkpoint": () => copy('segment-0001.json', json),
  "another segment's checkpoint and packets": () => {
    copy('segment-0003.json', json)
    copy('segment-0003.bin', bin)
  },
  'two segments in each other’s place': () => {
    for (const kind of ['json', 'bin']) {
      renameSync(folder.path(`segment-0002.${kind}`), folder.path('aside'))
      renameSync(folder.path(`segment-0003.${kind}`), folder.path(`segment-0002.${kind}`))
      renameSync(folder.path('aside'), folder.path(`segment-0003.${kind}`))
    }
  },
}

describe.each(Object.keys(damages))('%s', (name) => {
  it('ends what is taken up, and what is made again from there is as if nothing had been', async () => {
    const names = [0, 1, 2, 3].flatMap((index) => ['json', 'bin'].map((kind) => `segment-000${String(index)}.${kind}`))
    const before = names.map(read)
    damages[name]?.()
    const { store, all } = await found()
    expect(all.map((one) => one.checkpoint.frames)).toEqual([3, 6])
    for (const index of [2, 3]) await store.save(segment(index), checkpoint(index))
    expect(names.map(read)).toEqual(before)
    expect((await found()).all).toHaveLength(4)
  })
})

it('takes up nothing of another job, which begins anew in the same folder', async () => {
  const { store, all } = await found('digest of something else')
  expect(all).toEqual([])
  await store.save(segment(0), checkpoint(0))
  expect((await found('digest of something else')).all).toHaveLength(1)
  expect((await found()).all).toEqual([])
})

it('takes up nothing of a job whose first checkpoint was put before another’s', async () => {
  const first = read('segment-0000.json')
  const { store } = await found('digest of something else')
  await store.save(segment(0), checkpoint(0))
  write('segment-0000.json', first)
  expect((await found('digest of something else')).all).toEqual([])
})

describe('packets that lie in the output', () => {
  const packets = (index: number): Buffer => Buffer.concat(segment(index).packets.map(({ data }) => data))
  /** The segment's first packet, something else, and the other two. */
  const places: [at: number, length: number][] = [
    [4, 50],
    [59, 127],
  ]

  beforeEach(async () => {
    const [first, rest] = [packets(1).subarray(0, 50), packets(1).subarray(50)]
    write('output.mp4', Buffer.concat([Buffer.from('head'), first, Buffer.from('audio'), rest]))
    const { store } = await found()
    await store.giveUp({ segment: 1, places })
  })

  it('are taken from there, and need no room of their own', async () => {
    expect(statSync(folder.path('segment-0001.bin')).size).toBeLessThan(50)
    const segments = (await found()).all.map((one) => plain(one.segment))
    expect(segments).toEqual([0, 1, 2, 3].map((index) => plain(segment(index))))
  })

  it.each<[string, () => void]>([
    ['damaged', () => flip('output.mp4', 70)],
    ['cut short', () => cut('output.mp4', 100)],
    ['missing', () => remove('output.mp4')],
  ])('end what is taken up when the output is %s', async (_how, damage) => {
    damage()
    expect((await found()).all).toHaveLength(1)
  })

  it('are kept when they are not where they are said to be', async () => {
    const { store } = await found()
    await store.giveUp({ segment: 2, places })
    await store.giveUp({ segment: 3, places: [[100, 5000]] })
    await store.giveUp({ segment: 9, places: [[0, 4]] })
    expect([read('segment-0002.bin'), read('segment-0003.bin')]).toEqual([packets(2), packets(3)])
  })
})

describe('a writer after a restart', () => {
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
    expect(told).toEqual([1, 2, 3, 4].map((count) => [count, count * 120]))
    expect(last?.frames).toBe(12)
  })

  it('stops between two segments when the swap is cancelled', async () => {
    const { writer, joined } = restarted()
    const abort = new AbortController()
    const taking = writer.takeUp(abort.signal, () => abort.abort())
    await expect(taking).rejects.toThrow()
    expect(joined).toHaveLength(1)
  })
})
