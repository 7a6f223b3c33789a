/** @file Mien's process in development: started, restarted, and ended with all its children. */
import { spawn } from 'node:child_process'
import { electronFlags } from '../lib/app.mjs'
import { say } from '../lib/run.mjs'

/** For an app that hangs, or shows Electron's own message about an error. */
const killAfterMs = 10_000

/** One app at a time; what is asked of it is done in turn. */
export class AppProcess {
  /** @type {import('node:child_process').ChildProcess | null} */
  #child = null
  #turn = Promise.resolve()
  #stopped = false
  /** @type {() => import('node:child_process').ChildProcess} */
  #spawn
  /** Called when the user has quit the app. */
  onQuit = () => {}

  /**
   * @param {string} electron the binary
   * @param {string[]} args
   * @param {NodeJS.ProcessEnv} env
   */
  constructor(electron, args, env) {
    // A group of its own: a terminal's Ctrl-C must reach it once, and from us.
    const detached = process.platform !== 'win32'
    this.#spawn = () =>
      spawn(electron, [...electronFlags(), ...args], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached })
  }

  get isRunning() {
    return this.#child !== null
  }

  /** Starts the app, after the one that runs has ended: two cannot share a data folder. */
  restart() {
    this.#turn = this.#turn.then(() => this.#end()).then(() => this.#start())
  }

  /** Ends the app for good. Resolves when it is gone. */
  stop() {
    this.#stopped = true
    this.#turn = this.#turn.then(() => this.#end())
    return this.#turn
  }

  #start() {
    if (this.#stopped) return
    const child = this.#spawn()
    this.#child = child
    const forget = () => {
      const isCurrent = this.#child === child
      if (isCurrent) this.#child = null
      return isCurrent
    }
    child.on('error', (error) => {
      if (forget()) say(`Electron could not be started: ${error.message}`)
    })
    child.on('exit', (code) => {
      if (!forget()) return
      if (code === 0) this.onQuit()
      else say('Mien ended by itself, with an error. It starts again when a change is saved.')
    })
  }

  /** @returns {Promise<void>} */
  #end() {
    const child = this.#child
    this.#child = null
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
    const { pid } = child
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        if (process.platform === 'win32') child.kill('SIGKILL')
        else process.kill(-pid, 'SIGKILL')
      }, killAfterMs)
      child.on('exit', () => {
        clearTimeout(timer)
        resolve()
      })
      child.kill('SIGTERM')
    })
  }
}
