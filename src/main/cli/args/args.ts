/** @file Parses command-line arguments. Pure. */
import { m } from '@shared/i18n/paraglide/messages.js'
import { usage } from '@shared/mien-error.ts'
import { asksForVersion, commandNames, helpTopic } from './launch.ts'
import { libraryCommands } from './library-args.ts'
import { readArgs, suggesting, type Parsed } from './read-args.ts'
import { runCommands } from './run-args.ts'
import { serverCommands } from './server-args.ts'

/** All commands. Those of a group, such as `profile add`, have two words. */
const commands = { ...runCommands, ...libraryCommands, ...serverCommands }
const groups = ['profile', 'key', 'model', 'consent']

export type RunCommand = Parsed<typeof runCommands>
export type LibraryCommand = Parsed<typeof libraryCommands>
export type ServerCommand = Parsed<typeof serverCommands>
type Command = RunCommand | LibraryCommand | ServerCommand
/** Parsed arguments of a command. */
export type CommandOf<C extends keyof typeof commands> = Extract<Command, { command: C }>

const isCommand = (name: string): name is keyof typeof commands => Object.hasOwn(commands, name)
export const isRunCommand = (command: Command): command is RunCommand => Object.hasOwn(runCommands, command.command)
export const isServerCommand = (command: Command): command is ServerCommand =>
  Object.hasOwn(serverCommands, command.command)

/**
 * @returns `topic`: the command that help is about; '': all of them
 * @throws MienError `usage` with a `reason`
 */
export function parseCommand(
  args: readonly string[],
  cwd: string,
): Command | { command: 'help'; topic: string } | { command: 'version' } {
  const topic = helpTopic(args)
  const [first = '', second = ''] = topic === null ? args : [topic]
  if (topic !== '' && !asksForVersion(args) && !commandNames.includes(first))
    throw usage(suggesting(m.cli_unknown_command({ name: first }), first, commandNames))
  if (topic !== null) return { command: 'help', topic }
  if (asksForVersion(args)) return { command: 'version' }
  const isGroup = groups.includes(first)
  const name = isGroup ? `${first} ${second}` : first
  if (!isCommand(name))
    throw usage(suggesting(m.cli_unknown_command({ name: name.trim() }), name, Object.keys(commands)))
  const { form, read } = commands[name]
  const given = readArgs(name, form, args.slice(isGroup ? 2 : 1), cwd)
  // Safe: the values are those of this command.
  return { ...given.common, command: name, ...read(given) } as Command
}
