import { describe, expect, it, vi } from 'vitest'
import { bitrateOfAnimation, missingOfAnimation } from '../../../src/renderer/engine/media/demux/animation.ts'
import { orientationOf, uprightExif } from '../../../src/renderer/engine/media/pictures/exif.ts'
import { box, joined, u32 } from '../../../src/renderer/engine/media/containers/boxes.ts'
import { frameDelays, mayMove } from '../../../src/renderer/engine/media/pictures/frame-delays.ts'
import * as jpeg from '../../../src/renderer/engine/media/pictures/jpeg.ts'
import { openPicture, orientationOfFrame, upright } from '../../../src/renderer/engine/media/pictures/open-picture.ts'
import { readPng, translucentPixels, writePng } from '../../../src/renderer/engine/media/pictures/png.ts'
import * as webp from '../../../src/renderer/engine/media/pictures/webp.ts'
import { exif, gif, jpegWith, pngPixels, pngWith, webpWith } from '../../fixtures/picture-files.ts'

const bytesOf = async (blob: Blob): Promise<Uint8Array<ArrayBuffer>> => new Uint8Array(await blob.arrayBuffer())
const text = (bytes: Uint8Array): string => String.fromCharCode(...bytes)

it.each(['II', 'MM'] as const)('EXIF data gets orientation 1, turned sizes and no thumbnail (%s)', (order) => {
  const before = exif(order, { orientation: 6, size: [640, 480], thumbnail: 'the old face' })
  const after = uprightExif(before, { width: 480, height: 640 })
  expect(orientationOf(before)).toBe(6)
  expect(orientationOf(after)).toBe(1)
  expect(text(after ?? before)).not.toContain('the old face')
  expect(after).toHaveLength(before.length)
  const size = { width: 360, height: 270 }
  const sized = uprightExif(exif(order, { orientation: 6, size: [480, 640], thumbnail: '' }), size)
  const plain = exif(order, { orientation: 1, size: [360, 270], thumbnail: '' })
  expect(sized).toEqual(uprightExif(plain, size))
})

it('EXIF data is left out if it can’t be read', () => {
  const one = { width: 1, height: 1 }
  expect(uprightExif(Uint8Array.from([1, 2, 3]), one)).toBeNull()
  expect(uprightExif(exif('II', { orientation: 6, size: [1, 1], thumbnail: '' }).subarray(0, 12), one)).toBeNull()
  expect(orientationOf(null)).toBe(1)
})

/** Chromium's decoder and canvas, for pictures of one pixel. @param asked gets the qualities in which they are written */
function stubCanvas(asked: number[] = []): void {
  vi.stubGlobal('createImageBitmap', () => Promise.resolve({ width: 1, height: 1, close: () => undefined }))
  vi.stubGlobal('ImageData', Object)
  vi.stubGlobal(
    'VideoFrame',
    class {
      codedWidth = 1
      codedHeight = 1
      copyTo = (): Promise<void> => Promise.resolve()
      close = (): undefined => undefined
    },
  )
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      getContext = (): object => ({ putImageData: () => undefined })
      convertToBlob = ({ type, quality }: { type: string; quality: number }): Promise<Blob> => {
        asked.push(Math.round(quality * 100))
        return Promise.resolve(new Blob([jpegWith({})], { type }))
      }
    },
  )
}

