/** @file Parses command-line arguments. Pure. */
import { m } from '@shared/i18n/paraglide/messages.js'
import { usage } from '@shared/mien-error.ts'
import type { Range } from '@shared/people/people.ts'
import {
  consentOptionNames,
  readConsent,
  readFaces,
  readSwapOptions,
  readTarget,
  swapOptionNames,
  type ConsentArgs,
  type FaceArgs,
  type OptionsWithoutMethod,
} from './swap-args.ts'
import { readArgs, type Common, type Form, suggesting } from './read-args.ts'
import { readRange } from './times.ts'
import { absolute, asksForVersion, commandNames, helpTopic, libraryGroups, serverCommands } from './launch.ts'
import { parseLibraryCommand, type LibraryCommand } from './library-args.ts'
import { parseServerCommand, type ServerCommand } from './server-args.ts'

export interface SwapCommand extends Common {
  command: 'swap'
  faces: [FaceArgs, ...FaceArgs[]]
  /** Null: the whole video. */
  range: Range | null
  options: OptionsWithoutMethod
  /** Name of a model of the user's; null for the built-in method. */
  method: string | null
  consent: ConsentArgs
  /** A video, or a picture. */
  video: string
  out: string
  title: string | null
}

export interface PeopleCommand extends Common {
  command: 'people'
  video: string
  /** Folder for pictures of the faces. */
  out: string | null
}

/** The certificate of this copy of Mien is in the data folder. */
export interface VerifyCommand extends Common {
  command: 'verify'
  files: string[]
}

/** `topic`: the command that it is about; '': all of them. */
export interface HelpCommand {
  command: 'help'
  topic: string
}

export type CliCommand =
  SwapCommand | PeopleCommand | VerifyCommand | LibraryCommand | ServerCommand | HelpCommand | { command: 'version' }

/** @throws MienError `usage` with a `reason` */
export function parseCommand(args: readonly string[], cwd: string): CliCommand {
  const topic = helpTopic(args)
  const [name = '', ...rest] = topic === null ? args : [topic]
  if (topic !== '' && !asksForVersion(args) && !commandNames.includes(name))
    throw usage(suggesting(m.cli_unknown_command({ name }), name, commandNames))
  if (topic !== null) return { command: 'help', topic }
  if (asksForVersion(args)) return { command: 'version' }
  if (libraryGroups.includes(name)) return parseLibraryCommand(args, cwd)
  if (serverCommands.includes(name)) return parseServerCommand(args, cwd)
  if (name === 'people') return parsePeople(rest, cwd)
  return name === 'verify' ? parseVerify(rest, cwd) : parseSwap(rest, cwd)
}

const swapForm = {
  options: [
    ...['out', 'from', 'to', 'rest', 'method', 'video', 'target', 'title'],
    ...[...swapOptionNames, ...consentOptionNames],
  ],
  repeated: ['face', 'cast', 'range'],
}

function parseSwap(args: readonly string[], cwd: string): SwapCommand {
  const { value, text, needed, all, common } = readArgs('swap', swapForm, args, cwd)
  const [first, ...more] = readFaces(all('face'), all('cast'))
  const out = needed('out')
  const title = value('title')?.trim()
  return {
    ...common,
    command: 'swap',
    faces: [inFolder(first, cwd), ...more.map((face) => inFolder(face, cwd))],
    range: readRange({ ranges: all('range'), from: value('from'), to: value('to'), rest: value('rest') }),
    options: readSwapOptions(value),
    method: value('method'),
    consent: readConsent(text, cwd),
    video: absolute(readTarget(value('target'), value('video')), cwd),
    out: absolute(out, cwd),
    title: title ? title.slice(0, 200) : null,
  }
}

function inFolder({ personId, pictures: [first, ...more] }: FaceArgs, cwd: string): FaceArgs {
  return { personId, pictures: [absolute(first, cwd), ...more.map((picture) => absolute(picture, cwd))] }
}

function parsePeople(args: readonly string[], cwd: string): PeopleCommand {
  const form: Form = { options: ['out'], words: [1, 1], missing: m.cli_people_missing }
  const { word, value, common } = readArgs('people', form, args, cwd)
  const out = value('out')
  return {
    ...common,
    command: 'people',
    video: absolute(word, cwd),
    out: out === null ? null : absolute(out, cwd),
  }
}

function parseVerify(args: readonly string[], cwd: string): VerifyCommand {
  const form: Form = { words: [1, Infinity], missing: m.cli_verify_missing }
  const { positionals, common } = readArgs('verify', form, args, cwd)
  return { ...common, command: 'verify', files: positionals.map((file) => absolute(file, cwd)) }
}
