/** @file The icons' formats, and that the committed ones have every size. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { icns, icnsSizes, ico, png } from '../../../scripts/icons/containers.mjs'
import { pngPixels } from '../../fixtures/picture-files.ts'

const folder = new URL('../../../resources/icons/', import.meta.url)
const read = (name: string): Buffer => readFileSync(new URL(name, folder))

/** A picture of two colours, one half transparent. */
const picture = (size: number): { size: number; rgba: Buffer } => ({
  size,
  rgba: Buffer.from(
    Array.from({ length: size * size }, (_, i) => (i % 2 === 0 ? [10, 20, 30, 255] : [1, 2, 3, 0])).flat(),
  ),
})

/** Sizes of the pictures in an ICO, and where each lies. */
function icoEntries(file: Buffer): { size: number; data: Buffer }[] {
  return Array.from({ length: file.readUInt16LE(4) }, (_, index) => {
    const at = 6 + 16 * index
    const start = file.readUInt32LE(at + 12)
    return { size: file[at] || 256, data: file.subarray(start, start + file.readUInt32LE(at + 8)) }
  })
}

function icnsTypes(file: Buffer): Record<string, number> {
  const found: Record<string, number> = {}
  for (let at = 8; at < file.length; at += file.readUInt32BE(at + 4)) {
    // A PNG's width stands at byte 16.
    found[file.toString('latin1', at, at + 4)] = file.readUInt32BE(at + 8 + 16)
  }
  return found
}

describe('writing', () => {
  it('a PNG keeps the pixels', () => {
    const { rgba } = picture(4)
    expect(Buffer.from(pngPixels(png({ size: 4, rgba })).data)).toEqual(rgba)
  })

  it('an ICO holds bitmaps from the bottom up, blue first, and a PNG at 256', () => {
    const small = picture(16)
    small.rgba.set([1, 2, 3, 4], 15 * 16 * 4)
    const [first, last] = icoEntries(ico([small, picture(256)]))
    expect([first?.size, first?.data.readInt32LE(4), first?.data.readInt32LE(8)]).toEqual([16, 16, 32])
    expect([...(first?.data.subarray(40, 44) ?? [])]).toEqual([3, 2, 1, 4])
    expect(first?.data.length).toBe(40 + 16 * 16 * 4 + 4 * 16)
    expect([last?.size, last?.data.toString('latin1', 1, 4)]).toEqual([256, 'PNG'])
  })

  it('an ICNS without one of its sizes is refused', () => {
    expect(() => icns(icnsSizes.slice(1).map(picture))).toThrow('32 pixels')
  })
})

describe('the icons in resources', () => {
  it('are there for Linux in each size, as large as they are named', () => {
    const names = readdirSync(new URL('linux/', folder))
    expect(names).toEqual(expect.arrayContaining(['16x16.png', '48x48.png', '256x256.png', '512x512.png']))
    for (const name of names) expect(read(`linux/${name}`).readUInt32BE(16)).toBe(Number.parseInt(name, 10))
  })

  it('are there for Windows, up to 256', () => {
    expect(icoEntries(read('mien.ico')).map(({ size }) => size)).toEqual(expect.arrayContaining([16, 24, 32, 48, 256]))
  })

  it('are there for macOS, up to 1024', () => {
    const file = read('mien.icns')
    expect(file.readUInt32BE(4)).toBe(file.length)
    expect(icnsTypes(file)).toMatchObject({ ic07: 128, ic08: 256, ic09: 512, ic10: 1024, ic11: 32, ic14: 512 })
  })
})