describe('a picture', () => {
  const letters = (words: string): Buffer => Buffer.from(words, 'latin1')
  const avif = (property: Uint8Array, ...more: Uint8Array[]): Uint8Array<ArrayBuffer> =>
    joined(
      box('ftyp', letters('avif'), u32(0), letters('mif1')),
      box('meta', u32(0), ...more, box('iprp', box('ipco', property))),
    )
  const colours = (transfer: number): Uint8Array => box('colr', letters('nclx'), [0, 9, 0, transfer, 0, 9, 0])
  const jpegAnd = (marker: number, words: string, behind = ''): Uint8Array<ArrayBuffer> => {
    const file = jpegWith({})
    const length = [(words.length + 2) >> 8, (words.length + 2) & 255]
    return joined(file.subarray(0, 2), [0xff, marker, ...length], letters(words), file.subarray(2), letters(behind))
  }

  it.each([
    ['AVIF in SDR', avif(colours(1)), []],
    ['AVIF in PQ', avif(colours(16)), ['hdr']],
    ['AVIF in HLG', avif(colours(18)), ['hdr']],
    ['AVIF with a gain map', avif(colours(1), box('iinf', u32(0), [0, 1], box('infe', u32(2 << 24), u32(1), letters('tmap')))), ['hdr']], // prettier-ignore
    ['JPEG', jpegWith({}), []],
    ['JPEG with Google’s gain map', jpegAnd(0xe1, 'http://ns.adobe.com/xap/1.0/\0<a hdrgm:Version="1.0"/>'), ['hdr']],
    ['JPEG with a gain map of ISO', jpegAnd(0xe2, 'urn:iso:std:iso:ts:21496:-1\0'), ['hdr']],
    ['JPEG with Apple’s gain map', jpegAnd(0xe2, 'MPF\0', 'urn:com:apple:photo:2020:aux:hdrgainmap HDRGainMap'), ['hdr']], // prettier-ignore
    ['JPEG with another picture', jpegAnd(0xe2, 'MPF\0', 'a second view'), []],
    [
      'JPEG with a short video',
      jpegAnd(0xe1, 'http://ns.adobe.com/xap/1.0/\0<a GCamera:MotionPhoto="1"/>'),
      ['motion'],
    ],
    ['JPEG without one', jpegAnd(0xe1, 'http://ns.adobe.com/xap/1.0/\0<a GCamera:MotionPhoto="0"/>'), []],
  ])('says what its result doesn’t have: %s', async (_, bytes, missing) => {
    stubCanvas()
    expect((await openPicture(new Blob([bytes]))).missing).toEqual(missing)
  })

  it('that moves says it, too', () => {
    const entry = box('stsd', u32(0), u32(1), box('av01', new Uint8Array(78), colours(16)))
    const index = box('moov', box('trak', box('mdia', box('minf', box('stbl', entry)))))
    const animation = { name: 'AVIF', bytes: index, delays: [40] }
    expect(missingOfAnimation(animation)).toEqual(['hdr'])
    expect(missingOfAnimation({ ...animation, bytes: index.subarray(0, 8) })).toEqual([])
  })
})

describe('a JPEG file', () => {
  const icc = new Uint8Array(70_000).map((_, at) => at % 251)

  it('keeps a profile of several segments and EXIF data, and nothing of the encoder’s', async () => {
    const encoded = jpegWith({ icc: Uint8Array.of(9), exif: null })
    const given = { icc, exif: exif('II', { orientation: 1, size: [4, 3], thumbnail: '' }) }
    const written = await bytesOf(jpeg.withMetadata(encoded, given))
    const read = jpeg.readJpeg(written)
    expect(read.icc).toEqual(icc)
    expect(read.exif).toEqual(given.exif)
    expect(written.subarray(-8)).toEqual(encoded.subarray(-8))
  })

  it.each([50, 75, 92, 100])('of quality %i is recognised by its tables', (quality) => {
    expect(jpeg.readJpeg(jpegWith({ quality })).quality).toBeCloseTo(quality, -0.5)
  })

  it('is written in its quality, and at least in 90', async () => {
    const asked: number[] = []
    stubCanvas(asked)
    for (const quality of [50, 100]) {
      const { encode } = await openPicture(new Blob([jpegWith({ quality, sampling: 0x22 })]))
      await encode({ rgba: new Uint8ClampedArray(4), width: 1, height: 1 }, '')
    }
    // The tables of 100 are those of 99, too.
    expect(asked).toEqual([90, 99])
  })

  it('says whether colour is as fine as light, and how many components there are', () => {
    const read = (sampling: number, components: number) => jpeg.readJpeg(jpegWith({ sampling, components }))
    expect(read(0x11, 3)).toMatchObject({ fullColor: true, components: 3 })
    expect(read(0x22, 4)).toMatchObject({ fullColor: false, components: 4 })
  })
})

