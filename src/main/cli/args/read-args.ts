/** @file Reads the arguments of every command, with named errors. Pure. */
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { m } from '@shared/i18n/paraglide/messages.js'
import { MienError, usage } from '@shared/mien-error.ts'
import { absolute } from './launch.ts'

interface Common {
  json: boolean
  /** Null, also for an empty one: the default folder of this command. */
  dataDir: string | null
}

/** A command of a table: what it takes, and what it reads from that. */
export const command = <T extends object>(form: Form, read: (given: Read) => T) => ({ form, read })

/** Parsed arguments of the commands of a table. */
export type Parsed<Table extends Record<string, ReturnType<typeof command>>> = {
  [C in keyof Table]: Common & { command: C } & ReturnType<Table[C]['read']>
}[keyof Table]

/** What a command takes besides --json and --data-dir. */
export interface Form {
  options?: readonly string[]
  /** Options that may be given more than once. */
  repeated?: readonly string[]
  /** Options with several values each, up to the next option. */
  lists?: readonly string[]
  flags?: readonly string[]
  /** Min and max number of positional arguments; absent: none. */
  words?: [number, number]
  /** What to say if words are missing. */
  missing?: () => string
}

export interface Read {
  /** The absolute path of a file that is named on the command line. */
  path: (name: string) => string
  positionals: string[]
  /** The first positional argument; '': none. */
  word: string
  /** The value of an option; null: not given. */
  value: (name: string) => string | null
  /** As `value`, but null also for an empty one. */
  text: (name: string) => string | null
  /** As `text`. @throws MienError `usage` without the option */
  needed: (name: string) => string
  all: (name: string) => string[]
  given: (flag: string) => boolean
  common: Common
}

type Options = NonNullable<ParseArgsConfig['options']>

/** @throws MienError `usage` with a `reason` */
export function readArgs(command: string, form: Form, args: readonly string[], cwd: string): Read {
  const { lists = [], words } = form
  const options: Options = { json: { type: 'boolean' }, 'data-dir': { type: 'string' } }
  for (const option of form.options ?? []) options[option] = { type: 'string' }
  for (const option of [...(form.repeated ?? []), ...lists]) options[option] = { type: 'string', multiple: true }
  for (const flag of form.flags ?? []) options[flag] = { type: 'boolean' }
  const { values, positionals } = parsed(spreadLists(args, lists), options, words !== undefined)
  const [min, max] = words ?? [0, 0]
  if (positionals.length < min) throw usage(form.missing?.() ?? m.cli_name_missing({ command }))
  if (positionals.length > max) throw usage(m.cli_unexpected({ words: positionals.slice(max).join(' ') }))
  const value = (option: string): string | null => {
    const found = values[option]
    return typeof found === 'string' ? found : null
  }
  const text = (option: string): string | null => value(option) || null
  const needed = (option: string): string => {
    const found = text(option)
    if (found === null) throw usage(m.cli_missing({ option: `--${option}` }))
    return found
  }
  const path = (name: string): string => absolute(name, cwd)
  const dataDir = text('data-dir')
  return {
    ...{ path, positionals, word: positionals[0] ?? '', value, text, needed },
    all: (option) => [values[option] ?? []].flat().map(String),
    given: (flag) => values[flag] === true,
    common: { json: values['json'] === true, dataDir: dataDir && path(dataDir) },
  }
}

/** Repeats the name of a list option before each of its values: `--faces a b` becomes `--faces a --faces b`. */
function spreadLists(args: readonly string[], lists: readonly string[]): string[] {
  let list: string | null = null
  return args.flatMap((argument, index) => {
    if (argument.startsWith('--')) list = lists.includes(argument.slice(2)) ? argument : null
    else if (list !== null && args[index - 1] !== list) return [list, argument]
    return [argument]
  })
}

/** Whether an option has one value. A flag means the same each time. */
const isSingle = (option?: Options[string]): boolean => option?.type === 'string' && !option.multiple

function parsed(args: string[], options: Options, allowPositionals: boolean) {
  try {
    const found = parseArgs({ args, options, allowPositionals, tokens: true })
    const named = found.tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []))
    const twice = named.find((name, at) => named.indexOf(name) < at && isSingle(options[name]))
    if (twice !== undefined) throw usage(m.cli_once({ option: `--${twice}` }))
    return found
  } catch (error) {
    throw error instanceof MienError ? error : unparsed(error, Object.keys(options))
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

/** Whether a text is an unsigned 64-bit integer: the id of a user at a service. */
export const isU64 = (text: string): boolean => /^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 64n

/** Adds the most similar name to a sentence about an unknown one, if one is similar. */
export function suggesting(problem: string, word: string, names: readonly string[]): string {
  const name = closest(word, names)
  return name === null ? problem : m.cli_did_you_mean({ problem, name })
}

/** The name that differs least, by at most a third of its letters; null: none does. */
function closest(word: string, names: readonly string[]): string | null {
  let found: { name: string; edits: number } | null = null
  for (const name of names) {
    const edits = editsBetween(word.toLowerCase(), name)
    // Dashes are no letters.
    if (edits <= Math.max(1, name.replaceAll('-', '').length / 3) && edits < (found?.edits ?? Infinity))
      found = { name, edits }
  }
  return found?.name ?? null
}

/** Letters to insert, remove, replace, or exchange with their neighbour (optimal string alignment). */
function editsBetween(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1]
      const isExchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isExchanged ? (before[j - 2] ?? 0) + 1 : Infinity,
      )
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}
