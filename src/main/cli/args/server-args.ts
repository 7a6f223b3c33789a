/** @file The commands of servers: `serve`, `worker` and `pair`. Pure. */
import { m } from '@shared/i18n/paraglide/messages.js'
import { usage } from '@shared/mien-error.ts'
import { command, isU64, type Read } from './read-args.ts'

/** Where servers and workers meet. Null: the environment names it, or else it is in the data folder. */
interface SharedPlaces {
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

export const serverCommands = {
  serve: command(serveForm, readServe),
  worker: command(workerForm, readWorker),
  pair: command({ options: ['server'], words: [0, 1] }, ({ word: userId, text }) => {
    if (!isU64(userId)) throw usage(m.cli_pair_user())
    return {
      userId,
      /** Null: the server that runs in the data folder. */
      server: text('server'),
    }
  }),
}

function readServe(read: Read) {
  const { text, value, all, given, path } = read
  const [certificate, key] = [text('certificate'), text('certificate-key')]
  if ((certificate === null) !== (key === null))
    throw usage(m.cli_missing({ option: certificate === null ? '--certificate' : '--certificate-key' }))
  const plainHttp = given('plain-http')
  /** Whether apps on the local network can find it. */
  const announce = given('announce')
  if (certificate !== null && plainHttp) throw usage(m.cli_certificate_or_plain())
  const host = text('host') ?? '127.0.0.1'
  if (announce && (certificate !== null || plainHttp || isLoopback(host))) throw usage(m.cli_announce_needs())
  const workers = value('workers') ?? '1'
  if (workers !== '0' && workers !== '1') throw usage(m.cli_choice({ option: '--workers', one: '0', other: '1' }))
  const retention = value('retention')
  return {
    ...readWorker(read),
    ...{ host, plainHttp, announce },
    port: wholeNumber('--port', value('port') ?? String(usualPort), 0, maxPort),
    /** More names under which clients reach the server; `https://NAME` behind a proxy. */
    names: all('name').filter((each) => each !== ''),
    /** PEM files; null: none, or a self-made one if there has to be one. */
    certificate: certificate === null || key === null ? null : { certificate: path(certificate), key: path(key) },
    /** Whether this process also makes swaps. */
    hasWorker: workers === '1',
    retentionDays: retention === null ? null : wholeNumber('--retention', retention, 1, maxDays),
    newAdminKey: given('new-admin-key'),
  }
}

function readWorker({ text, given }: Read) {
  const places: SharedPlaces = { database: text('database'), storage: text('storage') }
  return { ...places, allowPrivateAddresses: given('allow-private-addresses') }
}

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : -1
  if (number < min || number > max) throw usage(m.cli_number({ option, min: String(min), max: String(max) }))
  return number
}
