/** @file Parses the commands that use the library: services, keys, models and swaps. Pure. */
import { consentFormats, type ConsentFormat } from '@shared/tasks/consent.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { templateText } from '@shared/i18n/template-text.ts'
import { MienError, usage } from '@shared/mien-error.ts'
import { templateProblem } from '@shared/files/name-template.ts'
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
import { absolute } from './launch.ts'
import { mendOptions, readMending, type Mending } from './mend-args.ts'
import { readArgs, type Common, type Form, type Read } from './read-args.ts'
import { suggesting } from './suggestion.ts'
import { readRange } from './times.ts'

/** A file by absolute path, or a web resource by URL. */
export type Source = { path: string } | { url: string }
/** A face as it is written: the beginning of its hash, or the path of its picture. */
export interface FaceName {
  text: string
  path: string
}
export interface FaceSource extends Pick<FaceArgs, 'personId'> {
  pictures: [Source, ...Source[]]
}

/** How `submit` and `batch` make swaps. */
interface Making {
  /** Null: the whole video. */
  range: Range | null
  options: OptionsWithoutMethod
  /** Name of a model of the user's; null for the built-in method. */
  method: string | null
  consent: ConsentArgs
  wait: boolean
}

export type LibraryCommand = Common &
  (
    | {
        command: 'profile add'
        name: string
        baseUrl: string
        keyHeader: string | null
        durationUnit: 'ms' | 's'
        allowHttp: boolean
      }
    /** By its pairing code; `-`: read from standard input. */
    | { command: 'profile add'; name: string | null; pair: string }
    | { command: 'profile list' }
    | { command: 'profile remove'; name: string }
    | { command: 'profile test'; name: string }
    | { command: 'key set'; profile: string }
    | { command: 'key status'; profile: string }
    | { command: 'key clear'; profile: string }
    | { command: 'key new'; profile: string; userId: string }
    | { command: 'key list'; profile: string; userId: string }
    | { command: 'key revoke'; profile: string; userId: string; key: string }
    | { command: 'model list' }
    | { command: 'model add'; files: string[] }
    | { command: 'model remove'; name: string }
    | { command: 'model check'; name: string }
    | { command: 'consent list' }
    | { command: 'consent show'; face: FaceName }
    | { command: 'consent withdraw'; face: FaceName }
    | { command: 'consent export'; faces: FaceName[]; out: string; format: ConsentFormat }
    | ({
        command: 'submit'
        profile: string
        faces: [FaceSource, ...FaceSource[]]
        video: Source
        title: string | null
        /** Sends URLs without opening them: opening a single-use URL would consume it. */
        noFetch: boolean
      } & Making)
    | ({
        command: 'batch'
        profile: string
        /** Files and folders; empty with a plan. */
        faces: string[]
        targets: string[]
        plan: string | null
        /** Template; null: the default. */
        title: string | null
      } & Making)
    | { command: 'list'; tags: string[]; favourite: boolean; sets: string[] }
    | { command: 'show'; id: string }
    | { command: 'watch'; ids: string[] }
    | { command: 'fetch'; id: string; out: string }
    /** `mending` null: lists the weak parts and the versions. */
    | { command: 'mend'; id: string; mending: Mending | null }
  )

/** Parsed arguments of a command. */
export type CommandOf<C extends LibraryCommand['command']> = Extract<LibraryCommand, { command: C }>

const readConsents = ['consent list', 'consent show', 'consent export']
const readers = ['profile list', 'key status', 'model list', 'list', 'show', ...readConsents]

/** Read-only commands can run while the studio is open. */
export const readsOnly = (command: LibraryCommand): boolean =>
  command.command === 'mend' ? command.mending === null : readers.includes(command.command)

/** Commands that need no more than the library while an open studio does the work. */
export const readsBeside = ({ command }: LibraryCommand): boolean => command === 'watch' || command === 'fetch'

const makingNames = [...swapOptionNames, ...consentOptionNames, 'method', 'from', 'to', 'rest']

