/** @file Whether a start opens a window or runs a command. Pure, and without texts: the start waits for it. */
import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Kind of a start: a window with the files that it opens, or a command with its arguments. */
export type Launch =
  { kind: 'window'; dataDir: string | null; files: string[] } | { kind: 'cli'; args: string[]; cwd: string }

/** The first words of all commands. */
export const commandNames = [
  ...['swap', 'people', 'verify', 'profile', 'key', 'model', 'consent', 'submit', 'batch', 'list', 'show', 'watch'],
  ...['fetch', 'mend', 'serve', 'worker', 'pair'],
]
const versionWords = ['version', '--version', '-V']
const helpWords = ['--help', '-h']
const firstWords = [...commandNames, 'help', ...helpWords, ...versionWords]

/**
 * Reads a process's arguments (without the program and, in development, the app's folder). A command line is
 * `--cli [--cwd D] …` (from a checkout) or starts with a command (`mien swap …`).
 */
export function readLaunch(argv: readonly string[], cwd: string): Launch {
  const at = argv.indexOf('--cli')
  if (at >= 0) {
    const rest = argv.slice(at + 1)
    if (rest[0] === '--cwd' && rest[1] !== undefined) return { kind: 'cli', cwd: rest[1], args: rest.slice(2) }
    return { kind: 'cli', cwd, args: rest }
  }
  // First word that is not a switch, nor the value of --data-dir: a folder named "list" is not a command.
  const first = argv.findIndex(
    (argument, index) =>
      argv[index - 1] !== '--data-dir' && (!argument.startsWith('-') || firstWords.includes(argument)),
  )
  if (firstWords.includes(argv[first] ?? '')) return { kind: 'cli', cwd, args: argv.slice(first) }
  const dir = argv.indexOf('--data-dir')
  const given = dir >= 0 ? argv[dir + 1] : undefined
  const files = argv
    .filter((argument, index) => argv[index - 1] !== '--data-dir' && argument !== '' && !argument.startsWith('-'))
    .map((argument) => absolute(filePath(argument), cwd))
  return { kind: 'window', dataDir: given ? absolute(given, cwd) : null, files }
}

/** The command that help is asked about, '' for all of them; null: not asked. @param args of the command line */
export function helpTopic(args: readonly string[]): string | null {
  const [first = 'help', second = ''] = args
  if (first === 'help' || helpWords.includes(first)) return second
  return args.some((word) => helpWords.includes(word)) ? first : null
}

export const asksForVersion = ([first = '']: readonly string[]): boolean => versionWords.includes(first)

/** Some desktops pass files as URLs. */
function filePath(argument: string): string {
  try {
    return argument.startsWith('file:') ? fileURLToPath(argument) : argument
  } catch {
    return argument
  }
}

export const absolute = (path: string, cwd: string): string => (isAbsolute(path) ? path : resolve(cwd, path))
