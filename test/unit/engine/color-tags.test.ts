/** @file What videos say about their colours, and what results say. */
import { describe, expect, it } from 'vitest'
import { EncodedPacket } from 'mediabunny'
import { tagRecord } from '../../../src/renderer/engine/media/encode/avc-config.ts'
import { frameSecondsOfSps, tagsOfSps, withTags } from '../../../src/renderer/engine/media/pixels/avc-color.ts'
import {
  modelOfTags,
  spaceOfTags,
  tagsOfResult,
  tagsOfSpace,
  type ColorTags,
} from '../../../src/renderer/engine/media/pixels/color-tags.ts'
import { colorTagsOf, headerOfAv1, headerOfVp9 } from '../../../src/renderer/engine/media/pixels/stream-tags.ts'
import { clips, sample } from '../../fixtures/clip.ts'
import { videoOf, vp9Of } from './segments-of.ts'

const tags = (primaries: number, transfer: number, matrix: number, full = false): ColorTags => ({
  ...{ primaries, transfer, matrix, full },
})
const none = tags(2, 2, 2)
const bytes = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16))

const recordOf = async (path: string): Promise<Uint8Array<ArrayBuffer>> => {
  const description = (await (await videoOf(path)).getDecoderConfig())?.description
  return new Uint8Array((description as Uint8Array).slice())
}
const spsOf = (record: Uint8Array): Uint8Array => record.subarray(8, 8 + (((record[6] ?? 0) << 8) | (record[7] ?? 0)))

/** OpenH264's, with BT.709; without a VUI; x264's, with timing behind the colours. */
const parameterSets = [
  '6742c01f8c8d40500592016a04040404f084652c',
  '67420014da0281e9',
  '6764001eacd940a02ff97016a020202800000300080000030190478b16cb',
]

it('how long a frame lasts is read from an H.264 parameter set that says it', () => {
  expect(parameterSets.map((hex) => frameSecondsOfSps(bytes(hex)))).toEqual([null, null, 0.04])
})

it.each(
  parameterSets.flatMap((hex) =>
    [none, tags(7, 7, 7), tags(9, 14, 9, true), tags(2, 2, 6)].map((one) => [hex, one] as const),
  ),
)('the colours of an H.264 parameter set of %s are written as %o', (hex, wanted) => {
  const made = withTags(bytes(hex), wanted)
  expect(tagsOfSps(made) ?? none).toEqual(wanted)
  expect(withTags(made, wanted)).toEqual(made)
  // What is behind them is the same.
  expect(withTags(made, tags(1, 1, 1))).toEqual(withTags(bytes(hex), tags(1, 1, 1)))
})

it('the colours of an H.264 parameter set are written into a record, and nothing else is', async () => {
  const record = await recordOf(clips.portrait)
  const wanted = tags(1, 13, 7)
  const made = tagRecord(record, wanted)
  expect(tagsOfSps(spsOf(made))).toEqual(wanted)
  expect(tagRecord(made, tagsOfSps(spsOf(record)) ?? none).slice(-4)).toEqual(record.slice(-4))
})

it('a video without tags says nothing, whatever the decoder says', async () => {
  expect(await colorTagsOf(await videoOf(sample.video))).toEqual(none)
})

it('what a stream does not say, its container does', async () => {
  const container = tags(5, 4, 6)
  const found = async (path: string) => colorTagsOf(await videoOf(path), container)
  expect([await found(sample.video), await found(clips.threePeople)]).toEqual([container, tags(1, 1, 1)])
  // Its header says the matrix only.
  const video = await vp9Of([new EncodedPacket(bytes('8249834280'), 'key', 0, 1)], 64, 64)
  expect(await colorTagsOf(video, container)).toEqual(tags(5, 4, 7))
})

it.each([
  ['8249834200', none],
  ['8249834220', tags(2, 2, 5)],
  ['8249834280', tags(2, 2, 7)],
  ['82498342b0', tags(2, 2, 9, true)],
  ['86', null],
])('a VP9 frame that begins with %s says %o', (hex, wanted) =>
  expect(headerOfVp9(bytes(hex))?.tags ?? null).toEqual(wanted),
)

it.each([
  ['12000a0b0000000cc4ff673efe409032', none],
  ['12000a0e0000000cc4ff673efe441c1c1c9032', tags(7, 7, 7)],
])('an AV1 unit that begins with %s says %o', (hex, wanted) =>
  expect(headerOfAv1(bytes(hex))?.tags ?? null).toEqual(wanted),
)

describe('tags', () => {
  it.each([
    [{}, none],
    [{ matrix: 'smpte170m' as const, primaries: null, fullRange: true }, tags(2, 2, 6, true)],
  ])('of the space %o are %o, and back', (space, wanted) => {
    expect(tagsOfSpace(space)).toEqual(wanted)
    expect(tagsOfSpace(spaceOfTags(wanted) ?? {})).toEqual(wanted)
  })

  it.each([
    [none, 720, { matrix: 'bt709', full: false }],
    [none, 480, { matrix: 'bt601', full: false }],
    [tags(2, 2, 2, true), 1080, { matrix: 'bt601', full: true }],
    [tags(2, 2, 6, true), 1080, { matrix: 'bt601', full: true }],
    [tags(1, 1, 1), 240, { matrix: 'bt709', full: false }],
    [tags(9, 1, 9), 240, { matrix: 'bt2020', full: false }],
    [tags(7, 7, 7), 1080, { matrix: 'smpte240m', full: false }],
    [tags(1, 13, 0, true), 240, { matrix: 'bt601', full: false, isOfRgb: true }],
  ])('%o at %i lines are read as %o', (said, height, model) => expect(modelOfTags(said, height)).toEqual(model))

  it.each([
    ['stay', tags(7, 7, 7), 1080, 360, tags(7, 7, 7)],
    ['stay away', none, 360, 360, none],
    ['stay away', none, 1080, 1080, none],
    ['are what players assumed, if they would assume another', none, 1080, 360, tags(1, 1, 1)],
    ['are what players assumed, if they would assume another', none, 719, 720, tags(6, 6, 6)],
    ['stay away of full range', tags(2, 2, 2, true), 1080, 360, tags(2, 2, 2, true)],
    ['of RGB are those of the planes that are made of it', tags(1, 13, 0, true), 360, 360, tags(1, 13, 6)],
  ])('%s: %o from %i to %i lines', (_, said, from, to, wanted) => expect(tagsOfResult(said, from, to)).toEqual(wanted))
})
