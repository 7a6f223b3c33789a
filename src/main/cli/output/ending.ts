/**
 * @file Guarantees that a command ends with an exit code and a message. Electron's error dialogs would not be seen
 * here, and Chromium would exit with 0 after a signal.
 */
import { aborted } from 'node:util'
import { app } from 'electron'
import { MienError, toErrorBody } from '@shared/errors.ts'
import { nameDiskFull } from '../../machine/disk/disk-errors.ts'
import { endProcess } from '../../machine/system/end-process.ts'
import { exitCodeFor } from './exit-codes.ts'
import { sayThatSignalsAreHandled, tellExitCode } from './filtered-run.ts'
import { reportError, type Failed } from './report-error.ts'
import { StopCounter } from './stop-counter.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** Max clean-up time of an interrupted command. */
const usualCleanUpMs = 10_000

interface Work {
  /** Called before Chromium starts, to set its folder. */
  prepare: () => void
  /**
   * Returns the exit code. `interrupted` is aborted with the error `cancelled` by a signal. A second one ends the
   * process at once.
   */
  work: (interrupted: AbortSignal) => Promise<number>
  /** Max clean-up time of an interrupted command; then its error is `cancelled`. */
  cleanUpMs?: number
}

/** Runs a command, reports its error, and ends the process. Call before the app is ready. */
export function runToEnd(command: Failed, { prepare, work, cleanUpMs = usualCleanUpMs }: Work): void {
  const abort = new AbortController()
  let isEnding = false
  const end = (code: number): void => {
    if (isEnding) return
    isEnding = true
    tellExitCode(code)
    endProcess(code)
  }
  const fail = (error: unknown): void => {
    if (isEnding) return
    const body = toErrorBody(nameDiskFull(error))
    reportError(command, body)
    end(exitCodeFor(body))
  }
  const stops = new StopCounter()
  const interrupt = (): void => {
    const stop = stops.next(performance.now())
    if (stop === 'again') fail(abort.signal.reason)
    if (stop !== 'first') return
    abort.abort(new MienError('cancelled'))
    setTimeout(() => fail(abort.signal.reason), app.isReady() ? cleanUpMs : 0)
  }
  const uncaught = (error: unknown): void => {
    // Errors during the clean-up of an interrupted command aren't why it ends.
    if (!abort.signal.aborted) fail(error)
  }
  process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught)
  // The reader of our output may have exited.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  takeSignals(interrupt)
  sayThatSignalsAreHandled()
  // Until ours are installed again, Chromium's signal handlers quit the app.
  app.on('before-quit', (event) => {
    event.preventDefault()
    interrupt()
  })
  // The only window is the engine's, which is replaced after a crash.
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
 * Makes termination signals call only `interrupt`. Call at startup and again when the app is ready: Chromium replaces
 * the process's handlers in between, and Node only reinstalls its own with the first listener of a signal. A dependency
 * of electron-store (when-exit) has already added one.
 */
function takeSignals(interrupt: () => void): void {
  for (const signal of signals) process.removeAllListeners(signal).on(signal, interrupt)
}

/** Settles like `work`, or rejects as soon as a signal arrives. */
export async function unlessInterrupted<T>(interrupted: AbortSignal, work: Promise<T>): Promise<T> {
  const stop = aborted(interrupted, interrupted).then((): never => {
    // Safe: runToEnd aborts with an Error.
    throw interrupted.reason as Error
  })
  return Promise.race([work, stop])
}