describe('a PNG file', () => {
  const pixels = { width: 5, height: 3, rgba: new Uint8ClampedArray(60).map((_, at) => (at * 37) % 256) }

  it.each([true, false])('has every pixel exactly, and chunks about colour (alpha: %s)', async (hasAlpha) => {
    const color = [{ type: 'gAMA', data: Uint8Array.of(0, 0, 177, 143) }]
    const given = exif('MM', { orientation: 1, size: [5, 3], thumbnail: '' })
    const file = await bytesOf(await writePng(pixels, { color, exif: given, hasAlpha }))
    expect(readPng(file)).toMatchObject({ color, exif: given, hasAlpha, grey: false, animated: false })
    expect([...pngPixels(file).data]).toEqual([...pixels.rgba].filter((_, at) => hasAlpha || at % 4 !== 3))
  })

  it.each([
    [['acTL', 'IDAT'], true],
    [['IDAT', 'acTL'], false],
  ])('with several frames is an animation, if it says so before its pixels: %j', (names, animated) => {
    const chunks = names.map((name) => [name, [0, 0, 0, 2, 0, 0, 0, 0]] as const)
    expect(readPng(pngWith(chunks)).animated).toBe(animated)
  })
})

it('a WebP file keeps profile, EXIF data and alpha', async () => {
  const encoded = webpWith([['VP8 ', [1, 2, 3]]])
  const mask = webpWith([['VP8L', [47, 0, 0, 0, 0, 7, 8]]])
  const given = { icc: Uint8Array.of(5), exif: Uint8Array.of(6, 7), hasAlpha: true }
  const written = await bytesOf(webp.withMetadata(encoded, { width: 300, height: 2 }, given, mask))
  const chunks = [...webp.chunksOf(written)].map(({ type, data }) => [type, [...data]])
  expect(chunks).toEqual([
    ['VP8X', [0x38, 0, 0, 0, 43, 1, 0, 1, 0, 0]],
    ['ICCP', [5]],
    ['ALPH', [1, 7, 8]],
    ['VP8 ', [1, 2, 3]],
    ['EXIF', [6, 7]],
  ])
  expect(webp.readWebp(written)).toMatchObject({ hasAlpha: true, lossless: false, animated: false })
  expect(new DataView(written.buffer).getUint32(4, true)).toBe(written.length - 8)
})

describe('the durations of frames', () => {
  it('are those of the file, but 100 ms for what browsers take for a mistake', () => {
    expect(frameDelays(gif([7, 0, 1, 300]))).toEqual([70, 100, 100, 3000])
    const zeros = (count: number): number[] => new Array<number>(count).fill(0)
    const frame = (ms: number): [string, number[]] => ['ANMF', [...zeros(12), ms & 255, ms >> 8, 0, 0]]
    expect(frameDelays(webpWith([['VP8X', [2, ...zeros(9)]], frame(40), frame(999)]))).toEqual([40, 999])
    const control = (numerator: number, denominator: number): [string, number[]] => [
      'fcTL',
      [...zeros(20), 0, numerator, 0, denominator, 0, 0],
    ]
    expect(frameDelays(pngWith([control(1, 4), control(5, 0), control(1, 30)]))).toEqual([250, 50, 100 / 3])
  })

  it('of AVIF are those of its first track', () => {
    const header = box('mdhd', u32(0), u32(0), u32(0), u32(600), u32(90))
    const table = box('stbl', box('stts', u32(0), u32(2), u32(2), u32(20), u32(1), u32(50)))
    const index = box('moov', box('trak', box('mdia', header, box('minf', table))))
    const still = joined(box('ftyp', Buffer.from('avif'), u32(0), Buffer.from('mif1')))
    const moving = joined(box('ftyp', Buffer.from('avif'), u32(0), Buffer.from('mif1avis')), index)
    expect([mayMove(still), mayMove(moving)]).toEqual([false, true])
    expect(frameDelays(moving)?.map(Math.round)).toEqual([33, 33, 83])
    expect(frameDelays(still)).toBeNull()
  })

  it('are null for still and for broken files', () => {
    expect(frameDelays(gif([7]))).toBeNull()
    expect(frameDelays(gif([7, 8]).subarray(0, 20))).toBeNull()
    expect(frameDelays(new Uint8Array(20))).toBeNull()
    expect(mayMove(gif([7]))).toBe(true)
    expect(mayMove(jpegWith({}))).toBe(false)
  })

  it('of 2,000 frames are read', () => expect(frameDelays(gif(new Array<number>(2000).fill(4)))).toHaveLength(2000))
})

