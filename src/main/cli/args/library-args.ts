/** @file The commands that use the library: services, keys, models and swaps. Pure. */
import { consentFormats } from '@shared/tasks/consent.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { templateText } from '@shared/i18n/template-text.ts'
import { MienError, usage } from '@shared/mien-error.ts'
import { templateProblem } from '@shared/files/name-template.ts'
import type { LibraryCommand } from './args.ts'
import { mendOptions, readMending, type Mending } from './mend-args.ts'
import { command, isU64, type Form, type Read } from './read-args.ts'
import { consentOptionNames, makingNames, readFaces, readMaking, readTarget } from './swap-args.ts'

/** A file by absolute path, or a web resource by URL. */
export type Source = { path: string } | { url: string }
/** A face as it is written: the beginning of its hash, or the path of its picture. */
export interface FaceName {
  text: string
  path: string
}

const noWords: Form = { words: [0, 0] }
const oneWord: Form = { words: [1, 1] }
const profileForm: Form = { ...noWords, options: ['profile'] }
const userForm: Form = { ...noWords, options: ['profile', 'user-id'] }

const nothing = () => ({})
const nameOf = ({ word }: Read) => ({ name: word })
const idOf = ({ word }: Read) => ({ id: word })
const profileOf = ({ needed }: Read) => ({ profile: needed('profile') })
const userOf = (given: Read) => ({ ...profileOf(given), userId: userId(given) })
const faceOf = ({ word, path }: Read): { face: FaceName } => ({ face: { text: word, path: path(word) } })

export const libraryCommands = {
  'profile add': command(
    { options: ['pair', 'base-url', 'key-header', 'duration-unit'], flags: ['allow-http'], words: [0, 1] },
    readProfile,
  ),
  'profile list': command(noWords, nothing),
  'profile remove': command(oneWord, nameOf),
  'profile test': command(oneWord, nameOf),
  'key set': command(profileForm, profileOf),
  'key status': command(profileForm, profileOf),
  'key clear': command(profileForm, profileOf),
  'key new': command(userForm, userOf),
  'key list': command(userForm, userOf),
  'key revoke': command({ ...userForm, words: [1, 1] }, (given) => ({ ...userOf(given), key: given.word })),
  'model list': command(noWords, nothing),
  'model add': command({ words: [1, 1000] }, ({ positionals, path }) => ({ files: positionals.map(path) })),
  'model remove': command(oneWord, nameOf),
  'model check': command(oneWord, nameOf),
  'consent list': command(noWords, nothing),
  'consent show': command(oneWord, faceOf),
  'consent withdraw': command(oneWord, faceOf),
  'consent export': command({ options: ['out'], words: [0, 1000] }, ({ needed, positionals, path }) => {
    const out = path(needed('out'))
    const format = consentFormats.find((each) => out.toLowerCase().endsWith(`.${each}`))
    if (format === undefined) throw usage(m.cli_consent_out())
    return { faces: positionals.map((text): FaceName => ({ text, path: path(text) })), out, format }
  }),
  submit: command(
    {
      ...noWords,
      options: ['profile', 'video', 'target', 'title', ...makingNames],
      repeated: ['face', 'cast', 'range'],
      flags: ['wait', 'no-fetch'],
    },
    readSubmit,
  ),
  batch: command(
    {
      ...noWords,
      options: ['profile', 'plan', 'title', ...makingNames],
      repeated: ['range'],
      lists: ['faces', 'targets'],
      flags: ['wait'],
    },
    readBatch,
  ),
  list: command({ ...noWords, repeated: ['tag', 'set'], flags: ['favourite'] }, ({ all, given }) => ({
    tags: all('tag'),
    favourite: given('favourite'),
    sets: all('set'),
  })),
  show: command(oneWord, idOf),
  watch: command({ words: [0, 1000] }, ({ positionals }) => ({ ids: positionals })),
  fetch: command({ ...oneWord, options: ['out'] }, ({ word, needed, path }) => ({
    id: word,
    out: path(needed('out')),
  })),
  /** `mending` null: lists the weak parts and the versions. */
  mend: command(
    { ...oneWord, ...mendOptions, options: [...mendOptions.options, ...consentOptionNames] },
    (given): { id: string; mending: Mending | null } => ({ ...idOf(given), mending: readMending(given) }),
  ),
}

