import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { companionsOf, freeName } from '../../../../../src/main/engine/models/model-record.ts'
import { ModelStore } from '../../../../../src/main/engine/models/model-store.ts'
import { recogniser, swapper } from '../../../../fixtures/swap-models.ts'
import { tempDir, tempPaths } from '../../../../fixtures/temp-dir.ts'

const from = tempPaths()
let dir: string
let logged: string[]

beforeEach(() => {
  dir = join(tempDir(), 'models')
  logged = []
})

const open = (freeBytes = Infinity): ModelStore =>
  new ModelStore({
    ...{ dir, now: () => 1000, freeBytes: () => Promise.resolve(freeBytes) },
    log: (message) => logged.push(message),
  })

const put = (name: string, content: Uint8Array | string): string => {
  writeFileSync(from(name), content)
  return from(name)
}
const inswapper = (): string => put('inswapper_128.onnx', swapper('inswapper', { paint: 'identity' }))
const yes = { confirmed: true }

describe('the user’s models', () => {
  it('are copied by content, with their licence', async () => {
    const path = inswapper()
    const shares: number[] = []
    const store = open()
    const added = await store.add(path, {
      confirmed: false,
      onProgress: ({ bytesDone, bytesTotal }) => shares.push(bytesDone / (bytesTotal ?? 0)),
    })
    const id = createHash('sha256').update(readFileSync(path)).digest('hex')
    expect(added).toMatchObject({
      ...{ id, name: 'inswapper_128', fileName: 'inswapper_128.onnx', addedAt: 1000, state: 'ready' },
      ...{ sizeBytes: statSync(path).size, spec: { family: 'inswapper' } },
      licence: { id: 'non-commercial', text: null, confirmedAt: null },
    })
    expect(readFileSync(store.path(id))).toEqual(readFileSync(path))
    expect(shares.at(-1)).toBe(1)
    expect(readdirSync(dir).sort()).toEqual([`${id}.json`, `${id}.onnx`])
    expect(await open().list()).toEqual([added])
  })

  it('are there once, under their first name', async () => {
    const store = open()
    const first = await store.add(inswapper(), yes)
    const again = await store.add(put('copy.onnx', readFileSync(inswapper())), yes)
    expect(again).toMatchObject({ id: first.id, name: 'inswapper_128' })
    expect(await store.list()).toHaveLength(1)
  })

  it('get different names', async () => {
    const store = open()
    await Promise.all([
      store.add(put('ghost.onnx', swapper('ghost', { paint: 'grey' })), yes),
      store.add(put('Ghost.onnx', swapper('ghost', { paint: 'identity' })), yes),
    ])
    expect((await store.list()).map(({ name }) => name)).toEqual(['ghost', 'Ghost-2'])
  })

  it('are none, with a line in the log, where their folder can’t be read', async () => {
    writeFileSync(dir, 'a file')
    expect(await open().list()).toEqual([])
    expect(logged).toEqual(['The models can’t be listed'])
    await expect(open().add(inswapper(), yes)).rejects.toThrow()
  })

  it('are removed with all their files', async () => {
    const store = open()
    const { id } = await store.add(inswapper(), yes)
    await store.remove(id)
    expect(readdirSync(dir)).toEqual([])
    expect(await store.list()).toEqual([])
  })

  it('keep the licence that their manifest states', async () => {
    const path = put('uniface_256.onnx', swapper('uniface', { paint: 'grey' }))
    put('uniface_256.json', JSON.stringify({ family: 'uniface', licence: 'My own training' }))
    expect((await open().add(path, yes)).licence).toEqual({ id: 'stated', text: 'My own training', confirmedAt: null })
  })

  it('of an unknown licence have to be confirmed once', async () => {
    const store = open()
    const path = put('uniface_256.onnx', swapper('uniface', { paint: 'grey' }))
    const { id, licence } = await store.add(path, { confirmed: false })
    expect(licence).toEqual({ id: 'unknown', text: null, confirmedAt: null })
    await store.confirmLicence(id)
    expect((await open().list())[0]?.licence.confirmedAt).toBe(1000)
    expect((await store.add(path, { confirmed: false })).licence.confirmedAt).toBe(1000)
  })

  it('are noticed when another program changes or removes them, and repaired', async () => {
    const store = open()
    const { id } = await store.add(inswapper(), yes)
    const state = async () => (await store.list())[0]?.state
    const { atimeMs, mtimeMs } = statSync(store.path(id))
    truncateSync(store.path(id), 100)
    utimesSync(store.path(id), atimeMs / 1000, mtimeMs / 1000)
    expect(await state()).toBe('changed')
    await store.add(inswapper(), yes)
    expect(await state()).toBe('ready')
    utimesSync(store.path(id), 1, 1)
    expect(await state()).toBe('changed')
    rmSync(store.path(id))
    expect(await state()).toBe('missing')
    await store.add(inswapper(), yes)
    expect(await state()).toBe('ready')
  })

  it('are there without one whose record is damaged', async () => {
    const store = open()
    const { id } = await store.add(inswapper(), yes)
    const other = await store.add(put('ghost.onnx', swapper('ghost', { paint: 'grey' })), yes)
    writeFileSync(join(dir, `${id}.json`), '{"version": 2}')
    expect((await store.list()).map(({ name }) => name)).toEqual([other.name])
    expect(logged).toEqual([expect.stringContaining(id.slice(0, 8))])
    expect(existsSync(store.path(id))).toBe(true)
    expect(await store.add(inswapper(), yes)).toMatchObject({ id, state: 'ready' })
  })
})

