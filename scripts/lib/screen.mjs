/** @file Provides a virtual screen (Xvfb) if there is none, and a session with an unlocked keyring for tests. */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure, outlivingSignals } from './run.mjs'
import { hasScreen } from './system.mjs'

/**
 * Runs `work` with the environment of a screen: the existing one, or an Xvfb that stops when `work` is done.
 * @template T
 * @param {{ size?: string, always?: boolean }} options `size` of the Xvfb screen, `WIDTHxHEIGHT`; `always`: use Xvfb
 * even if there is a screen, for screenshots and measurements at a known size
 * @param {(env: Record<string, string>, isVirtual: boolean) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withScreen({ size = '1600x1000', always = false }, work) {
  if (process.platform !== 'linux' || (hasScreen() && !always)) return work({}, false)
  const folder = mkdtempSync(join(tmpdir(), 'mien-screen-'))
  const authority = join(folder, 'Xauthority')
  writeFileSync(authority, cookie(), { mode: 0o600 })
  return outlivingSignals(async (isInterrupted) => {
    const { child, name } = await startXvfb(size, authority, folder)
    try {
      if (isInterrupted()) throw new Failure('Stopped.')
      return await work({ DISPLAY: `:${name}`, XAUTHORITY: authority }, true)
    } finally {
      await stop(child)
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

/** Starts Xvfb on a display number that it chooses. Access requires the cookie. */
function startXvfb(/** @type {string} */ size, /** @type {string} */ authority, /** @type {string} */ folder) {
  // -noreset: a reset after the last window closes would reject a window that opens at that moment.
  const args = ['-displayfd', '3', '-screen', '0', `${size}x24`, '-nolisten', 'tcp', '-noreset', '-auth', authority]
  return startNaming('No screen', 'Xvfb', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'], cwd: folder })
}

/**
 * Starts a program that writes to file descriptor 3 under which name it can be reached.
 * @param {string} problem what to say if it fails
 * @param {string} program
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<{ child: import('node:child_process').ChildProcess, name: string }>}
 */
function startNaming(problem, program, args, options) {
  return new Promise((resolve, reject) => {
    // Detached, because Ctrl-C in the terminal must end the app before its screen and its session.
    const child = spawn(program, args, { ...options, detached: true })
    let said = ''
    let name = ''
    const fail = (/** @type {string} */ why) => reject(new Failure(`${problem}: ${program} ${why}.\n${said}`.trimEnd()))
    child.stderr?.on('data', (text) => (said += text))
    child.stdio[3]?.on('data', (text) => {
      name += text
      if (name.endsWith('\n')) resolve({ child, name: name.trim() })
    })
    child.on('error', (error) => fail(`could not be started (${error.message})`))
    child.on('exit', (code) => fail(`ended with ${code}`))
  })
}

/** An Xauthority file with one random cookie for any display (family "wild"). */
function cookie() {
  const counted = (/** @type {Buffer} */ data) => {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(data.length)
    return Buffer.concat([length, data])
  }
  const empty = Buffer.alloc(0)
  const fields = [empty, empty, Buffer.from('MIT-MAGIC-COOKIE-1'), randomBytes(16)].map(counted)
  return Buffer.concat([Buffer.from([0xff, 0xff]), ...fields])
}

/** @returns {Promise<void>} */
function stop(/** @type {import('node:child_process').ChildProcess} */ child) {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    const timer = setTimeout(() => child.kill('SIGKILL'), 3000)
    child.on('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    child.kill('SIGTERM')
  })
}

/**
 * Runs `work` in a separate D-Bus session with an unlocked, empty keyring (Linux only).
 * @template T
 * @param {(env: Record<string, string>) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withKeyring(work) {
  if (process.platform !== 'linux') return work({})
  const folder = mkdtempSync(join(tmpdir(), 'mien-session-'))
  /** @type {Record<string, string>} */
  const env = {}
  for (const [name, sub] of Object.entries({
    XDG_DATA_HOME: 'data',
    XDG_CONFIG_HOME: 'config',
    XDG_RUNTIME_DIR: 'run',
  })) {
    mkdirSync((env[name] = join(folder, sub)))
    chmodSync(join(folder, sub), 0o700)
  }
  return outlivingSignals(async (isInterrupted) => {
    const { child, name } = await startBus(env)
    try {
      if (isInterrupted()) throw new Failure('Stopped.')
      env['DBUS_SESSION_BUS_ADDRESS'] = name
      // This starts a daemon that ends with the bus. It only creates a login keyring if it reads a line of input.
      spawnSync('gnome-keyring-daemon', ['--unlock', '--components=secrets'], {
        env: { ...process.env, ...env },
        input: '\n',
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      return await work(env)
    } finally {
      await stop(child)
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

/** Starts the D-Bus daemon of a session. */
function startBus(/** @type {Record<string, string>} */ env) {
  // stderr would log every step.
  return startNaming('No session', 'dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address=3'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
}

/**
 * Runs `work` with the environments of isolated desktop sessions, each with a screen and a keyring.
 * @template T
 * @param {number} count
 * @param {(sessions: Record<string, string>[]) => Promise<T>} work
 * @param {Record<string, string>[]} [before] sessions already started
 * @returns {Promise<T>}
 */
export function withSessions(count, work, before = []) {
  if (before.length === count) return work(before)
  return withScreen({}, (screen) =>
    withKeyring((keyring) => withSessions(count, work, [...before, { ...screen, ...keyring }])),
  )
}
