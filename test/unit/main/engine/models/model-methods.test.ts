import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ModelCheck, ModelTrial } from '@shared/engine/engine.ts'
import { defaultOptions } from '@shared/options/swap-options.ts'
import { ModelMethods, modelView } from '../../../../../src/main/engine/models/model-methods.ts'
import { ModelStore, type StoredModel } from '../../../../../src/main/engine/models/model-store.ts'
import { converter, recogniser, swapper } from '../../../../fixtures/swap-models.ts'
import { tempDir, tempPaths } from '../../../../fixtures/temp-dir.ts'

const works: ModelTrial = { problem: null, reason: null, loadMs: 1, runMs: 40 }
const absent: ModelTrial = { problem: 'absent', reason: null, loadMs: null, runMs: null }

const from = tempPaths()
let store: ModelStore
let methods: ModelMethods
let check: ModelCheck
let checked: string[]

beforeEach(() => {
  store = new ModelStore({ dir: join(tempDir(), 'models'), now: () => 1, log: () => undefined })
  check = { wasm: works, webnn: absent, webgpu: absent, memoryBytes: 1, adapter: '' }
  checked = []
  methods = new ModelMethods(store, {
    checkModel: (path) => {
      checked.push(path)
      return Promise.resolve(check)
    },
  })
})

const add = async (name: string, bytes: Uint8Array, confirmed = true): Promise<string> => {
  writeFileSync(from(name), bytes)
  return (await store.add(from(name), { confirmed })).id
}
const inswapper = (): Promise<string> => add('inswapper_128.onnx', swapper('inswapper', { paint: 'identity' }))
const unusable = (details: Record<string, string>): unknown =>
  expect.objectContaining({ body: { code: 'model-unusable', details } })

describe('a model as the way to swap', () => {
  it('has the files that it needs, and its licence', async () => {
    const id = await inswapper()
    const recogniserId = await add('w600k_r50.onnx', recogniser())
    const method = await methods.of({ ...defaultOptions, method: id })
    expect(method).toMatchObject({
      files: {
        swapper: { path: store.path(id), spec: { family: 'inswapper' } },
        recogniser: { path: store.path(recogniserId), spec: { role: 'recogniser' } },
        ...{ converter: null, strength: 0.5, backend: 'wasm' },
      },
      used: { name: 'inswapper_128', licence: { id: 'non-commercial', text: null } },
    })
    expect(await methods.usable()).toEqual([{ id, name: 'inswapper_128' }])
  })

  it('is none for the built-in one', async () => expect(await methods.of(defaultOptions)).toBeNull())

  it('follows the likeness: the usual one changes nothing', async () => {
    const method = await add('blendswap_256.onnx', swapper('blendswap', { paint: 'grey' }))
    const strength = async (likeness: number) =>
      (await methods.of({ ...defaultOptions, likeness, method }))?.files.strength
    expect(await Promise.all([0, 65, 100].map(strength))).toEqual([0, 0.5, 1])
  })

  it('runs on the graphics chip only after it passed a check there', async () => {
    const method = await add('blendswap_256.onnx', swapper('blendswap', { paint: 'grey' }))
    const backend = async () => (await methods.of({ ...defaultOptions, method }))?.files.backend
    check = { ...check, webgpu: { ...works, problem: 'different' } }
    await methods.check(method)
    expect(checked).toEqual([store.path(method)])
    expect(await backend()).toBe('wasm')
    check = { ...check, webgpu: works }
    expect(await methods.runMs(method)).toEqual({ chip: null, processor: 40 })
    expect((await methods.check(method)).check).toEqual(check)
    expect(await backend()).toBe('webgpu')
    expect(await methods.runMs(method)).toEqual({ chip: 40, processor: 40 })
    expect(await methods.runMs('another')).toEqual({ chip: null, processor: null })
  })

  it('runs on what took the least time', async () => {
    const method = await add('blendswap_256.onnx', swapper('blendswap', { paint: 'grey' }))
    const backend = async () => (await methods.of({ ...defaultOptions, method }))?.files.backend
    check = { ...check, webgpu: works, webnn: { ...works, runMs: 10 } }
    await methods.check(method)
    expect(await backend()).toBe('webnn')
    expect(await methods.runMs(method)).toEqual({ chip: 40, processor: 10 })
    expect(modelView((await store.list())[0] as StoredModel, []).check).toEqual({ backend: 'webnn', runMs: 10 })
    check = { ...check, webnn: { ...works, runMs: 50 }, webgpu: { ...works, runMs: 45 } }
    await methods.check(method)
    expect(await backend()).toBe('wasm')
  })

  it('says what it lacks', async () => {
    const id = await add('ghost_1_256.onnx', swapper('ghost', { paint: 'grey' }))
    const of = () => methods.of({ ...defaultOptions, method: id })
    await expect(of()).rejects.toEqual(unusable({ name: 'ghost_1_256', reason: 'missing', needs: 'recogniser' }))
    await add('w600k_r50.onnx', recogniser())
    await expect(of()).rejects.toEqual(unusable({ name: 'ghost_1_256', reason: 'missing', needs: 'ghost' }))
    const crossface = await add('crossface_ghost.onnx', converter())
    expect((await of())?.files.converter?.path).toBe(store.path(crossface))
    // The recogniser's licence is stricter than the swapper's.
    expect((await of())?.used.licence.id).toBe('non-commercial')
    appendFileSync(store.path(crossface), 'x')
    await expect(of()).rejects.toEqual(unusable({ name: 'ghost_1_256', reason: 'changed' }))
    expect(await methods.usable()).toEqual([])
    await store.remove(id)
    await expect(of()).rejects.toEqual(unusable({ reason: 'gone' }))
    await expect(methods.check(id)).rejects.toEqual(unusable({ reason: 'gone' }))
  })

  it('with an unknown licence has to be confirmed', async () => {
    const id = await add('uniface_256.onnx', swapper('uniface', { paint: 'grey' }), false)
    const of = () => methods.of({ ...defaultOptions, method: id })
    await expect(of()).rejects.toEqual(unusable({ name: 'uniface_256', reason: 'licence' }))
    await store.confirmLicence(id)
    expect(await of()).not.toBeNull()
  })
})

it('a model in the settings shows what it is, what it lacks and how fast it is', async () => {
  const id = await inswapper()
  const view = async () => {
    const all = await store.list()
    return all.map((model) => modelView(model, all)).find((model) => model.id === id)
  }
  expect(await view()).toMatchObject({
    ...{ name: 'inswapper_128', role: 'swapper', family: 'inswapper', size: 128, state: 'ready' },
    ...{ missing: ['recogniser'], needsConfirmation: false, isUsable: false, check: null },
  })
  await methods.check(id)
  expect((await view())?.check).toEqual({ backend: 'wasm', runMs: 40 })
  await add('w600k_r50.onnx', recogniser())
  expect((await view())?.isUsable).toBe(true)
  check = { ...check, wasm: { ...works, problem: 'grey' } }
  await methods.check(id)
  expect((await view())?.check).toEqual({ backend: null, runMs: null })
})
