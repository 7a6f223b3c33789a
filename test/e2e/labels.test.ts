/** @file Labels and marks of results, by the real engine. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { Range } from '../../src/shared/people/people.ts'
import { labelLayout, type LabelChoice } from '../../src/renderer/engine/media/label/label-layout.ts'
import { ALL_FORMATS, FilePathSource, Input } from 'mediabunny'
import { clips, sample, shortClip } from '../fixtures/clip.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { RealEngine } from './real-engine.ts'

const engine = new RealEngine()
const { folder } = engine
interface Pixels {
  width: number
  height: number
  bgra: Buffer
}

async function picture(face: string): Promise<Pixels> {
  const drawn = await engine.ask<Pixels & { bgra: string }>({ kind: 'picture', face, dir: folder })
  if (!drawn) throw new Error('it was not killed')
  return { ...drawn, bgra: Buffer.from(drawn.bgra, 'base64') }
}

/** The frame at a time in seconds. */
async function frame(video: string, time: number): Promise<Pixels> {
  const dir = engine.newDir()
  await engine.run({ kind: 'frame', video, time, dir })
  return picture(join(dir, 'frame.png'))
}

/** Mean difference of the pixels in the label's box, and the largest mean of 8 × 8 pixels outside. */
function differences(one: Pixels, other: Pixels, choice: LabelChoice): { inside: number; outside: number } {
  const box = labelLayout(choice, one)?.box ?? { x: 0, y: 0, width: 0, height: 0 }
  let [inside, pixels, outside] = [0, 0, 0]
  const at = (x: number, y: number): number => {
    const from = (y * one.width + x) * 4
    return [0, 1, 2].reduce((sum, c) => sum + Math.abs((one.bgra[from + c] ?? 0) - (other.bgra[from + c] ?? 0)), 0) / 3
  }
  for (let y = box.y; y < box.y + box.height; y += 1)
    for (let x = box.x; x < box.x + box.width; x += 1, pixels += 1) inside += at(x, y)
  for (let y = 0; y + 8 <= one.height; y += 8)
    for (let x = 0; x + 8 <= one.width; x += 8) {
      // The encoder spreads the label's edge over its blocks of 16 pixels.
      if (x < box.x + box.width + 16 && y < box.y + box.height + 16) continue
      let sum = 0
      for (let row = 0; row < 8; row += 1) for (let column = 0; column < 8; column += 1) sum += at(x + column, y + row)
      outside = Math.max(outside, sum / 64)
    }
  return { inside: inside / pixels, outside }
}

afterAll(() => engine.end())

const china = { label: 'china' } as const
const eu = { label: 'eu', labelLanguage: 'de' } as const
const keptRange: Range = { rest: 'keep', parts: [{ fromMs: 3400, toMs: 4000 }] }

it('a label is on the frames of its time only, and changes nothing else', async () => {
  // Five seconds, with a frame every 0.2 s.
  const asked = { video: await shortClip(engine.at('clip.mp4'), 25, 5), range: keptRange }
  const plain = await engine.swap(asked)
  const whole = await engine.swap({ ...asked, options: eu })
  const first = await engine.swap({ ...asked, options: china })
  const frames = new Map<number, Pixels>()
  const seen = async (file: string, time: number, choice: LabelChoice) => {
    const without = frames.get(time) ?? (await frame(plain.file, time))
    frames.set(time, without)
    return differences(without, await frame(file, time), choice)
  }
  for (const time of [0, 4.7]) {
    const { inside, outside } = await seen(whole.file, time, { label: 'eu', language: 'de' })
    expect(inside).toBeGreaterThan(25)
    expect(outside).toBeLessThan(9)
  }
  const zh: LabelChoice = { label: 'china', language: 'en' }
  expect((await seen(first.file, 2.9, zh)).inside).toBeGreaterThan(25)
  for (const time of [3.1, 4.7]) expect((await seen(first.file, time, zh)).inside).toBeLessThan(4)

  // A part swapped again, or left as it is, has the label where the rest has it.
  const step = { kind: 're-render', ...asked, options: china, result: first.file } as const
  const again = join((await engine.swap({ ...step, part: { fromMs: 2000, toMs: 4500 } })).dir, 'joined.mp4')
  for (const time of [2.5, 2.9]) expect((await seen(again, time, zh)).inside).toBeGreaterThan(25)
  expect((await seen(again, 3.1, zh)).inside).toBeLessThan(4)
})

