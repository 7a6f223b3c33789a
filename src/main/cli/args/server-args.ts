/** @file Parses the commands of servers: `serve`, `worker` and `pair`. Pure. */
import { m } from '@shared/i18n/paraglide/messages.js'
import { MienError } from '@shared/mien-error.ts'
import { absolute, serverCommands } from './launch.ts'
import { parsed } from './parsed.ts'

interface Common {
  json: boolean
  /** Null: a folder in the app's default one. */
  dataDir: string | null
}

/** Where servers and workers meet. Null: the environment names it, or else it is in the data folder. */
export interface SharedPlaces {
  /** `postgres://…` */
  database: string | null
  /** A folder or `s3://…` */
  storage: string | null
}

/** Options win over the environment, which keeps secrets out of the list of processes. */
export const placesFrom = ({ database, storage }: SharedPlaces, env: NodeJS.ProcessEnv): SharedPlaces => ({
  database: database ?? (env['MIEN_DATABASE'] || null),
  storage: storage ?? (env['MIEN_STORAGE'] || null),
})

export interface ServeCommand extends Common, SharedPlaces {
  command: 'serve'
  host: string
  port: number
  /** More names under which clients reach the server; `https://NAME` behind a proxy. */
  names: string[]
  /** PEM files; null: none, or a self-made one if there has to be one. */
  certificate: { certificate: string; key: string } | null
  plainHttp: boolean
  /** Whether apps on the local network can find it. */
  announce: boolean
  /** Whether this process also makes swaps. */
  hasWorker: boolean
  retentionDays: number | null
  newAdminKey: boolean
  allowPrivateAddresses: boolean
}

export interface WorkerCommand extends Common, SharedPlaces {
  command: 'worker'
  allowPrivateAddresses: boolean
}

export interface PairCommand extends Common {
  command: 'pair'
  userId: string
  /** Null: the server that runs in the data folder. */
  server: string | null
}

export type ServerCommand = ServeCommand | WorkerCommand | PairCommand

export const isServerCommand = <C extends { command: string }>(command: C): command is Extract<C, ServerCommand> =>
  serverCommands.includes(command.command)

const usualPort = 7433
const maxPort = 65_535
const maxDays = 36_500

export const isLoopback = (host: string): boolean => /^(?:127(?:\.\d+){3}|::1|localhost)$/.test(host)

const usage = (reason: string): MienError => new MienError('usage', { reason })

const commonOptions = {
  json: { type: 'boolean', default: false },
  'data-dir': { type: 'string' },
} as const
const workerOptions = {
  ...commonOptions,
  database: { type: 'string' },
  storage: { type: 'string' },
  'allow-private-addresses': { type: 'boolean', default: false },
} as const
const serveOptions = {
  ...workerOptions,
  host: { type: 'string' },
  port: { type: 'string' },
  name: { type: 'string', multiple: true },
  certificate: { type: 'string' },
  'certificate-key': { type: 'string' },
  'plain-http': { type: 'boolean', default: false },
  announce: { type: 'boolean', default: false },
  workers: { type: 'string' },
  retention: { type: 'string' },
  'new-admin-key': { type: 'boolean', default: false },
} as const
const pairOptions = { ...commonOptions, server: { type: 'string' } } as const

/** @throws MienError `usage` with a `reason` */
export function parseServerCommand(args: readonly string[], cwd: string): ServerCommand {
  const [name, ...rest] = args
  if (name === 'pair') return parsePair(rest, cwd)
  return name === 'worker' ? parseWorker(rest, cwd) : parseServe(rest, cwd)
}

function parseServe(args: readonly string[], cwd: string): ServeCommand {
  const { values } = parsed(args, serveOptions)
  const [certificate, key] = [values.certificate || null, values['certificate-key'] || null]
  if ((certificate === null) !== (key === null))
    throw usage(m.cli_missing({ option: certificate === null ? '--certificate' : '--certificate-key' }))
  if (certificate !== null && values['plain-http']) throw usage(m.cli_certificate_or_plain())
  const host = values.host || '127.0.0.1'
  if (values.announce && (certificate !== null || values['plain-http'] || isLoopback(host)))
    throw usage(m.cli_announce_needs())
  const workers = values.workers ?? '1'
  if (workers !== '0' && workers !== '1') throw usage(m.cli_choice({ option: '--workers', one: '0', other: '1' }))
  return {
    ...common(values, cwd),
    command: 'serve',
    ...placesOf(values),
    host,
    port: wholeNumber('--port', values.port ?? String(usualPort), 0, maxPort),
    names: (values.name ?? []).filter((each) => each !== ''),
    certificate:
      certificate === null || key === null
        ? null
        : { certificate: absolute(certificate, cwd), key: absolute(key, cwd) },
    plainHttp: values['plain-http'],
    announce: values.announce,
    hasWorker: workers === '1',
    retentionDays: values.retention === undefined ? null : wholeNumber('--retention', values.retention, 1, maxDays),
    newAdminKey: values['new-admin-key'],
    allowPrivateAddresses: values['allow-private-addresses'],
  }
}

function parseWorker(args: readonly string[], cwd: string): WorkerCommand {
  const { values } = parsed(args, workerOptions)
  const allowPrivateAddresses = values['allow-private-addresses']
  return { ...common(values, cwd), command: 'worker', ...placesOf(values), allowPrivateAddresses }
}

function parsePair(args: readonly string[], cwd: string): PairCommand {
  const { values, positionals } = parsed(args, pairOptions, true)
  const [userId = '', ...more] = positionals
  if (more.length > 0) throw usage(m.cli_unexpected({ words: more.join(' ') }))
  if (!/^\d{1,20}$/.test(userId) || BigInt(userId) >= 2n ** 64n) throw usage(m.cli_pair_user())
  return { ...common(values, cwd), command: 'pair', userId, server: values.server || null }
}

const placesOf = (values: { database?: string; storage?: string }): SharedPlaces => ({
  database: values.database || null,
  storage: values.storage || null,
})

const common = (values: { json: boolean; 'data-dir'?: string }, cwd: string): Common => ({
  json: values.json,
  dataDir: values['data-dir'] === undefined ? null : absolute(values['data-dir'], cwd),
})

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : -1
  if (number < min || number > max) throw usage(m.cli_number({ option, min: String(min), max: String(max) }))
  return number
}
