/**
 * @file Runs Mien again in a second process, for two reasons.
 *
 * It keeps the lines of OpenH264 off stderr. Chromium's child processes write them to the stderr that they inherit, at a
 * level that can't be set, and on Linux they have it before any script runs. So the second process has a piped stderr.
 *
 * On Linux, Chromium ends without a display unless its command line asks for none, and a switch that a script adds is
 * too late. So the second process has these switches.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Launch } from '../args/launch.ts'

/** Set in the second process: whether the first one's stderr is a terminal. */
const variable = 'MIEN_STDERR'
/** Commands that run until a signal ends them. */
const lasting = ['serve', 'worker']
const swapCommands = ['swap', 'submit', 'batch', 'watch', 'mend', ...lasting]
/** Without a display. Chromium would also write about the graphics chip and the buses that it looks for. */
const headless = ['--ozone-platform=headless', '--disable-gpu', '--log-level=3']
/** Max time for the rest of the output: a process that outlives the app could hold the pipe open. */
const maxRestMs = 1000

/** Whether progress can be redrawn in place. */
export const isStderrTerminal = (): boolean =>
  isSecondProcess() ? process.env[variable] === 'terminal' : process.stderr.isTTY

/** Set by scripts whose stderr a person reads, also if it isn't a terminal. */
const readerVariable = 'MIEN_CLEAN_STDERR'

const isSecondProcess = (): boolean => variable in process.env

/** Whether Chromium finds no display to connect to. */
const lacksDisplay = (env: NodeJS.ProcessEnv): boolean =>
  process.platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']

/**
 * Whether a process has to call {@link runAgain}: for commands that may encode video, for commands without a display,
 * and for windows that were opened in a terminal or by a script. Not on Windows, where Chromium's sandboxed processes
 * have no stderr.
 */
export function needsSecondProcess(launch: Launch, env: NodeJS.ProcessEnv = process.env): boolean {
  if (process.platform === 'win32' || variable in env) return false
  if (launch.kind === 'window') return process.stderr.isTTY || readerVariable in env
  return lacksDisplay(env) || swapCommands.includes(launch.args[0] ?? '')
}

/** Runs this process's command line in a second process, and returns its exit code. Call before the app is ready. */
export function runAgain(launch: Launch): Promise<number> {
  const isCommand = launch.kind === 'cli'
  const switches = isCommand && lacksDisplay(process.env) ? headless : []
  const child = spawn(process.execPath, [...switches, ...process.argv.slice(1)], {
    env: { ...process.env, [variable]: process.stderr.isTTY ? 'terminal' : 'other' },
    // The channel's end shows the child that this process is gone.
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
  })
  const isLasting = isCommand && lasting.includes(launch.args[0] ?? '')
  let signals = 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      signals += 1
      child.kill(isLasting && signals > 1 ? 'SIGKILL' : signal)
    })
  // The reader of our output may have exited.
  process.stderr.on('error', () => undefined)
  const filter = new CodecLineFilter()
  child.stderr?.setEncoding('latin1').on('data', (text: string) => process.stderr.write(filter.next(text), 'latin1'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    const end = (code: number | null, signal: NodeJS.Signals | null): void => {
      process.stderr.write(filter.rest(), 'latin1')
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0))
    }
    child.once('exit', (...status) => setTimeout(end, maxRestMs, ...status))
    child.once('close', end)
  })
}

/** In the second process: ends with the first one, however that ends. */
export function endWithFirstProcess(): void {
  if (isSecondProcess()) process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
}

const marker = '[OpenH264] this = '

/** Removes OpenH264's lines, also where they begin behind an unfinished line, such as a progress bar. */
export class CodecLineFilter {
  private held = ''

  /** Returns what can be shown, and holds back what may be the beginning of such a line. */
  next(text: string): string {
    const all = (this.held + text).replace(/\[OpenH264\] this = [^\n]*\n/g, '')
    const line = all.indexOf(marker)
    const last = all.lastIndexOf('[')
    const isBeginning = last >= 0 && marker.startsWith(all.slice(last))
    const end = line >= 0 ? line : isBeginning ? last : all.length
    this.held = all.slice(end)
    return all.slice(0, end)
  }

  /** Returns what was held back and is no such line. */
  rest(): string {
    return this.held.startsWith(marker) ? '' : this.held
  }
}
