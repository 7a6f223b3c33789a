/** @file A model that runs natively: only where it gives the same bits, and in WebAssembly again when it can't go on. */
import { describe, expect, it, vi } from 'vitest'
import { NativeModel } from '../../../src/renderer/engine/litert/native-model.ts'

/** Answers with its name in place of its second output, which isn't compared; the first depends on the input alone. */
const model = (name: number, shift = 0) => ({
  run: vi.fn((draw: (to: Float32Array) => void) => {
    const input = new Float32Array(4)
    draw(input)
    return Promise.resolve([input.map((value) => value * 2 + shift), Float32Array.of(name)])
  }),
})
const one = (to: Float32Array): void => void to.fill(1)

/** Runs a model as often as it takes until it is compared with the native one. */
async function runOften(twin: NativeModel): Promise<void> {
  for (let runs = 0; runs < 120; runs += 1) await twin.run(one)
  await new Promise(setImmediate)
}
const whoRuns = async (twin: NativeModel): Promise<number | undefined> => (await twin.run(one))[1]?.[0]

describe('a native model', () => {
  it('takes over after some runs, if it gives the same', async () => {
    const [own, native, onNative] = [model(1), model(2), vi.fn()]
    const load = vi.fn(() => Promise.resolve(native))
    const twin = new NativeModel(own, load, 1, onNative)
    expect(await whoRuns(twin)).toBe(1)
    expect(load).not.toHaveBeenCalled()
    await runOften(twin)
    expect(await whoRuns(twin)).toBe(2)
    expect([load.mock.calls.length, onNative.mock.calls.length]).toEqual([1, 1])
  })

  it.each([
    ['differs in one bit', () => Promise.resolve(model(2, 1e-7))],
    ["isn't there", () => Promise.reject(new Error('there is no WebNN'))],
  ])('is not used if it %s', async (_case, load) => {
    const onNative = vi.fn()
    const twin = new NativeModel(model(1), load, 1, onNative)
    await runOften(twin)
    expect([await whoRuns(twin), onNative.mock.calls.length]).toEqual([1, 0])
  })

  it('is left when it fails, without a lost run', async () => {
    const native = model(2)
    const twin = new NativeModel(model(1), () => Promise.resolve(native), 1, vi.fn())
    await runOften(twin)
    native.run.mockImplementation(() => Promise.reject(new Error('the GPU process is gone')))
    expect([await whoRuns(twin), await whoRuns(twin)]).toEqual([1, 1])
    // The noise, and the run that failed.
    expect(native.run).toHaveBeenCalledTimes(2)
  })

  it('has one run at a time', async () => {
    const native = model(2)
    const twin = new NativeModel(model(1), () => Promise.resolve(native), 1, vi.fn())
    await runOften(twin)
    const ends: (() => void)[] = []
    native.run.mockImplementation(() => new Promise((resolve) => ends.push(() => resolve([]))))
    const both = [twin.run(one), twin.run(one)]
    await new Promise(setImmediate)
    expect(ends).toHaveLength(1)
    ends[0]?.()
    await both[0]
    await new Promise(setImmediate)
    expect(ends).toHaveLength(2)
    ends[1]?.()
    await both[1]
  })
})
