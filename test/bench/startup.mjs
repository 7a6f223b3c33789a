/**
 * @file How long until Mien's window is interactive, and what it weighs idle, against a hello-world Electron in the same
 * run. Pairs alternate. The first pair starts with fresh data folders and is told apart ("first"); the others are second
 * starts with the data and caches of the first ("warm"), and their median is the result. Memory is the PSS of the whole
 * process tree, idle 10 seconds after it was ready.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { appFolder } from '../../scripts/build.mjs'
import { electronFlags } from '../../scripts/lib/app.mjs'
import { isRunning, pssOf, treeOf } from './process-tree.mjs'

const pairs = 7
const idleMs = 10_000
const deadlineMs = 60_000
const electron = process.env['MIEN_ELECTRON'] ?? ''
const quiet = process.argv.includes('--json')
const data = mkdtempSync(join(tmpdir(), 'mien-bench-'))

const apps = {
  mien: { mark: 'MIEN_READY', args: [appFolder, '--data-dir', join(data, 'mien')] },
  hello: { mark: 'HELLO_READY', args: [join(import.meta.dirname, 'hello'), join(data, 'hello')] },
}

/** @type {(keyof typeof apps)[]} */
const order = ['hello', 'mien']

/**
 * Starts an app and waits for its mark.
 * @param {keyof typeof apps} name
 * @returns {Promise<{ readyMs: number, child: import('node:child_process').ChildProcess }>}
 */
function launch(name) {
  const { mark, args } = apps[name]
  return new Promise((resolve, reject) => {
    const started = performance.now()
    // Measuring the computer, once in its life, is no idleness.
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

/** Ends an app and waits until nothing of it is left, so that the next start finds a quiet machine. */
async function quit(/** @type {import('node:child_process').ChildProcess} */ child) {
  const tree = treeOf(child.pid ?? 0)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
  await ended
  clearTimeout(timer)
  for (const end = Date.now() + 5000; Date.now() < end && tree.some(isRunning);) await sleep(50)
  await sleep(300)
}

const median = (/** @type {number[]} */ values) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

const round = (/** @type {number} */ value, digits = 0) => Number(value.toFixed(digits))

/** Both figures and their ratio, as printed. */
const compared = (/** @type {number} */ mien, /** @type {number} */ hello) => ({
  mien: round(mien),
  hello: round(hello),
  ratio: round(mien / hello, 2),
})

/** @type {(line: string) => void} */
const say = (line) => void (quiet || process.stdout.write(`${line}\n`))

try {
  /** @type {{ mien: number[], hello: number[] }} */
  const samples = { mien: [], hello: [] }
  for (let pair = 0; pair <= pairs; pair += 1) {
    // Who goes first alternates too.
    for (const name of pair % 2 === 0 ? order : order.toReversed()) {
      const { readyMs, child } = await launch(name)
      samples[name].push(readyMs)
      // A start is over when what it left for later is: the next one must not pay for it.
      await sleep(500)
      await quit(child)
    }
    const [mien, hello] = [samples.mien.at(-1) ?? 0, samples.hello.at(-1) ?? 0]
    say(`${pair === 0 ? 'first start' : `warm start ${pair}`}: Mien ${round(mien)} ms, hello ${round(hello)} ms`)
  }
  const memory = { mien: { mb: 0, processes: 0 }, hello: { mb: 0, processes: 0 } }
  for (const name of order) {
    const { child } = await launch(name)
    await sleep(idleMs)
    memory[name] = pssOf(child.pid ?? 0)
    say(
      `idle after ${idleMs / 1000} s: ${name} ${round(memory[name].mb)} MiB PSS in ${memory[name].processes} processes`,
    )
    await quit(child)
  }
  const warm = { mien: samples.mien.slice(1), hello: samples.hello.slice(1) }
  const result = {
    readyMs: compared(median(warm.mien), median(warm.hello)),
    pssMB: compared(memory.mien.mb, memory.hello.mb),
    firstReadyMs: compared(samples.mien[0] ?? 0, samples.hello[0] ?? 0),
    samples: { mien: warm.mien.map((ms) => round(ms)), hello: warm.hello.map((ms) => round(ms)) },
  }
  process.stdout.write(`${JSON.stringify(result)}\n`)
} finally {
  rmSync(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}
