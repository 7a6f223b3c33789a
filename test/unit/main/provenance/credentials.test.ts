/** @file Credentials with real files, read back by Mien, and by c2pa-ts, which shares no code with what signs. */
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BMFF, JPEG, PNG } from '@trustnxt/c2pa-ts/asset'
import { SuperBox } from '@trustnxt/c2pa-ts/jumbf'
import { ManifestStore } from '@trustnxt/c2pa-ts/manifest'
import { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input } from 'mediabunny'
import type { Task } from '../../../../src/shared/tasks/task.ts'
import type { Credentials } from '../../../../src/main/provenance/credentials.ts'
import { noMarks, xmpOf } from '../../../../src/renderer/engine/media/marks/marks.ts'
import { sample, shortClip } from '../../../fixtures/clip.ts'
import { copyOfMien } from '../../../fixtures/credentials.ts'
import { clip, monaLisa, swap } from '../../../fixtures/fake-tasks.ts'
import { tempDir, tempPaths } from '../../../fixtures/temp-dir.ts'

const at = tempPaths()
let credentials: Credentials
let logged: string[]

function open(paths: Record<string, string> = { [clip().id]: sample.video, [monaLisa(1).id]: sample.face }): void {
  ;({ credentials, logged } = copyOfMien(at(), paths))
}

beforeEach(() => open())
afterEach(() => credentials.dispose())

/** A swap of the sample's video. */
const task = (change: Partial<Task> = {}): Task =>
  swap('swap-1', 1, { face: monaLisa(1), video: clip({ sizeBytes: statSync(sample.video).size }), ...change })

const sign = (source: string, target: string, change: Partial<Task> = {}) =>
  credentials.sign({
    ...{ task: task(change), source, target, signal: new AbortController().signal },
    result: { model: null, frames: 150, swappedFrames: 146 },
  })

/** What c2pa-ts finds wrong, and the labels of the assertions. */
async function readElsewhere(path: string): Promise<{ wrong: string[]; labels: (string | undefined)[] }> {
  const bytes = readFileSync(path)
  // It reads every file of boxes, but only takes pictures by their brand.
  ;(BMFF as unknown as { canReadBrands: Set<string> }).canReadBrands.add('isom').add('mp42')
  const Kind = [JPEG, PNG, BMFF].find((kind) => kind.canRead(bytes))
  if (!Kind) throw new Error('a format that it doesn’t read')
  const asset = new Kind(bytes)
  const jumbf = asset.getManifestJUMBF()
  if (!jumbf) throw new Error('no manifest')
  const store = ManifestStore.read(SuperBox.fromBuffer(Uint8Array.from(jumbf)))
  const { statusEntries } = await store.validate(asset)
  return {
    wrong: statusEntries.filter(({ success }) => !success).map(({ code }) => code),
    labels: store.getActiveManifest()?.assertions?.assertions.map(({ fullLabel }) => fullLabel) ?? [],
  }
}