const forms: Record<LibraryCommand['command'], Form> = {
  'profile add': { options: ['pair', 'base-url', 'key-header', 'duration-unit'], flags: ['allow-http'], words: [0, 1] },
  'profile list': { words: [0, 0] },
  'profile remove': { words: [1, 1] },
  'profile test': { words: [1, 1] },
  'key set': { options: ['profile'], words: [0, 0] },
  'key status': { options: ['profile'], words: [0, 0] },
  'key clear': { options: ['profile'], words: [0, 0] },
  'key new': { options: ['profile', 'user-id'], words: [0, 0] },
  'key list': { options: ['profile', 'user-id'], words: [0, 0] },
  'key revoke': { options: ['profile', 'user-id'], words: [1, 1] },
  'model list': { words: [0, 0] },
  'model add': { words: [1, 1000] },
  'model remove': { words: [1, 1] },
  'model check': { words: [1, 1] },
  'consent list': { words: [0, 0] },
  'consent show': { words: [1, 1] },
  'consent withdraw': { words: [1, 1] },
  'consent export': { options: ['out'], words: [0, 1000] },
  submit: {
    options: ['profile', 'video', 'target', 'title', ...makingNames],
    repeated: ['face', 'cast', 'range'],
    flags: ['wait', 'no-fetch'],
    words: [0, 0],
  },
  batch: {
    options: ['profile', 'plan', 'title', ...makingNames],
    repeated: ['range'],
    lists: ['faces', 'targets'],
    flags: ['wait'],
    words: [0, 0],
  },
  list: { repeated: ['tag', 'set'], flags: ['favourite'], words: [0, 0] },
  show: { words: [1, 1] },
  watch: { words: [0, 1000] },
  fetch: { options: ['out'], words: [1, 1] },
  mend: { ...mendOptions, options: [...mendOptions.options, ...consentOptionNames], words: [1, 1] },
}

const isCommand = (name: string): name is LibraryCommand['command'] => Object.hasOwn(forms, name)

/** @throws MienError `usage` with a `reason` */
export function parseLibraryCommand(args: readonly string[], cwd: string): LibraryCommand {
  const [group = '', second = ''] = args
  const isGroup = ['profile', 'key', 'model', 'consent'].includes(group)
  const name = isGroup ? `${group} ${second}` : group
  const rest = args.slice(isGroup ? 2 : 1)
  if (!isCommand(name)) throw usage(suggesting(m.cli_unknown_command({ name: name.trim() }), name, Object.keys(forms)))
  return build(name, readArgs(name, forms[name], rest, cwd), cwd)
}

function making(read: Read, cwd: string): Making {
  const { text } = read
  return {
    range: readRange({ ranges: read.all('range'), from: text('from'), to: text('to'), rest: text('rest') }),
    ...{ options: readSwapOptions(text), method: text('method'), consent: readConsent(text, cwd) },
    wait: read.given('wait'),
  }
}