describe('adding a model', () => {
  it.each<[string, string, Uint8Array | string, object]>([
    ['a text', 'a.onnx', 'hello', { code: 'model-unreadable' }],
    ['an empty file', 'a.onnx', '', { code: 'file-empty' }],
    ['an unknown model', 'a.onnx', swapper('ghost', { paint: 'grey' }), { code: 'model-unknown' }],
  ])('refuses %s before it copies it', async (_, name, content, error) => {
    await expect(open().add(put(name, content), yes)).rejects.toMatchObject({ ...error, details: { name } })
    expect(existsSync(dir)).toBe(false)
  })

  it('refuses a folder and a missing file', async () => {
    await expect(open().add(from(), yes)).rejects.toMatchObject({ code: 'file-is-folder' })
    await expect(open().add(from('x.onnx'), yes)).rejects.toMatchObject({ code: 'file-missing' })
  })

  it('leaves nothing on a full disk', async () => {
    await expect(open(1000).add(inswapper(), yes)).rejects.toMatchObject({ code: 'disk-full' })
    expect(readdirSync(dir)).toEqual([])
  })

  it('stops when Mien quits, and leaves nothing', async () => {
    const store = open()
    const adding = store.add(inswapper(), yes)
    const refused = expect(adding).rejects.toMatchObject({ code: 'cancelled' })
    await store.dispose()
    await refused
    expect(readdirSync(dir)).toEqual([])
  })

  it.each<[string, (path: string) => void]>([
    ['grows', (path) => writeFileSync(path, 'more', { flag: 'a' })],
    ['becomes shorter', (path) => truncateSync(path, 2_500_000)],
  ])('refuses a file that %s meanwhile', async (_, change) => {
    // Several chunks long.
    const path = put('simswap_512.onnx', swapper('simswap-512', { paint: 'pattern' }))
    const adding = open().add(path, { confirmed: true, onProgress: () => change(path) })
    await expect(adding).rejects.toMatchObject({ code: 'file-changed' })
    expect(readdirSync(dir)).toEqual([])
  })

  it('removes what a crash left behind, and no other file', async () => {
    mkdirSync(dir)
    const store = open()
    const { id } = await store.add(inswapper(), yes)
    const left = [`${'a'.repeat(64)}.onnx`, `${id}.json.part`, `${crypto.randomUUID()}.part`]
    for (const name of [...left, 'notes.txt']) writeFileSync(join(dir, name), 'x')
    await store.add(put('ghost.onnx', swapper('ghost', { paint: 'grey' })), yes)
    expect(readdirSync(dir).filter((name) => left.includes(name))).toEqual([])
    expect(existsSync(join(dir, 'notes.txt'))).toBe(true)
    expect(await store.list()).toHaveLength(2)
  })
})

describe('what a model also needs', () => {
  it('isn’t a recogniser of another training', async () => {
    const store = open()
    const ghost = await store.add(put('ghost.onnx', swapper('ghost', { paint: 'grey' })), yes)
    put('glint.json', JSON.stringify({ role: 'recogniser' }))
    const glint = await store.add(put('glint.onnx', recogniser({ input: 'a', output: 'b' })), yes)
    expect(companionsOf(ghost, await store.list())).toMatchObject({ missing: ['recogniser', 'ghost'] })
    expect(companionsOf(glint, [])).toEqual({ recogniser: null, converter: null, missing: [] })
  })

  it('is the recogniser that its manifest names', async () => {
    const store = open()
    put('mine.json', JSON.stringify({ family: 'hyperswap', recogniser: 'Glint' }))
    const mine = await store.add(put('mine.onnx', swapper('hyperswap', { paint: 'grey' })), yes)
    await store.add(put('w600k_r50.onnx', recogniser()), yes)
    expect(companionsOf(mine, await store.list()).missing).toEqual(['recogniser'])
    put('glint.json', JSON.stringify({ role: 'recogniser' }))
    const glint = await store.add(put('glint.onnx', recogniser({ input: 'a', output: 'b' })), yes)
    expect(companionsOf(mine, await store.list())).toMatchObject({ recogniser: { id: glint.id }, missing: [] })
  })

  it('isn’t a recogniser for a swapper that takes a picture', async () => {
    const uniface = await open().add(put('uniface.onnx', swapper('uniface', { paint: 'grey' })), yes)
    expect(companionsOf(uniface, []).missing).toEqual([])
  })
})

it.each([
  ['Face.ONNX', [], 'Face'],
  ['face.onnx', ['FACE', 'face-2'], 'face-3'],
  [' a\u0000\u202e b .onnx', [], 'a b'],
  ['.onnx', [], 'model'],
  [`${'x'.repeat(99)}.onnx`, [], 'x'.repeat(60)],
])('%j is called after its file', (fileName, taken, name) => expect(freeName(fileName, taken)).toBe(name))