describe('a signed video', () => {
  it('says what was done from what, and another reader agrees', async () => {
    expect(await sign(sample.video, at('out.mp4'))).toBe('signed')
    const { signer, ...read } = await credentials.verify(at('out.mp4'))
    expect(read).toMatchObject({
      ...{ verdict: 'unchanged', signedAt: '2026-11-22T09:52:00.000Z', problems: [] },
      file: { name: 'out.mp4', sizeBytes: statSync(at('out.mp4')).size, type: 'MP4' },
      madeWith: { name: 'Mien', version: '1.2.0', system: 'Linux' },
      actions: [
        { action: 'c2pa.opened' },
        { action: 'c2pa.edited', description: 'Face replaced', digitalSourceType: 'composite' },
        { action: 'c2pa.transcoded' },
      ],
      ingredients: [
        { role: 'input', kind: 'face', sha256: 'ab'.repeat(32), name: 'A face' },
        { role: 'parent', kind: 'video', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string, credentials: null },
      ],
      swap: { made: 'here', method: 'built-in', frames: 150, swappedFrames: 146 },
    })
    expect(signer).toMatchObject({ kind: 'this-copy', isExpired: false })
    expect(signer?.keyId).toMatch(/^[0-9A-F]{4} [0-9A-F]{4}$/)
    const elsewhere = await readElsewhere(at('out.mp4'))
    expect(elsewhere.wrong).toEqual([])
    expect(elsewhere.labels).toEqual(expect.arrayContaining(['c2pa.hash.bmff.v3', 'c2pa.actions.v2', 'org.mien.swap']))
    expect(logged).toEqual([])
  })

  it('has the packets of the unsigned one, in less than 100 KB more', async () => {
    const short = await shortClip(at('short.mp4'))
    for (const source of [sample.video, short]) {
      await sign(source, at('out.mp4'))
      expect(await packets(at('out.mp4'))).toEqual(await packets(source))
      expect(statSync(at('out.mp4')).size - statSync(source).size).toBeLessThan(100_000)
    }
  })

  it('keeps the credentials of its input', async () => {
    await sign(sample.video, at('input.mp4'))
    await credentials.dispose()
    open({ [clip().id]: at('input.mp4') })
    const input = clip({ sizeBytes: statSync(at('input.mp4')).size })
    expect(await sign(sample.video, at('out.mp4'), { video: input })).toBe('signed')
    const read = await credentials.verify(at('out.mp4'))
    expect(read).toMatchObject({ verdict: 'unchanged', signer: { kind: 'this-copy' } })
    expect(read.ingredients).toMatchObject([{ role: 'parent', credentials: 'unchanged', signedBy: 'Copy of Mien' }])
  })

  it('that a service made says so, and keeps the credentials that it came with', async () => {
    await sign(sample.video, at('fetched.mp4'))
    expect(await sign(at('fetched.mp4'), at('out.mp4'), { profileId: 'cloud' })).toBe('signed')
    const read = await credentials.verify(at('out.mp4'))
    expect(read).toMatchObject({
      verdict: 'unchanged',
      swap: { made: 'fetched', service: 'Studio Cloud', method: null },
      ingredients: [{}, { role: 'parent', name: 'A video from Studio Cloud', credentials: 'unchanged' }],
    })
    expect((await readElsewhere(at('out.mp4'))).wrong).toEqual([])
  })

  it('is not signed if its boxes are not those of a plain MP4 file', async () => {
    const bytes = readFileSync(sample.video)
    const moov = bytes.indexOf('moov')
    const broken = {
      fragments: Buffer.concat([bytes, Buffer.from('\0\0\0\x08moof', 'latin1')]),
      cut: bytes.subarray(0, bytes.length - 100),
      'no index': bytes.subarray(0, moov - 4),
      'a box of no size': Buffer.concat([bytes, Buffer.from('\0\0\0\x04free', 'latin1')]),
    }
    for (const [name, content] of Object.entries(broken)) {
      writeFileSync(at('broken.mp4'), content)
      expect([name, await sign(at('broken.mp4'), at('out.mp4'))]).toEqual([name, 'unsupported'])
      expect(() => statSync(at('out.mp4'))).toThrow()
    }
  })
})

async function packets(path: string): Promise<string[]> {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS })
  const found: string[] = []
  for (const track of await input.getTracks())
    for await (const { timestamp, data } of new EncodedPacketSink(track).packets())
      found.push(`${String(timestamp)} ${Buffer.from(data).toString('base64')}`)
  expect(found.length).toBeGreaterThan(20)
  return found
}

const small = (name: string): string => fileURLToPath(new URL(`../../../fixtures/pictures/${name}`, import.meta.url))
const files = [sample.face, small('small.png'), small('small.webp')]
it.each(files)('a signed picture is read back here and elsewhere: %s', async (source) => {
  expect(await sign(source, at('out'), { video: clip({ kind: 'picture' }) })).toBe('signed')
  const read = await credentials.verify(at('out'))
  expect(read).toMatchObject({ verdict: 'unchanged', signer: { kind: 'this-copy' } })
  expect(read.actions.map(({ action }) => action)).toEqual(['c2pa.opened', 'c2pa.edited'])
  // c2pa-ts doesn't read WebP.
  if (read.file.type !== 'WebP') expect((await readElsewhere(at('out'))).wrong).toEqual([])
})

describe('a change after signing', () => {
  it.each(['out.mp4', 'out.jpg'])('of any byte of picture or sound is noticed: %s', async (name) => {
    const source = name === 'out.mp4' ? await shortClip(at('short.mp4')) : sample.face
    await sign(source, at(name))
    const whole = readFileSync(at(name))
    const { length } = readFileSync(source)
    // Everything after the manifest is the file as it was.
    const added = whole.length - length
    for (let step = 1; step < 10; step += 1) {
      const changed = Buffer.from(whole)
      const place = added + 700 + Math.floor(((length - 701) * step) / 10)
      changed[place] = (changed[place] ?? 0) ^ 1
      writeFileSync(at(`changed-${name}`), changed)
      const { verdict, signer } = await credentials.verify(at(`changed-${name}`))
      expect([place, verdict, signer?.kind]).toEqual([place, 'changed', 'this-copy'])
    }
  })

  it.each<[string, (bytes: Buffer) => number]>([
    ['credentials', (bytes) => bytes.indexOf('Face replaced')],
    // The signature ends the COSE structure, behind the null of its payload.
    ['signature', (bytes) => bytes.indexOf(Buffer.from([0xf6, 0x58, 0x40])) + 20],
  ])('of the %s is noticed', async (_what, placeIn) => {
    await sign(sample.face, at('out.jpg'))
    const bytes = readFileSync(at('out.jpg'))
    const place = placeIn(bytes)
    bytes[place] = (bytes[place] ?? 0) ^ 1
    writeFileSync(at('forged.jpg'), bytes)
    expect(await credentials.verify(at('forged.jpg'))).toMatchObject({ verdict: 'forged' })
  })
})

