/** @file `parseArgs` with named errors. Pure. */
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { m } from '@shared/i18n/paraglide/messages.js'
import { MienError, usage } from '@shared/mien-error.ts'
import { suggesting } from './suggestion.ts'

/** @throws MienError `usage` with a `reason` */
export function parsed<O extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: O,
  allowPositionals = false,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals })
  } catch (error) {
    throw unparsed(error, Object.keys(options))
  }
}

/** What `parseArgs` found wrong. Its own sentences are in English. @param options all names */
function unparsed(error: unknown, options: readonly string[]): MienError {
  const { code = '', message = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const name = /'([^']*)'/.exec(message)?.[1] ?? ''
  const names = options.map((option) => `--${option}`)
  const reason =
    code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
      ? suggesting(m.cli_unknown_option({ option: name }), name, names)
      : code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE'
        ? m.cli_bad_value({ option: name })
        : m.cli_unexpected({ words: name })
  return usage(reason, error)
}
