import { expect, it } from 'vitest'
import { Sessions, type SessionPorts } from '../../../src/renderer/engine/neural/sessions.ts'
import { madeEmap, swapper } from '../../fixtures/swap-models.ts'

const model = swapper('inswapper', { paint: 'identity' })

/** A runtime that logs what it does. `fails` says at which step on which backend. */
class FakeRuntime implements SessionPorts {
  readonly log: string[] = []
  problem: 'absent' | 'software' | null = null
  fails: string[] = []
  answer = (): Float32Array => Float32Array.of(1, 2)
  answerOfProcessor = this.answer

  file: SessionPorts['file'] = (url) => {
    this.log.push(`read ${url}`)
    return {
      size: () => Promise.resolve(model.length),
      read: (start, end) => Promise.resolve(model.subarray(start, end)),
      all: () => Promise.resolve(model),
    }
  }
  problemOf: SessionPorts['problemOf'] = (backend) => Promise.resolve(backend === 'wasm' ? null : this.problem)
  create: SessionPorts['create'] = (_, backend) => {
    this.do(`create ${backend}`)
    return Promise.resolve({
      run: async () => {
        this.log.push(`begin ${backend}`)
        await new Promise((resolve) => setTimeout(resolve, 1))
        this.do(`run ${backend}`)
        return backend === 'wasm' ? this.answerOfProcessor() : this.answer()
      },
      release: () => {
        this.log.push(`release ${backend}`)
        return Promise.resolve()
      },
    })
  }

  private do(step: string): void {
    this.log.push(step)
    if (this.fails.includes(step)) throw new Error(`cannot ${step}`)
  }
}

const opened = async (change: (runtime: FakeRuntime) => void = () => undefined) => {
  const runtime = new FakeRuntime()
  change(runtime)
  const sessions = new Sessions(runtime)
  await sessions.open('swapper', { url: 'media://item/1', backend: 'webgpu' })
  return { runtime, sessions }
}

const failedBy = (reason: string): object => ({ code: 'model-failed', details: { reason } })

it('models run on the graphics chip, one after the other', async () => {
  const { runtime, sessions } = await opened()
  await sessions.open('other', { url: 'media://item/2', backend: 'wasm' })
  runtime.log.length = 0
  await Promise.all(['swapper', 'other', 'swapper'].map((name) => sessions.run(name, [], 'o')))
  expect(runtime.log).toEqual(['webgpu', 'wasm', 'webgpu'].flatMap((on) => [`begin ${on}`, `run ${on}`]))
  expect(sessions.ranOn('swapper')).toEqual({ backends: ['webgpu'], fellBack: null })
})

it.each(['absent', 'software'] as const)('models run on the processor if the graphics chip is %s', async (problem) => {
  const { sessions } = await opened((runtime) => (runtime.problem = problem))
  await sessions.run('swapper', [], 'o')
  expect(sessions.ranOn('swapper')).toEqual({ backends: ['wasm'], fellBack: problem })
})

it('models are loaded on the processor if the graphics chip can’t load them', async () => {
  const { runtime, sessions } = await opened((own) => (own.fails = ['create webgpu']))
  await sessions.run('swapper', [], 'o')
  expect(sessions.ranOn('swapper')).toEqual({ backends: ['wasm'], fellBack: 'failed' })
  expect(runtime.log.filter((line) => line.startsWith('read'))).toHaveLength(1)
})

it.each([
  ['is lost', (runtime: FakeRuntime) => (runtime.fails = ['run webgpu'])],
  ['answers no numbers', (runtime: FakeRuntime) => (runtime.answer = () => Float32Array.of(1, NaN))],
])('models move to the processor in the middle if the graphics chip %s', async (_, change) => {
  const { runtime, sessions } = await opened()
  await sessions.run('swapper', [], 'o')
  change(runtime)
  expect(await sessions.run('swapper', [], 'o')).toEqual(Float32Array.of(1, 2))
  await sessions.run('swapper', [], 'o')
  expect(sessions.ranOn('swapper')).toEqual({ backends: ['webgpu', 'wasm'], fellBack: 'failed' })
  expect(runtime.log.slice(-5)).toEqual(['create wasm', 'begin wasm', 'run wasm', 'begin wasm', 'run wasm'])
})

it('models fail with their reason if the processor fails too', async () => {
  const { runtime, sessions } = await opened()
  runtime.fails = ['run webgpu', 'run wasm']
  await expect(sessions.run('swapper', [], 'o')).rejects.toMatchObject(failedBy('cannot run wasm'))
  const opening = opened((own) => (own.fails = ['create webgpu', 'create wasm']))
  await expect(opening).rejects.toMatchObject(failedBy('cannot create wasm'))
})

it('models fail if the processor answers no numbers either, and work again afterwards', async () => {
  const { runtime, sessions } = await opened((own) => (own.problem = 'absent'))
  const { answer } = runtime
  runtime.answerOfProcessor = () => Float32Array.of(1, NaN)
  await expect(sessions.run('swapper', [], 'o')).rejects.toMatchObject(failedBy('not a number'))
  runtime.answerOfProcessor = answer
  expect(await sessions.run('swapper', [], 'o')).toEqual(Float32Array.of(1, 2))
})

it('models stay loaded for the next swap, whose file has another address', async () => {
  const { runtime, sessions } = await opened()
  await sessions.run('swapper', [], 'o')
  await sessions.open('swapper', { url: 'media://item/9', backend: 'webgpu' })
  expect(sessions.ranOn('swapper')).toEqual({ backends: [], fellBack: null })
  runtime.fails = ['run webgpu']
  await sessions.run('swapper', [], 'o')
  const read = runtime.log.filter((line) => line.startsWith('read'))
  expect(read).toEqual(['read media://item/1', 'read media://item/9'])
  await sessions.close('swapper')
  await expect(sessions.run('swapper', [], 'o')).rejects.toThrow('not loaded')
})

it('models give inswapper’s matrix', async () => {
  const sessions = new Sessions(new FakeRuntime())
  const { emap } = await sessions.open('a', { url: 'media://item/1', backend: 'wasm', withEmap: true })
  expect(emap).toEqual(madeEmap())
})
