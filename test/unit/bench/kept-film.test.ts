import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { embedInMp4 } from '../../../src/main/provenance/mp4-manifest.ts'
import { film } from '../../fault/faulty-service.ts'
import { isFilm } from '../../fault/kept-film.ts'
import { sharedDir } from '../../fixtures/temp-dir.ts'

const sent = film(2000)
const flipped = (bytes: Buffer, at: number): Buffer =>
  bytes.map((byte, index) => (index === at ? byte ^ 1 : byte)) as Buffer // a Buffer's map gives a Buffer
const dir = sharedDir()
let signed: Buffer

beforeAll(async () => {
  const [from, to] = [join(dir, 'sent.mp4'), join(dir, 'signed.mp4')]
  writeFileSync(from, sent)
  const files = { source: openSync(from, 'r'), sourceSize: sent.length, target: openSync(to, 'w') }
  await embedInMp4(files, 500, () => Promise.resolve(Buffer.alloc(500, 'a')))
  closeSync(files.source)
  closeSync(files.target)
  signed = readFileSync(to)
})

it('a film is the service’s with and without credentials', () => {
  expect(signed.length).toBeGreaterThan(sent.length + 500)
  expect([isFilm(sent, sent), isFilm(signed, sent)]).toEqual([true, true])
})

it('a film with one other bit, less or more of it, or another’s, is not the service’s', () => {
  const others = {
    'one bit of its media': flipped(signed, signed.length - 1),
    'one bit of its type': flipped(signed, 12),
    'its last byte': signed.subarray(0, -1),
    'half of its credentials': signed.subarray(0, 300),
    'a byte more': Buffer.concat([signed, Buffer.alloc(1)]),
    'a box more': Buffer.concat([signed, Buffer.from('\0\0\0\bfree', 'latin1')]),
    'one bit without credentials': flipped(sent, sent.length - 1),
    'another film': film(2000),
    'an empty file': Buffer.alloc(0),
  }
  expect(Object.entries(others).filter(([, kept]) => isFilm(kept, sent))).toEqual([])
})
