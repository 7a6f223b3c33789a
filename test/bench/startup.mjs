/**
 * @file How long until the first frame of Mien's window is on the screen, and its memory when idle, compared with a
 * hello-world Electron in the same run: with an empty library, with 10 swaps and with 10,000. Both tell the frame by the
 * page's paint timing. Rounds alternate the order. The first round starts with fresh caches and is reported as "first"; the
 * median of the others is the result. Memory is the PSS of the whole process tree, 10 seconds after the window was ready.
 * `--rounds N` (7).
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { appFolder } from '../../scripts/build.mjs'
import { electronFlags } from '../../scripts/lib/app.mjs'
import { sample, thumbnail } from '../fixtures/clip.ts'
import { buildEngineMain } from './lib/engine-process.mjs'
import { electron, numberOf, report, round, run, say, workFolder } from './lib/harness.mjs'
import { pssOf, quit } from './lib/process-tree.mjs'
import { median } from './quality/numbers.mjs'

const rounds = numberOf('--rounds', 7)
const idleMs = 10_000
const deadlineMs = 60_000
/** Ratios to hello world: what was asked for, and the most that passes. It was 1.44 and 1.30 when the limits were set. */
const goal = { ready: 1.25, memory: 1.3 }
const max = { ready: 1.6, memory: 1.5 }
const data = workFolder('bench')

const mien = (/** @type {string} */ name) => ({
  mark: 'MIEN_READY',
  args: [appFolder, '--data-dir', join(data, name)],
})
const apps = {
  hello: { mark: 'HELLO_READY', args: [join(import.meta.dirname, 'hello'), join(data, 'hello')] },
  empty: mien('empty'),
  swaps10: mien('swaps10'),
  swaps10000: mien('swaps10000'),
}
/** @typedef {keyof typeof apps} Name */

const order = /** @type {Name[]} */ (Object.keys(apps))

/**
 * Starts an app and waits for its mark.
 * @param {Name} name
 * @returns {Promise<{ readyMs: number, child: import('node:child_process').ChildProcess }>}
 */
function launch(name) {
  const { mark, args } = apps[name]
  return new Promise((resolve, reject) => {
    const started = performance.now()
    // The measurement of the computer runs once, so it isn't part of idle.
    const env = { ...process.env, MIEN_READY_MARK: '1', MIEN_MEASURE_AFTER_MS: 'never' }
    const child = spawn(electron, [...electronFlags(), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const fail = (/** @type {string} */ why) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(new Error(`${name} ${why}\n${output}`))
    }
    const timer = setTimeout(() => fail(`was not ready within ${deadlineMs / 1000} s`), deadlineMs)
    child.on('error', (error) => fail(`could not be started: ${error.message}`))
    child.on('exit', (code) => fail(`ended with ${code} before it was ready`))
    child.stderr.on('data', (text) => (output += text))
    child.stdout.on('data', (text) => {
      output += text
      if (!output.includes(mark)) return
      clearTimeout(timer)
      child.removeAllListeners('exit')
      resolve({ readyMs: performance.now() - started, child })
    })
  })
}

/** Both figures and their ratio, as printed. */
const compared = (/** @type {number} */ ours, /** @type {number} */ hello) => ({
  mien: round(ours),
  hello: round(hello),
  ratio: round(ours / hello, 2),
})

const seed = await buildEngineMain(join(data, 'seed'), 'test/bench/lib/library-seed.ts')
for (const count of [10, 10_000])
  run(process.execPath, seed, join(data, `swaps${String(count)}`), String(count), sample.face, thumbnail)
/** @type {Record<Name, number[]>} */
const samples = { hello: [], empty: [], swaps10: [], swaps10000: [] }
for (let count = 0; count <= rounds; count += 1) {
  for (const name of count % 2 === 0 ? order : order.toReversed()) {
    const { readyMs, child } = await launch(name)
    samples[name].push(readyMs)
    // Work that follows a start must not slow the next one.
    await sleep(500)
    await quit(child)
  }
  const times = order.map((name) => `${name} ${round(samples[name].at(-1) ?? 0)} ms`)
  say(`${count === 0 ? 'first start' : `start ${count}`}: ${times.join(', ')}`)
}
/** @type {Record<Name, number>} */
const memory = { hello: 0, empty: 0, swaps10: 0, swaps10000: 0 }
for (const name of order) {
  const { child } = await launch(name)
  await sleep(idleMs)
  const { mb, processes } = pssOf(child.pid ?? 0)
  memory[name] = mb
  say(`idle after ${idleMs / 1000} s: ${name} ${round(mb)} MiB PSS in ${processes} processes`)
  await quit(child)
}
const warm = (/** @type {Name} */ name) => samples[name].slice(1)
const result = Object.fromEntries(
  order.slice(1).map((name) => [
    name,
    {
      readyMs: compared(median(warm(name)), median(warm('hello'))),
      pssMB: compared(memory[name], memory.hello),
      firstReadyMs: compared(samples[name][0] ?? 0, samples.hello[0] ?? 0),
      samples: warm(name).map((ms) => round(ms)),
    },
  ]),
)
const pass = Object.values(result).every(
  ({ readyMs, pssMB }) => readyMs.ratio <= max.ready && pssMB.ratio <= max.memory,
)
report({ ...result, hello: warm('hello').map((ms) => round(ms)), max, goal }, pass)