const trained = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia'
const ofProducer = { contentProducer: 'Studio 7', produceId: 'swap-1' }

/** The metadata of a finished MP4, as another program reads them: keys, and the XMP in the last box. */
async function marksOf(file: string): Promise<{ aigc: unknown; xmp: string }> {
  const input = new Input({ source: new FilePathSource(file), formats: ALL_FORMATS })
  const { raw = {} } = await input.getMetadataTags()
  const bytes = readFileSync(file)
  const box = bytes.lastIndexOf(Buffer.from('uuid')) - 4
  expect(box + bytes.readUInt32BE(box)).toBe(bytes.length)
  return { aigc: raw['AIGC'], xmp: bytes.subarray(box + 24).toString('utf8') }
}

it('a killed swap ends in the same file, with its metadata', { tags: ['long'] }, async () => {
  const step = { video: clips.twelveSeconds, options: china, aigc: ofProducer }
  const whole = await engine.swap(step)
  const cut = await engine.swapUntilSaved(step)
  expect(cut.result).toBeUndefined()
  const resumed = await engine.swap({ ...step, dir: cut.dir })
  expect(resumed.result?.stages['keptFrames']).toBeGreaterThan(0)
  // The files' only difference is the time at which they were made.
  expect(await mediaFacts(resumed.file)).toEqual(await mediaFacts(whole.file))
  expect(await marksOf(resumed.file)).toEqual(await marksOf(whole.file))

  const { aigc, xmp } = await marksOf(whole.file)
  expect(JSON.parse(String(aigc))).toMatchObject({ Label: '1', ContentProducer: 'Studio 7', ProduceID: 'swap-1' })
  expect(xmp).toContain('digitalsourcetype/composite<')
  // A swap of the result keeps what it says.
  const next = await marksOf((await engine.swap({ video: whole.file, range: { rest: 'drop', parts: [{ fromMs: 0, toMs: 1000 }] } })).file) // prettier-ignore
  expect(next.aigc).toBe(aigc)
})

it('a picture has its label in a corner, and keeps the marks of its files', async () => {
  const png = join(folder, 'source.png')
  await engine.run({ kind: 'frame', video: clips.portrait, time: 0.5, dir: folder })
  copyFileSync(join(folder, 'frame.png'), png)
  const plain = await engine.swap({ video: png })
  const labelled = await engine.swap({ video: png, options: eu })
  const [one, other] = [await picture(join(plain.dir, 'output.png')), await picture(join(labelled.dir, 'output.png'))]
  const { box } = labelLayout({ label: 'eu', language: 'de' }, one) ?? { box: { x: 0, y: 0, width: 0, height: 0 } }
  let different = 0
  let outside = 0
  for (let at = 0; at < one.bgra.length; at += 4) {
    const [x, y] = [(at / 4) % one.width, Math.floor(at / 4 / one.width)]
    const isInside = x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height
    if (one.bgra.readUInt32LE(at) === other.bgra.readUInt32LE(at)) continue
    if (isInside) different += 1
    else outside += 1
  }
  expect(outside).toBe(0)
  expect(different).toBeGreaterThan(box.width * box.height * 0.9)

  // Some program's XMP, in a segment of its own at the start of the file.
  const jpeg = join(folder, 'marked.jpg')
  const xmp = Buffer.from(`http://ns.adobe.com/xap/1.0/\0<x:xmpmeta><a b:DigitalSourceType="${trained}"/></x:xmpmeta>`)
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe1, (xmp.length + 2) >> 8, (xmp.length + 2) & 255])
  writeFileSync(jpeg, Buffer.concat([head, xmp, readFileSync(sample.face).subarray(2)]))
  const marked = await engine.swap({ video: jpeg, options: china, aigc: ofProducer })
  const written = readFileSync(join(marked.dir, 'output.jpg')).toString('latin1')
  expect(written).toContain(`DigitalSourceType>${trained}<`)
  expect(written).toContain('digitalsourcetype/compositeWithTrainedAlgorithmicMedia<')
  expect(written).toContain('"ProduceID":"swap-1"')
})
