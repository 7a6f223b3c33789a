/**
 * @file How a command ends: always with an exit code and a message, whatever happens to it. Nobody sees Electron's error
 * dialogs here, and Chromium would end the process with 0 after a signal.
 */
import { app } from 'electron'
import { MienError, toErrorBody, type ErrorBody } from '@shared/errors.ts'
import { nameDiskFull } from '../data/disk-full.ts'
import { isKeychainStuck } from '../keychain/keychain.ts'
import { exitCodeFor } from './exit-codes.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** How long a command that was interrupted may take to clean up. */
const cleanUpMs = 10_000

export interface Command {
  /** Says an error on stderr, and on stdout where JSON was asked for. */
  report: (error: ErrorBody) => void
  /** Before Chromium starts: where it keeps its files. */
  prepare: () => void
  /** Returns the exit code. `interrupted` is aborted with the error `cancelled` when a signal asks for the end. */
  work: (interrupted: AbortSignal) => Promise<number>
}

/** Runs a command and ends the process. Call before the app is ready. */
export function runToEnd({ report, prepare, work }: Command): void {
  const abort = new AbortController()
  let isEnding = false
  const end = (code: number): void => {
    if (isEnding) return
    isEnding = true
    exit(code)
  }
  const fail = (error: unknown): void => {
    if (isEnding) return
    const body = toErrorBody(nameDiskFull(error))
    report(body)
    end(exitCodeFor(body))
  }
  const interrupt = (): void => {
    if (abort.signal.aborted) return
    abort.abort(new MienError('cancelled'))
    setTimeout(
      () => {
        fail(abort.signal.reason)
      },
      app.isReady() ? cleanUpMs : 0,
    )
  }
  const uncaught = (error: unknown): void => {
    // What breaks while an interrupted command cleans up is not why it ends.
    if (!abort.signal.aborted) fail(error)
  }
  process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught)
  // Whoever read our output may be gone.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  takeSignals(interrupt)
  // Chromium's own handlers, until ours are back, quit the app.
  app.on('before-quit', (event) => {
    event.preventDefault()
    interrupt()
  })
  // The only window is the engine's: when it crashes, a new one takes its place.
  app.on('window-all-closed', () => undefined)
  try {
    prepare()
  } catch (error) {
    fail(error)
    return
  }
  app
    .whenReady()
    .then(() => {
      takeSignals(interrupt)
      abort.signal.throwIfAborted()
      return work(abort.signal)
    })
    .then(end, fail)
}

/**
 * Has the signals that ask for an end call `interrupt`, and nothing else. Call it at the start, and again when the app is
 * ready: Chromium replaces the process's handlers in between, and Node puts its own back only with the first listener of
 * a signal. There is one already, of a dependency of electron-store (when-exit).
 */
function takeSignals(interrupt: () => void): void {
  for (const signal of signals) process.removeAllListeners(signal).on(signal, interrupt)
}

/** Settles as `work` does, or rejects as soon as a signal asks for the end. */
export function unlessInterrupted<T>(interrupted: AbortSignal, work: Promise<T>): Promise<T> {
  const stop = new Promise<never>((_, reject) => {
    const stopped = (): void => {
      // The reason that runToEnd gave is an Error.
      reject(interrupted.reason as Error)
    }
    if (interrupted.aborted) stopped()
    else interrupted.addEventListener('abort', stopped, { once: true })
  })
  return Promise.race([work, stop])
}

/**
 * Ends the process. A thread that waits for a keyring that does not answer would hold that up for minutes and then abort
 * the process, so there another program takes the process's place, which ends all threads at once.
 */
function exit(code: number): void {
  if (isKeychainStuck() && process.execve) {
    process.emit('exit', code)
    process.execve('/bin/sh', ['sh', '-c', `exit ${String(code)}`], {})
  }
  app.exit(code)
}
