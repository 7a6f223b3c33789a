/** @file Whether a start opens a window or runs a command. Pure, and without texts: the start waits for it. */
import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const libraryGroups = [
  ...['profile', 'key', 'model', 'consent', 'submit', 'batch', 'list', 'show', 'watch', 'fetch', 'mend'],
]
export const serverCommands = ['serve', 'worker', 'pair']

/** Kind of a start: a window with the files that it opens, or a command with its arguments. */
export type Launch =
  { kind: 'window'; dataDir: string | null; files: string[] } | { kind: 'cli'; args: string[]; cwd: string }

const commands = ['swap', 'people', 'verify', ...libraryGroups, ...serverCommands, 'help', '--help', '-h']

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
      argv[index - 1] !== '--data-dir' && (!argument.startsWith('-') || /^(?:--help|-h)$/.test(argument)),
  )
  if (commands.includes(argv[first] ?? '')) return { kind: 'cli', cwd, args: argv.slice(first) }
  const dir = argv.indexOf('--data-dir')
  const given = dir >= 0 ? argv[dir + 1] : undefined
  const files = argv
    .filter((argument, index) => argv[index - 1] !== '--data-dir' && argument !== '' && !argument.startsWith('-'))
    .map((argument) => absolute(filePath(argument), cwd))
  return { kind: 'window', dataDir: given === undefined ? null : absolute(given, cwd), files }
}

/** Some desktops pass files as URLs. */
function filePath(argument: string): string {
  try {
    return argument.startsWith('file:') ? fileURLToPath(argument) : argument
  } catch {
    return argument
  }
}

export const absolute = (path: string, cwd: string): string => (isAbsolute(path) ? path : resolve(cwd, path))
