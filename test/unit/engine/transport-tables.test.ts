/** @file Languages and subtitles in the tables of a transport stream, whose packets are made byte by byte. */
import { expect, it } from 'vitest'
import { extrasOf } from '../../../src/renderer/engine/media/demux/extras.ts'
import { transportTables, withAac } from '../../../src/renderer/engine/media/demux/transport-tables.ts'
import { byteFile } from './byte-file.ts'

/** A packet with a section of a table; `stuffing` bytes of adaptation before it. */
function packet(pid: number, body: number[], stuffing = 0): number[] {
  // Table and length; its checksum isn't looked at.
  const section = [0, 2, 0xb0, body.length + 4, ...body, 0, 0, 0, 0]
  const adaptation = stuffing > 0 ? [stuffing, 0, ...new Array<number>(stuffing - 1).fill(0xff)] : []
  const bytes = [0x47, 0x40 | (pid >> 8), pid & 0xff, stuffing > 0 ? 0x30 : 0x10, ...adaptation, ...section]
  return [...bytes, ...new Array<number>(188 - bytes.length).fill(0xff)]
}
const head = [0, 1, 0xc1, 0, 0]
const streamOf = (type: number, pid: number, ...descriptors: number[][]): number[] => {
  const all = descriptors.flat()
  return [type, 0xe0 | (pid >> 8), pid & 0xff, 0xf0, all.length, ...all]
}
const stream = (pid: number, ...descriptors: number[][]): number[] => streamOf(0x0f, pid, ...descriptors)
const language = (code: string): number[] => [0x0a, 4, ...Buffer.from(code), 0]
const other = [0x52, 1, 7]

/** The network's table, at 16, has no streams; the program's is at 4096. */
const programs = packet(0, [...head, 0, 0, 0xe0, 16, 0, 1, 0xf0, 0])
const streams = [...head, 0xe1, 0, 0xf0, other.length, ...other, ...stream(256), ...stream(257, other, language('GER')), ...stream(258, language('eng'), other), ...stream(259, language('\0\0\0'))] // prettier-ignore
const expected = [
  [257, 'ger'],
  [258, 'eng'],
]
const tablesOf = (packets: number[][]) => transportTables(Uint8Array.from(packets.flat()))

it.each([
  ['in packets of 188 bytes', [programs, packet(4096, streams), packet(16, streams)], expected],
  ['behind an adaptation field', [programs, packet(4096, streams, 9), packet(16, streams)], expected],
  ['in packets with a time code', [programs, packet(4096, streams), programs].map((bytes) => [1, 2, 3, 4, ...bytes]), expected], // prettier-ignore
  ['in a table that no program names', [programs, packet(4097, streams), programs], []],
  ['in no transport stream', [[1], programs, packet(4096, streams)], []],
])('languages %s', (_, packets, languages) => {
  expect([...tablesOf(packets).languages]).toEqual(languages)
})

it.each([
  ['of DVB', 0x59, true],
  ['in teletext', 0x56, true],
  ['but not in a picture', 0x52, false],
])('subtitles are found %s', (_, tag, hasSubtitles) => {
  const table = [...head, 0xe1, 0, 0xf0, 0, ...stream(256), ...stream(257, language('ger'), [tag, 1, 7])]
  expect(tablesOf([programs, packet(4096, table), packet(16, table)])).toMatchObject({ hasSubtitles })
})

it('sound of kinds that mediabunny leaves out is named', () => {
  const registered = (name: string): number[] => [0x05, 4, ...Buffer.from(name)]
  const sounds = [streamOf(0x11, 257), streamOf(6, 258, registered('Opus')), streamOf(6, 259, registered('AC-3'))]
  const table = [...head, 0xe1, 0, 0xf0, 0, ...stream(256), ...sounds.flat()]
  const tables = tablesOf([programs, packet(4096, table), packet(4096, table)])
  expect(tables).toMatchObject({ lostSound: ['aac-latm', 'opus-ts'] })
})

it.each([
  ['is AAC', [0, 0, 1, 0xc0, 0, 0, 0x80, 0x80, 5, 0x21, 0, 1, 0, 1, 0xff, 0xf1], [0x0f, 0x0f]],
  ['stays that if it is no sound', [0, 0, 1, 0xbd, 0, 0, 0x80, 0x80, 5, 0x21, 0, 1, 0, 1, 0xff, 0xf1], [6, 6]],
  ['stays that if it is no AAC', [0, 0, 1, 0xc0, 0, 0, 0x80, 0x80, 5, 0x21, 0, 1, 0, 1, 0xff, 0xfd], [6, 6]],
])('a stream of data of any kind %s', async (_, payload, types) => {
  const table = [...head, 0xe1, 0, 0xf0, 0, ...streamOf(6, 258)]
  const data = [0x47, 0x40 | 1, 2, 0x10, ...payload]
  const packets = [programs, packet(4096, table), [...data, ...new Array<number>(188 - data.length).fill(0)]]
  const bytes = Uint8Array.from([...packets, ...packets].flat())
  const { aacTypes, lostSound } = transportTables(bytes)
  expect(lostSound).toEqual([])
  const file = withAac(byteFile(bytes), aacTypes)
  // The type stands behind the program's head, in each of its tables.
  const place = 188 + 4 + 1 + 3 + head.length + 4
  const found = [place, place + 3 * 188].map(async (at) => (await file.read(at, at + 3))[0])
  expect(await Promise.all(found)).toEqual(types)
})

it('several programs are refused by name', async () => {
  const several = packet(0, [...head, 0, 1, 0xf0, 0, 0, 2, 0xf0, 1])
  const reading = extrasOf(byteFile(Uint8Array.from([several, packet(4096, streams), several].flat())))
  await expect(reading).rejects.toMatchObject({ code: 'codec-unsupported', details: { reason: 'container' } })
})
