/** @file What benchmarks share: options, a folder for what they make, programs that they run, and how they end. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { electronPath } from '../../fixtures/electron-path.ts'

export const root = join(import.meta.dirname, '../../..')
export const electron = process.env['MIEN_ELECTRON'] ?? electronPath()

export const hasOption = (/** @type {string} */ name) => process.argv.includes(name)

/** What follows an option on the command line, up to the next option. @param {string} name with its dashes */
export function wordsOf(name) {
  const words = hasOption(name) ? process.argv.slice(process.argv.indexOf(name) + 1) : []
  const next = words.findIndex((word) => word.startsWith('--'))
  return next < 0 ? words : words.slice(0, next)
}

export const numberOf = (/** @type {string} */ name, /** @type {number} */ otherwise) =>
  Number(wordsOf(name)[0] ?? otherwise)

/** Writes a line for people, not with `--json`. */
export const say = (/** @type {string} */ line) => void (hasOption('--json') || process.stdout.write(`${line}\n`))

/** Makes a folder that is removed when the process ends. @param {string} name of the benchmark */
export function workFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `mien-${name}-`))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }))
  return folder
}

/** Runs a program to its end. @param {string} program @param {string[]} args @returns what it wrote @throws Error with its last words */
export function run(program, ...args) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
  return stdout
}

export const round = (/** @type {number} */ value, digits = 0) => Number(value.toFixed(digits))

/**
 * Writes the result with `pass` as the last line of stdout, and sets the exit code. @param {object} result
 * @param {boolean} pass whether every limit is met
 */
export function report(result, pass) {
  process.stdout.write(`${JSON.stringify({ ...result, pass })}\n`)
  process.exitCode = pass ? 0 : 1
}