it('says what another copy signed, and which files have nothing', async () => {
  await sign(sample.face, at('out.jpg'))
  const other = copyOfMien(tempDir(), {})
  expect(await other.credentials.verify(at('out.jpg'))).toMatchObject({
    verdict: 'unchanged',
    signer: { kind: 'other-copy' },
  })
  await other.credentials.dispose()
  expect(await credentials.verify(sample.face)).toMatchObject({ verdict: 'none', signer: null })
  writeFileSync(at('text'), 'hello')
  expect(await credentials.verify(at('text'))).toMatchObject({ verdict: 'unsupported' })
  await expect(credentials.verify(at('nothing'))).rejects.toMatchObject({ code: 'file-missing' })
})

it('notices that the credentials of a result were removed', async () => {
  const xmp = xmpOf({ sourceType: 'composite', aigc: null, inputs: noMarks })
  writeFileSync(at('left.jpg'), Buffer.concat([readFileSync(sample.face), Buffer.from(xmp)]))
  expect(await credentials.verify(at('left.jpg'))).toMatchObject({ verdict: 'stripped', signer: null })
})

for (const [many, tags] of [
  [100, []],
  [1000, ['long']],
] as const)
  it(`has a verdict for ${many} damaged manifests`, { tags: [...tags], timeout: 300_000 }, async () => {
    await sign(sample.face, at('out.jpg'))
    const whole = readFileSync(at('out.jpg'))
    const added = whole.length - statSync(sample.face).size
    let seed = 18
    const random = (below: number): number => {
      // Numerical Recipes' generator.
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    const counts: Record<string, number> = {}
    for (let count = 0; count < many; count += 1) {
      const damaged = Buffer.from(whole)
      for (let changes = 1 + random(4); changes > 0; changes -= 1) damaged[20 + random(added - 20)] = random(256)
      if (random(10) === 0) damaged.fill(random(256), 20 + random(added >> 1), (added >> 1) + random(added >> 1))
      writeFileSync(at('damaged.jpg'), damaged)
      const { verdict } = await credentials.verify(at('damaged.jpg'))
      counts[verdict] = (counts[verdict] ?? 0) + 1
    }
    expect(counts['unchanged'] ?? 0).toBeLessThan(many / 4)
    expect((counts['forged'] ?? 0) + (counts['broken'] ?? 0)).toBeGreaterThan(many / 2)
    // The thread still works.
    expect(await credentials.verify(at('out.jpg'))).toMatchObject({ verdict: 'unchanged' })
  })

it('signs without the credentials of an input if they are broken', async () => {
  await sign(sample.face, at('input.jpg'))
  const bytes = readFileSync(at('input.jpg'))
  const place = bytes.indexOf('jumb') + 40
  bytes.fill(0xff, place, place + 60)
  writeFileSync(at('input.jpg'), bytes)
  copyFileSync(at('input.jpg'), at('copy.jpg'))
  await credentials.dispose()
  open({ [clip().id]: at('copy.jpg') })
  const video = clip({ kind: 'picture', sizeBytes: bytes.length })
  expect(await sign(sample.face, at('out.jpg'), { video })).toBe('signed')
  const read = await credentials.verify(at('out.jpg'))
  expect(read).toMatchObject({ verdict: 'unchanged', signer: { kind: 'this-copy' } })
})

it('signs a saved frame as made from its result', async () => {
  await sign(sample.video, at('out.mp4'))
  expect(await credentials.signFrame(task(), at('out.mp4'), sample.face, at('frame.jpg'))).toBe('signed')
  expect(await credentials.verify(at('frame.jpg'))).toMatchObject({
    verdict: 'unchanged',
    actions: [{ action: 'c2pa.opened' }, { action: 'c2pa.converted' }],
    ingredients: [{ role: 'parent', credentials: 'unchanged', signedBy: 'Copy of Mien' }],
  })
})

it('does nothing when it is turned off, and stops when it is required and can’t', async () => {
  await credentials.dispose()
  let [isOn, isRequired] = [false, false]
  ;({ credentials } = copyOfMien(at(), {}, { settings: () => ({ isOn, isRequired, withNames: true }) }))
  expect(await sign(sample.face, at('out.jpg'))).toBe('off')
  writeFileSync(at('other.webm'), Buffer.from('1a45dfa3', 'hex'))
  ;[isOn, isRequired] = [true, true]
  await expect(sign(at('other.webm'), at('out.webm'))).rejects.toMatchObject({ code: 'not-signed' })
  isRequired = false
  expect(await sign(at('other.webm'), at('out.webm'))).toBe('unsupported')
  await sign(sample.face, at('out.jpg'))
  const { ingredients } = await credentials.verify(at('out.jpg'))
  expect(ingredients.map(({ name }) => name)).toEqual([clip().name])
})
