/**
 * @file Runs Mien again in a second process, for three reasons.
 *
 * It keeps the lines of libraries off stderr. Chromium's child processes write them to the stderr that they inherit, at a
 * level that can't be set, and on Linux they have it before any script runs. So the second process has a piped stderr.
 *
 * On Linux, Chromium ends without a display unless its command line asks for none, and a switch that a script adds is
 * too late. So the second process has these switches.
 *
 * It makes one stop of what a terminal sends to its whole group. The second process and Chromium's are in a session of
 * their own: if Chromium's processes got the signal too, Chromium would crash. The first process passes one signal on,
 * and kills the session if that doesn't end it.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { asksForVersion, helpTopic, type Launch } from '../args/launch.ts'
import { StopCounter } from './stop-counter.ts'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** Set in the second process: whether the first one's stderr is a terminal. */
const variable = 'MIEN_STDERR'
/** Commands that run until a signal ends them. */
const lasting = ['serve', 'worker']
/** Without a display. Chromium would also write about the graphics chip and the buses that it looks for. */
const headless = ['--ozone-platform=headless', '--disable-gpu', '--log-level=3']
/** Max time for the rest of the output: a process that outlives the app could hold the pipe open. */
const maxRestMs = 1000
/** Max time from the first signal to the end: longer than the clean-up of a server (run.ts) or of a command (ending.ts). */
const maxStopMs = { lasting: 70_000, other: 15_000 }
/** Max time from the second signal to the end. */
const maxHurryMs = 3000

/** Whether stderr is a terminal, so that progress can be redrawn in place. */
export const isStderrTerminal = (): boolean =>
  isSecondProcess() ? process.env[variable] === 'terminal' : process.stderr.isTTY

/** Set by scripts whose stderr a person reads, also if it isn't a terminal. */
const readerVariable = 'MIEN_CLEAN_STDERR'

const isSecondProcess = (): boolean => variable in process.env

/** Whether Chromium finds no display to connect to. */
const lacksDisplay = (env: NodeJS.ProcessEnv): boolean =>
  process.platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']

/**
 * Whether a process has to call {@link runAgain}: for commands, and for windows that were opened in a terminal or by a
 * script. Not for help and versions, which start nothing. Not on Windows, where Chromium's sandboxed processes have no stderr.
 */
export function needsSecondProcess(launch: Launch, env: NodeJS.ProcessEnv = process.env): boolean {
  if (process.platform === 'win32' || variable in env) return false
  if (launch.kind === 'window') return process.stderr.isTTY || readerVariable in env
  return helpTopic(launch.args) === null && !asksForVersion(launch.args)
}

/** Runs this process's command line in a second process, and returns its exit code. Call before the app is ready. */
export function runAgain(launch: Launch): Promise<number> {
  const isCommand = launch.kind === 'cli'
  const switches = isCommand && lacksDisplay(process.env) ? headless : []
  const isLasting = isCommand && lasting.includes(launch.args[0] ?? '')
  // First, so that there is no moment without: they are called later.
  if (isCommand) passStopsOn(() => child, isLasting ? maxStopMs.lasting : maxStopMs.other)
  else for (const signal of stopSignals) process.on(signal, () => child.kill(signal))
  const child = spawn(process.execPath, [...switches, ...process.argv.slice(1)], {
    env: { ...process.env, [variable]: process.stderr.isTTY ? 'terminal' : 'other' },
    // The channel's end shows the child that this process is gone.
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
    detached: isCommand,
  })
  // The reader of our output may have exited.
  process.stderr.on('error', () => undefined)
  const filter = new LibraryLineFilter()
  child.stderr?.setEncoding('latin1').on('data', (text: string) => process.stderr.write(filter.next(text), 'latin1'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    let isOver = false
    let isListening = false
    let told: number | null = null
    child.on('message', (message) => {
      isListening = true
      if (typeof message === 'number') told = message
    })
    const end = (exit: number | null, signal: NodeJS.Signals | null): void => {
      if (isOver) return
      isOver = true
      process.stderr.write(filter.rest(), 'latin1')
      // If it was killed at its very end, it has reported already.
      const code = exit ?? told
      // A signal ended it before it could report that. Until it listens, its code is Chromium's.
      if (isCommand && isStopped && (code === null || !isListening)) reportStop(launch.args).then(resolve, reject)
      else resolve(code ?? 128 + (signal ? constants.signals[signal] : 0))
    }
    child.once('exit', (...status) => setTimeout(end, maxRestMs, ...status))
    child.once('close', end)
  })
}

/** Whether this process got a signal to end. */
let isStopped = false

/** @param stopMs max time from the first signal to the end */
function passStopsOn(second: () => ChildProcess, stopMs: number): void {
  const stops = new StopCounter()
  const kill = (): void => signalSession(second(), 'SIGKILL')
  for (const signal of stopSignals)
    process.on(signal, () => {
      const stop = stops.next(performance.now())
      if (stop === 'same') return
      isStopped = true
      second().kill(signal)
      setTimeout(kill, stop === 'first' ? stopMs : maxHurryMs)
    })
  // Ctrl-Z, and what continues after it. This process stops last.
  process.on('SIGTSTP', () => {
    signalSession(second(), 'SIGSTOP')
    process.kill(process.pid, 'SIGSTOP')
  })
  process.on('SIGCONT', () => signalSession(second(), 'SIGCONT'))
}

/** Sends a signal to the second process and Chromium's. */
function signalSession(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  } catch {
    // It has ended.
  }
}

async function reportStop(args: string[]): Promise<number> {
  // On demand, because the texts take time to load.
  const { reportInterrupted } = await import('./report-error.ts')
  return reportInterrupted(args)
}

/** In the second process: shows the first one that signals are handled from now on. */
export function sayThatSignalsAreHandled(): void {
  if (isSecondProcess()) process.send?.('listening')
}

/** In the second process: tells the first one its exit code, once everything is reported. */
export function tellExitCode(code: number): void {
  if (isSecondProcess()) process.send?.(code)
}

/** In the second process: ends with the first one, however that ends. */
export function endWithFirstProcess(): void {
  if (isSecondProcess()) process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
}

/** How lines of libraries begin that can't be turned off: of the encoder, and of WebNN when it loads a model. */
const markers = ['[OpenH264] this = ', 'Created TensorFlow Lite ']
const wholeLines = /(?:\[OpenH264\] this = |Created TensorFlow Lite )[^\n]*\n/g

/** Where such a line begins in `text` that hasn't its end yet, or may begin; `text.length`: nowhere. */
function beginningIn(text: string, marker: string): number {
  const line = text.indexOf(marker)
  if (line >= 0) return line
  const last = text.lastIndexOf(marker.charAt(0))
  return last >= 0 && marker.startsWith(text.slice(last)) ? last : text.length
}

/** Removes lines of libraries, also where they begin behind an unfinished line, such as a progress bar. */
export class LibraryLineFilter {
  private held = ''

  /** Returns what can be shown, and holds back what may be the beginning of such a line. */
  next(text: string): string {
    const all = (this.held + text).replace(wholeLines, '')
    const end = Math.min(...markers.map((marker) => beginningIn(all, marker)))
    this.held = all.slice(end)
    return all.slice(0, end)
  }

  /** Returns what was held back and is no such line. */
  rest(): string {
    return markers.some((marker) => this.held.startsWith(marker)) ? '' : this.held
  }
}