const readConsents = ['consent list', 'consent show', 'consent export']
const readers = ['profile list', 'key status', 'model list', 'list', 'show', ...readConsents]

/** Read-only commands can run while the studio is open. */
export const readsOnly = (command: LibraryCommand): boolean =>
  command.command === 'mend' ? command.mending === null : readers.includes(command.command)

/** Commands that need no more than the library while an open studio does the work. */
export const readsBeside = ({ command }: LibraryCommand): boolean => command === 'watch' || command === 'fetch'

interface NewProfile {
  name: string
  baseUrl: string
  keyHeader: string | null
  durationUnit: 'ms' | 's'
  allowHttp: boolean
}

/** @returns `pair`: the pairing code; `-`: read from standard input */
function readProfile({
  positionals,
  text,
  word,
  given,
  needed,
}: Read): NewProfile | { name: string | null; pair: string } {
  const pair = text('pair')
  if (pair !== null) return { name: positionals[0] ?? null, pair }
  if (word === '') throw usage(m.cli_name_missing({ command: 'profile add' }))
  const durationUnit = text('duration-unit') ?? 'ms'
  if (durationUnit !== 'ms' && durationUnit !== 's')
    throw usage(m.cli_choice({ option: '--duration-unit', one: 'ms', other: 's' }))
  const baseUrl = needed('base-url')
  return { name: word, baseUrl, keyHeader: text('key-header'), durationUnit, allowHttp: given('allow-http') }
}

/** @returns `noFetch`: sends URLs without opening them, because that would use up one that works once */
function readSubmit(read: Read) {
  const { text, all } = read
  const profile = read.needed('profile')
  const from = (name: string): Source => source(name, read)
  const faces = readFaces(all('face'), all('cast'), from)
  const video = from(readTarget(text('target'), text('video')))
  const title = text('title')?.trim() || null
  const [wait, noFetch] = [read.given('wait'), read.given('no-fetch')]
  return { profile, faces, video, title, ...readMaking(read, text), wait, noFetch }
}

/** @returns `faces`, `targets`: files and folders; empty with a `plan`. `title`: a template; null: the default */
function readBatch(read: Read) {
  const { text, all, path } = read
  const [faces, targets, plan] = [all('faces'), all('targets'), text('plan')]
  if (plan !== null && faces.length + targets.length > 0) throw usage(m.cli_plan_or_lists())
  if (plan === null && faces.length === 0) throw usage(m.cli_missing({ option: '--faces' }))
  if (plan === null && targets.length === 0) throw usage(m.cli_missing({ option: '--targets' }))
  const title = text('title')
  const problem = title === null ? null : templateProblem(title)
  if (problem) throw usage(m.cli_title({ problem: templateText(problem) }))
  return {
    profile: read.needed('profile'),
    faces: faces.map(path),
    targets: targets.map(path),
    plan: plan && path(plan),
    title,
    ...readMaking(read, text),
    wait: read.given('wait'),
  }
}

/** Digits of an unsigned 64-bit integer; defaults to 1. */
function userId({ text }: Read): string {
  const id = text('user-id') ?? '1'
  if (!isU64(id)) throw usage(m.cli_whole_number({ option: '--user-id' }))
  return id
}

/**
 * Parses a path or an http(s) URL. Other schemes (javascript:, file:, data:) are refused, never treated as a file name.
 */
function source(text: string, { path }: Read): Source {
  if (/^https?:\/\//i.test(text)) {
    const url = URL.parse(text)
    if (!url || url.username !== '' || url.password !== '')
      throw new MienError('address-invalid', { url: text.slice(0, 200) })
    return { url: url.href }
  }
  // A single letter and a colon is a Windows drive.
  if (/^[a-z][a-z0-9+.-]+:/i.test(text)) throw new MienError('address-invalid', { url: text.slice(0, 200) })
  return { path: path(text) }
}
