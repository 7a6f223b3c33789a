/** @file Parses the commands of servers: `serve`, `worker` and `pair`. Pure. */
import { m } from '@shared/i18n/paraglide/messages.js'
import { usage } from '@shared/mien-error.ts'
import { absolute, serverCommands } from './launch.ts'
import { readArgs, type Common, type Read } from './read-args.ts'

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

const workerForm = { options: ['database', 'storage'], flags: ['allow-private-addresses'] }
const serveForm = {
  options: [...workerForm.options, 'host', 'port', 'certificate', 'certificate-key', 'workers', 'retention'],
  repeated: ['name'],
  flags: [...workerForm.flags, 'plain-http', 'announce', 'new-admin-key'],
}

/** @throws MienError `usage` with a `reason` */
export function parseServerCommand(args: readonly string[], cwd: string): ServerCommand {
  const [name, ...rest] = args
  if (name === 'pair') return parsePair(rest, cwd)
  return name === 'worker' ? parseWorker(rest, cwd) : parseServe(rest, cwd)
}

function parseServe(args: readonly string[], cwd: string): ServeCommand {
  const { text, value, all, given, ...read } = readArgs('serve', serveForm, args, cwd)
  const [certificate, key] = [text('certificate'), text('certificate-key')]
  if ((certificate === null) !== (key === null))
    throw usage(m.cli_missing({ option: certificate === null ? '--certificate' : '--certificate-key' }))
  const [plainHttp, announce] = [given('plain-http'), given('announce')]
  if (certificate !== null && plainHttp) throw usage(m.cli_certificate_or_plain())
  const host = text('host') ?? '127.0.0.1'
  if (announce && (certificate !== null || plainHttp || isLoopback(host))) throw usage(m.cli_announce_needs())
  const workers = value('workers') ?? '1'
  if (workers !== '0' && workers !== '1') throw usage(m.cli_choice({ option: '--workers', one: '0', other: '1' }))
  const retention = value('retention')
  return {
    ...read.common,
    command: 'serve',
    ...placesOf(text),
    ...{ host, plainHttp, announce },
    port: wholeNumber('--port', value('port') ?? String(usualPort), 0, maxPort),
    names: all('name').filter((each) => each !== ''),
    certificate:
      certificate === null || key === null
        ? null
        : { certificate: absolute(certificate, cwd), key: absolute(key, cwd) },
    hasWorker: workers === '1',
    retentionDays: retention === null ? null : wholeNumber('--retention', retention, 1, maxDays),
    newAdminKey: given('new-admin-key'),
    allowPrivateAddresses: given('allow-private-addresses'),
  }
}

function parseWorker(args: readonly string[], cwd: string): WorkerCommand {
  const { common, text, given } = readArgs('worker', workerForm, args, cwd)
  const allowPrivateAddresses = given('allow-private-addresses')
  return { ...common, command: 'worker', ...placesOf(text), allowPrivateAddresses }
}

function parsePair(args: readonly string[], cwd: string): PairCommand {
  const { common, word: userId, text } = readArgs('pair', { options: ['server'], words: [0, 1] }, args, cwd)
  if (!/^\d{1,20}$/.test(userId) || BigInt(userId) >= 2n ** 64n) throw usage(m.cli_pair_user())
  return { ...common, command: 'pair', userId, server: text('server') }
}

const placesOf = (text: Read['text']): SharedPlaces => ({ database: text('database'), storage: text('storage') })

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : -1
  if (number < min || number > max) throw usage(m.cli_number({ option, min: String(min), max: String(max) }))
  return number
}