function build(name: LibraryCommand['command'], read: Read, cwd: string): LibraryCommand {
  const { common, positionals } = read
  const word = positionals[0] ?? ''
  const needed = (option: string): string => {
    const value = read.text(option)
    if (value === null) throw usage(m.cli_missing({ option: `--${option}` }))
    return value
  }
  switch (name) {
    case 'profile add': {
      const pair = read.text('pair')
      if (pair !== null) return { ...common, command: name, name: positionals[0] ?? null, pair }
      if (word === '') throw usage(m.cli_name_missing({ command: name }))
      const durationUnit = read.text('duration-unit') ?? 'ms'
      if (durationUnit !== 'ms' && durationUnit !== 's')
        throw usage(m.cli_choice({ option: '--duration-unit', one: 'ms', other: 's' }))
      const baseUrl = needed('base-url')
      const keyHeader = read.text('key-header')
      return {
        ...common,
        command: name,
        name: word,
        baseUrl,
        keyHeader,
        durationUnit,
        allowHttp: read.given('allow-http'),
      }
    }
    case 'profile remove':
    case 'profile test':
    case 'model remove':
    case 'model check':
      return { ...common, command: name, name: word }
    case 'key set':
    case 'key status':
    case 'key clear':
      return { ...common, command: name, profile: needed('profile') }
    case 'key new':
    case 'key list':
      return { ...common, command: name, profile: needed('profile'), userId: userId(read) }
    case 'key revoke':
      return { ...common, command: name, profile: needed('profile'), userId: userId(read), key: word }
    case 'model add':
      return { ...common, command: name, files: positionals.map((file) => absolute(file, cwd)) }
    case 'consent show':
    case 'consent withdraw':
      return { ...common, command: name, face: { text: word, path: absolute(word, cwd) } }
    case 'consent export': {
      const out = absolute(needed('out'), cwd)
      const format = consentFormats.find((each) => out.toLowerCase().endsWith(`.${each}`))
      if (format === undefined) throw usage(m.cli_consent_out())
      const faces = positionals.map((text) => ({ text, path: absolute(text, cwd) }))
      return { ...common, command: name, faces, out, format }
    }
    case 'submit': {
      const profile = needed('profile')
      const [face, ...more] = readFaces(read.all('face'), read.all('cast'))
      const from = ({ personId, pictures: [first, ...others] }: FaceArgs): FaceSource => ({
        personId,
        pictures: [source(first, cwd), ...others.map((picture) => source(picture, cwd))],
      })
      const title = read.text('title')?.trim() ?? ''
      return {
        ...common,
        command: name,
        profile,
        faces: [from(face), ...more.map(from)],
        video: source(readTarget(read.text('target'), read.text('video')), cwd),
        title: title === '' ? null : title,
        ...making(read, cwd),
        noFetch: read.given('no-fetch'),
      }
    }
    case 'batch': {
      const [faces, targets, plan] = [read.all('faces'), read.all('targets'), read.text('plan')]
      if (plan !== null && faces.length + targets.length > 0) throw usage(m.cli_plan_or_lists())
      if (plan === null && faces.length === 0) throw usage(m.cli_missing({ option: '--faces' }))
      if (plan === null && targets.length === 0) throw usage(m.cli_missing({ option: '--targets' }))
      const title = read.text('title')
      const problem = title === null ? null : templateProblem(title)
      if (problem) throw usage(m.cli_title({ problem: templateText(problem) }))
      return {
        ...common,
        command: name,
        profile: needed('profile'),
        faces: faces.map((path) => absolute(path, cwd)),
        targets: targets.map((path) => absolute(path, cwd)),
        plan: plan === null ? null : absolute(plan, cwd),
        title,
        ...making(read, cwd),
      }
    }
    case 'show':
      return { ...common, command: name, id: word }
    case 'watch':
      return { ...common, command: name, ids: positionals }
    case 'fetch':
      return { ...common, command: name, id: word, out: absolute(needed('out'), cwd) }
    case 'mend':
      return { ...common, command: name, id: word, mending: readMending(read, cwd) }
    case 'list':
      return {
        ...common,
        command: name,
        tags: read.all('tag'),
        favourite: read.given('favourite'),
        sets: read.all('set'),
      }
    case 'profile list':
    case 'model list':
    case 'consent list':
      return { ...common, command: name }
  }
}

/** Digits of an unsigned 64-bit integer; defaults to 1. */
function userId(read: Read): string {
  const id = read.text('user-id') ?? '1'
  if (!/^\d{1,20}$/.test(id) || BigInt(id) >= 2n ** 64n) throw usage(m.cli_whole_number({ option: '--user-id' }))
  return id
}

/**
 * Parses a path or an http(s) URL. Other schemes (javascript:, file:, data:) are refused, never treated as a file name.
 */
function source(text: string, cwd: string): Source {
  if (/^https?:\/\//i.test(text)) {
    const url = URL.parse(text)
    if (!url || url.username !== '' || url.password !== '')
      throw new MienError('address-invalid', { url: text.slice(0, 200) })
    return { url: url.href }
  }
  // A single letter and a colon is a Windows drive.
  if (/^[a-z][a-z0-9+.-]+:/i.test(text)) throw new MienError('address-invalid', { url: text.slice(0, 200) })
  return { path: absolute(text, cwd) }
}
