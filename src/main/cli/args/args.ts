/** @file Parses command-line arguments. Pure. */
import { m } from '@shared/i18n/paraglide/messages.js'
import { usage } from '@shared/mien-error.ts'
import type { Range } from '@shared/people/people.ts'
import {
  readConsent,
  readFaces,
  readSwapOptions,
  readTarget,
  type ConsentArgs,
  type FaceArgs,
  type OptionsWithoutMethod,
} from './swap-args.ts'
import { parsed } from './parsed.ts'
import { suggesting } from './suggestion.ts'
import { readRange } from './times.ts'
import { absolute, asksForVersion, commandNames, helpTopic, libraryGroups, serverCommands } from './launch.ts'
import { parseLibraryCommand, type LibraryCommand } from './library-args.ts'
import { parseServerCommand, type ServerCommand } from './server-args.ts'

export interface SwapCommand {
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
  json: boolean
  dataDir: string | null
}

export interface PeopleCommand {
  command: 'people'
  video: string
  /** Folder for pictures of the faces. */
  out: string | null
  json: boolean
  dataDir: string | null
}

export interface VerifyCommand {
  command: 'verify'
  files: string[]
  json: boolean
  /** Where the certificate of this copy of Mien is; null: the app's default folder. */
  dataDir: string | null
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

function parseSwap(args: readonly string[], cwd: string): SwapCommand {
  const { values } = parsed(args, swapOptions)
  const [first, ...more] = readFaces(values.face ?? [], values.cast ?? [])
  const { out = '' } = values
  if (out === '') throw usage(m.cli_missing({ option: '--out' }))
  const title = values.title?.trim()
  return {
    command: 'swap',
    faces: [inFolder(first, cwd), ...more.map((face) => inFolder(face, cwd))],
    range: readRange({
      ranges: values.range ?? [],
      ...{ from: values.from ?? null, to: values.to ?? null, rest: values.rest ?? null },
    }),
    options: readSwapOptions((name) => values[name] ?? null),
    method: values.method ?? null,
    consent: readConsent((name) => values[name] || null, cwd),
    video: absolute(readTarget(values.target, values.video), cwd),
    out: absolute(out, cwd),
    title: title ? title.slice(0, 200) : null,
    json: values.json,
    dataDir: values['data-dir'] === undefined ? null : absolute(values['data-dir'], cwd),
  }
}

function inFolder({ personId, pictures: [first, ...more] }: FaceArgs, cwd: string): FaceArgs {
  return { personId, pictures: [absolute(first, cwd), ...more.map((picture) => absolute(picture, cwd))] }
}

function parsePeople(args: readonly string[], cwd: string): PeopleCommand {
  const { values, positionals } = parsed(args, peopleOptions, true)
  const [video, ...more] = positionals
  if (video === undefined) throw usage(m.cli_people_missing())
  if (more.length > 0) throw usage(m.cli_unexpected({ words: more.join(' ') }))
  return {
    command: 'people',
    video: absolute(video, cwd),
    out: values.out === undefined ? null : absolute(values.out, cwd),
    json: values.json,
    dataDir: values['data-dir'] === undefined ? null : absolute(values['data-dir'], cwd),
  }
}

function parseVerify(args: readonly string[], cwd: string): VerifyCommand {
  const { values, positionals } = parsed(args, commonOptions, true)
  if (positionals.length === 0) throw usage(m.cli_verify_missing())
  return {
    command: 'verify',
    files: positionals.map((file) => absolute(file, cwd)),
    json: values.json,
    dataDir: values['data-dir'] === undefined ? null : absolute(values['data-dir'], cwd),
  }
}

const commonOptions = {
  json: { type: 'boolean', default: false },
  'data-dir': { type: 'string' },
} as const

const peopleOptions = { ...commonOptions, out: { type: 'string' } } as const

const swapOptions = {
  ...peopleOptions,
  face: { type: 'string', multiple: true },
  cast: { type: 'string', multiple: true },
  range: { type: 'string', multiple: true },
  from: { type: 'string' },
  to: { type: 'string' },
  rest: { type: 'string' },
  likeness: { type: 'string' },
  keep: { type: 'string' },
  size: { type: 'string' },
  quality: { type: 'string' },
  encoder: { type: 'string' },
  label: { type: 'string' },
  'label-language': { type: 'string' },
  method: { type: 'string' },
  'consent-by': { type: 'string' },
  'consent-for': { type: 'string' },
  release: { type: 'string' },
  video: { type: 'string' },
  target: { type: 'string' },
  title: { type: 'string' },
} as const
