/** @file Progress on stderr: redrawn in a terminal, else lines. */
import { m } from '@shared/i18n/paraglide/messages.js'
import { clock } from './progress-bar.ts'
import { isStderrTerminal } from './filtered-run.ts'

/** Max time without a line where stderr is no terminal, so that a log shows that the command is alive. */
const maxSilenceMs = 5000

/** Call `stop` at the end. */
export class ProgressOutput {
  readonly #isLive = isStderrTerminal()
  readonly #beganMs = performance.now()
  #line = ''
  #tenth = -1
  #isOver = false
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param share 0 to 1; a line for each tenth */
  show(share: number, line: string): void {
    // Work that was interrupted may go on for a moment.
    if (this.#isOver) return
    this.#line = line
    const tenth = Math.floor(share * 10)
    if (this.#isLive) process.stderr.write(`\r\u001b[K${line}`)
    else if (tenth > this.#tenth) this.#write(line)
    this.#tenth = Math.max(this.#tenth, tenth)
  }

  stop(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    if (this.#isLive) process.stderr.write('\n')
  }

  #write(line: string): void {
    process.stderr.write(`${line}\n`)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#write(`${this.#line}  ${m.detail_so_far({ span: clock(performance.now() - this.#beganMs) })}`)
    }, maxSilenceMs)
  }
}
