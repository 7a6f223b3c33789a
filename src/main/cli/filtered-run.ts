/**
 * @file Keeps the lines of OpenH264 off stderr. Chromium's child processes write them to the stderr that they inherit,
 * at a level that can't be set, and on Linux they have it before any script runs. So Mien runs itself again with a
 * piped stderr.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Launch } from './args.ts'

/** Set in the second process: whether the first one's stderr is a terminal. */
const variable = 'MIEN_STDERR'
const swapCommands = ['swap', 'submit', 'watch']
/** Max time for the rest of the output: a process that outlives the app could hold the pipe open. */
const maxRestMs = 1000

/** Whether progress can be redrawn in place. */
export const isStderrTerminal = (): boolean =>
  variable in process.env ? process.env[variable] === 'terminal' : process.stderr.isTTY

/**
 * Whether a process has to call {@link runFiltered}: for commands that may encode video, and for windows that were
 * opened in a terminal. Not on Windows, where Chromium's sandboxed processes have no stderr.
 */
export function needsFilter(launch: Launch): boolean {
  if (process.platform === 'win32' || variable in process.env) return false
  if (launch.kind === 'window') return process.stderr.isTTY
  return swapCommands.includes(launch.args[0] ?? '')
}

/** Runs this process's command line in a second process, and returns its exit code. Call before the app is ready. */
export function runFiltered(): Promise<number> {
  const child = spawn(process.execPath, process.argv.slice(1), {
    env: { ...process.env, [variable]: process.stderr.isTTY ? 'terminal' : 'other' },
    // The channel's end shows the child that this process is gone.
    stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
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
  if (variable in process.env) process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
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
