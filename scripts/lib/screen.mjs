/** @file A screen where there is none (Xvfb), and a desktop session with an open keyring, for tests. */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure, outlivingSignals } from './run.mjs'
import { hasScreen } from './system.mjs'

/**
 * Does `work` with the environment of a screen: the machine's own, or an Xvfb that lives as long as `work`.
 * @template T
 * @param {{ size?: string, always?: boolean }} options `size` of the Xvfb screen, `WIDTHxHEIGHT`; `always`: an Xvfb even
 * where there is a screen, for pictures and measurements of a known size
 * @param {(env: Record<string, string>, isVirtual: boolean) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withScreen({ size = '1600x1000', always = false }, work) {
  if (process.platform !== 'linux' || (hasScreen() && !always)) return work({}, false)
  const folder = mkdtempSync(join(tmpdir(), 'mien-screen-'))
  const authority = join(folder, 'Xauthority')
  writeFileSync(authority, cookie(), { mode: 0o600 })
  return outlivingSignals(async (isInterrupted) => {
    const { child, display } = await startXvfb(size, authority, folder)
    try {
      if (isInterrupted()) throw new Failure('Stopped.')
      return await work({ DISPLAY: display, XAUTHORITY: authority }, true)
    } finally {
      await stop(child)
      rmSync(folder, { recursive: true, force: true })
    }
  })
}

/**
 * Starts Xvfb on a display number of its own choice, readable only with the cookie.
 * @returns {Promise<{ child: import('node:child_process').ChildProcess, display: string }>}
 */
function startXvfb(/** @type {string} */ size, /** @type {string} */ authority, /** @type {string} */ folder) {
  return new Promise((resolve, reject) => {
    // Without a reset when the last window closes, which would refuse a window that opens at that moment.
    const args = ['-displayfd', '3', '-screen', '0', `${size}x24`, '-nolisten', 'tcp', '-noreset', '-auth', authority]
    // Detached: a Ctrl-C in the terminal must end the app first, and its screen after it.
    const child = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'], cwd: folder, detached: true })
    let said = ''
    let number = ''
    const fail = (/** @type {string} */ why) => reject(new Failure(`No screen: Xvfb ${why}.\n${said}`.trimEnd()))
    child.stderr?.on('data', (text) => (said += text))
    child.stdio[3]?.on('data', (text) => {
      number += text
      if (number.endsWith('\n')) resolve({ child, display: `:${number.trim()}` })
    })
    child.on('error', (error) => fail(`could not be started (${error.message})`))
    child.on('exit', (code) => fail(`ended with ${code}`))
  })
}

/** An Xauthority file with one random cookie, good for any display (family "wild"). */
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
 * Does `work` with the environment of a D-Bus session of its own with an unlocked, empty keyring (Linux only).
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
    const { child, address } = await startBus(env)
    try {
      if (isInterrupted()) throw new Failure('Stopped.')
      env['DBUS_SESSION_BUS_ADDRESS'] = address
      // It leaves a daemon that ends with the bus. Without a line of input it makes no login keyring.
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

/**
 * Starts a session's bus.
 * @returns {Promise<{ child: import('node:child_process').ChildProcess, address: string }>}
 */
function startBus(/** @type {Record<string, string>} */ env) {
  return new Promise((resolve, reject) => {
    // Its every step is told on stderr. Detached as Xvfb is, and for the same reason.
    const child = spawn('dbus-daemon', ['--session', '--nofork', '--nopidfile', '--print-address=3'], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      detached: true,
    })
    let address = ''
    const fail = (/** @type {string} */ why) => reject(new Failure(`No session: dbus-daemon ${why}.`))
    child.stdio[3]?.on('data', (text) => {
      address += text
      if (address.endsWith('\n')) resolve({ child, address: address.trim() })
    })
    child.on('error', (error) => fail(`could not be started (${error.message})`))
    child.on('exit', (code) => fail(`ended with ${code}`))
  })
}

/**
 * Does `work` with the environments of desktop sessions that know nothing of each other: a screen and a keyring each.
 * @template T
 * @param {number} count
 * @param {(sessions: Record<string, string>[]) => Promise<T>} work
 * @param {Record<string, string>[]} [before] those that are there
 * @returns {Promise<T>}
 */
export function withSessions(count, work, before = []) {
  if (before.length === count) return work(before)
  return withScreen({}, (screen) =>
    withKeyring((keyring) => withSessions(count, work, [...before, { ...screen, ...keyring }])),
  )
}