it.each([
  ['a third of its file’s', 'GIF', 20_000],
  ['that of AVIF', 'AVIF', 60_000],
])('the bitrate of an animation is %s', (_, name, bitrate) => {
  expect(bitrateOfAnimation({ name, bytes: new Uint8Array(3000), delays: [100, 300] })).toBe(bitrate)
})

describe('an orientation', () => {
  it.each([
    [{}, 1],
    [{ rotation: 90 }, 6],
    [{ rotation: 180, flip: true }, 4],
    [{ rotation: 270, flip: true }, 7],
  ])('is read of a frame with %j', (frame, orientation) => expect(orientationOfFrame(frame)).toBe(orientation))

  // Two rows of three pixels: a b c / d e f.
  const picture = (letters: string): { rgba: Uint8ClampedArray<ArrayBuffer>; width: number; height: number } => ({
    rgba: Uint8ClampedArray.from(Array.from(letters, (letter) => [letter.charCodeAt(0), 0, 0, 255]).flat()),
    width: 3,
    height: 2,
  })

  it.each([
    [1, 3, 'abcdef'],
    [2, 3, 'cbafed'],
    [3, 3, 'fedcba'],
    [4, 3, 'defabc'],
    [5, 2, 'adbecf'],
    [6, 2, 'daebfc'],
    [7, 2, 'fcebda'],
    [8, 2, 'cfbead'],
  ])('of %i turns the picture upright', (orientation, width, letters) => {
    const turned = upright(picture('abcdef'), orientation)
    expect(turned.width).toBe(width)
    expect(text(turned.rgba.filter((_, at) => at % 4 === 0) as unknown as Uint8Array)).toBe(letters)
  })
})

describe('translucent colours', () => {
  const rgba = new Uint8ClampedArray(60).map((_, at) => (at * 89) % 256)

  it('of a PNG file are read exactly', async () => {
    const facts = { color: [], exif: null, hasAlpha: true }
    const file = await bytesOf(await writePng({ width: 5, height: 3, rgba }, facts))
    expect(await translucentPixels(file)).toEqual(rgba)
    expect(await translucentPixels(file.subarray(0, -30))).toBeNull()
  })

  it('of a lossy WebP file are read from a copy without alpha', async () => {
    const lossy = webpWith([
      ['VP8X', [0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
      ['ALPH', [1]],
      ['VP8 ', [1, 2]],
    ])
    const lossless = webpWith([['VP8L', [47, 1, 2, 3, 0x15, 9]]])
    const chunks = async (blob: Blob | null): Promise<unknown[]> =>
      blob ? [...webp.chunksOf(await bytesOf(blob))].map(({ type, data }) => [type, [...data]]) : []
    expect(await chunks(webp.opaque(lossy))).toEqual([['VP8 ', [1, 2]]])
    // Chromium's decoder keeps the alpha of a lossless picture, whatever its head says.
    expect(webp.opaque(lossless)).toBeNull()
  })
})
