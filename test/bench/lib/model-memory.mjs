/**
 * @file Memory of swaps by a model of inswapper's size, and how often its file is read: by a swap, by the next one in the
 * same process, and by one that goes on after all processes were killed.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sample, shortClip } from '../../fixtures/clip.ts'
import { writeLargeSwapper } from './large-model.ts'
import { recogniserSpec, swapperSpec } from '../../fixtures/model-specs.ts'
import { recogniser } from '../../fixtures/swap-models.ts'
import { EngineProcess } from './engine-process.mjs'
import { say } from './harness.mjs'
import { bytesReadBy, pssOf } from './process-tree.mjs'

const megabyte = 1e6

/** @param {string} main @param {string} work an empty folder */
export async function measureModelMemory(main, work) {
  mkdirSync(work)
  const path = join(work, 'swapper.onnx')
  const method = {
    swapper: { path, spec: swapperSpec('inswapper') },
    recogniser: { path: join(work, 'recogniser.onnx'), spec: recogniserSpec },
    ...{ converter: null, strength: 0.5, backend: 'wasm' },
  }
  writeLargeSwapper(path)
  writeFileSync(method.recogniser.path, recogniser())
  const { size } = statSync(path)
  const video = await shortClip(join(work, 'clip.mp4'), 1)
  let engine = await EngineProcess.start(main)
  /** MB. */
  let peak = 0
  const timer = setInterval(() => (peak = Math.max(peak, (pssOf(engine.pid).mb * 2 ** 20) / megabyte)), 300)
  /** Swaps. @param {string} name @param {boolean} [isKilled] once it is loaded @returns how often the model was read */
  const swap = async (name, isKilled = false) => {
    const before = bytesReadBy(engine.pid)
    const dir = join(work, name)
    engine.onProgress = ({ stage }) => {
      if (isKilled && stage === 'swapping') engine.kill()
    }
    const answer = await engine.run({ kind: 'swap', told: true, face: sample.face, video, dir, method })
    if (isKilled && answer === null) return NaN
    if (!answer?.result) throw new Error(JSON.stringify(answer?.error ?? 'Electron ended early'))
    const loads = Math.round((bytesReadBy(engine.pid) - before) / size)
    say(`a swap by a model: read ${loads} times, at most ${Math.round(peak)} MB`)
    return loads
  }
  try {
    const first = await swap('first')
    const firstPeak = Math.round(peak)
    peak = 0
    const second = await swap('second')
    const secondPeak = Math.round(peak)
    await swap('third', true)
    engine = await EngineProcess.start(main)
    const resumed = await swap('third')
    return { sizeMB: Math.round(size / megabyte), loads: { first, second, resumed }, firstPeak, secondPeak }
  } finally {
    clearInterval(timer)
    engine.kill()
  }
}
