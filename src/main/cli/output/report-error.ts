/** @file Reports why a command failed: a sentence on stderr and, with --json, one object on stdout. */
import { MienError, type ErrorBody } from '@shared/errors.ts'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { plain } from '@shared/plain.ts'
import { useLanguage } from '../../machine/system/language.ts'
import { commandNames } from '../args/launch.ts'
import { exitCodeFor } from './exit-codes.ts'
import { isStderrTerminal } from './filtered-run.ts'
import { errorJson, jsonLine } from './output-lines.ts'

/** Whose command line it is. `command`: its name, also an unknown one. */
export interface Failed {
  command: string
  json: boolean
  /** The swap of `swap`; null: it hadn't begun. */
  taskId?: string | null
}

/** Sends swaps that go on without the command. */
const sending = ['submit', 'batch', 'watch']

/** What happened and what to do at a command line, in one or more lines: first the sentence, then what else is wrong. Pure. */
export function commandLines(command: string, error: ErrorBody): string[] {
  const { also } = error.details
  const [sentence = '', ...help] = ownLines(command, error)
  return [sentence, ...(typeof also === 'string' ? also.split('\n') : []), ...help]
}

function ownLines(command: string, error: ErrorBody): string[] {
  const { code, details } = error
  const [name = ''] = command.split(' ')
  // What the error's own sentence says isn't true here.
  if (typeof details['said'] === 'string') return [m.sentence({ text: details['said'] })]
  switch (code) {
    case 'usage': {
      const reason = String(details['reason'] ?? '').replace(/[.。]$/, '')
      const help = commandNames.includes(name) ? `mien help ${name}` : 'mien help'
      return [/[?？]$/.test(reason) ? reason : m.sentence({ text: reason }), m.cli_see_help({ command: help })]
    }
    case 'cancelled':
      return [sending.includes(name) ? m.cli_interrupted() : name === 'swap' ? errorSentence(error) : m.cli_cancelled()]
    case 'disk-full':
      // Only swaps of the library go on.
      return [sending.includes(name) || details['needBytes'] !== undefined ? errorSentence(error) : m.cli_disk_full()]
    case 'file-is-folder':
      if (name !== 'swap' && name !== 'submit') return [errorSentence(error)]
      return [m.cli_input_folder({ name: plain(String(details['name'] ?? '')), command: `mien ${name}` })]
    case 'forbidden':
      return [details['reason'] === 'open' ? m.cli_library_open() : errorSentence(error)]
    case 'not-found': {
      const lists =
        command === 'key revoke' ? 'mien key list' : command.startsWith('consent') ? 'mien consent list' : 'mien list'
      return [m.cli_not_found({ name: plain(String(details['name'] ?? '')), command: lists })]
    }
    default:
      return [errorSentence(error)]
  }
}

export function reportError({ command, json, taskId = null }: Failed, error: ErrorBody): void {
  const lines = commandLines(command, error)
  // A terminal shows ^C where the cursor is.
  const start = error.code === 'cancelled' && isStderrTerminal() ? '\r\u001b[K' : ''
  process.stderr.write(`${start}${lines.join('\n')}\n`)
  if (!json) return
  const isCancelled = error.code === 'cancelled'
  const swap = { taskId, status: isCancelled ? 'cancelled' : 'failed', output: null }
  const report = command === 'swap' ? swap : isCancelled ? { status: 'cancelled' } : {}
  process.stdout.write(jsonLine({ ...report, error: { ...errorJson(error), message: lines.join(' ') } }))
}

/** Reports for a process that a signal ended before it could. @returns the exit code */
export async function reportInterrupted(args: readonly string[]): Promise<number> {
  const json = args.includes('--json')
  await useLanguage(json ? 'en' : 'system')
  const error = new MienError('cancelled').body
  reportError({ command: args[0] ?? '', json }, error)
  return exitCodeFor(error)
}
