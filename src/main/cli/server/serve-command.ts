/** @file `mien serve`: a server, by default with a worker inside; `mien worker`. */
import { X509Certificate } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { aborted } from 'node:util'
import { app } from 'electron'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { usage } from '@shared/mien-error.ts'
import { announce } from '../../remote/pairing/nearby.ts'
import { ClusterServer } from '../../service/http/cluster-server.ts'
import type { Database } from '../../service/cluster/database/database.ts'
import { ownAddresses } from '../../service/http/guard.ts'
import { makeAdminKey } from '../../service/cluster/key-table.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { print } from '../output/output-lines.ts'
import { addressFor, runningFile, type RunningServer } from './running-server.ts'
import { isLoopback, placesFrom } from '../args/server-args.ts'
import type { CommandOf } from '../args/args.ts'
import { serverLog, type ServerLog } from './server-log.ts'
import { givenCertificate, ownCertificate, type ServerCertificate } from './tls.ts'
import { connect, openChecked, openOwn, startWorker, type EngineFolders, type RunningWorker } from './server-parts.ts'

export interface ServerRunOptions extends EngineFolders {
  /** Folder of this server or worker. */
  dir: string
}

/** Runs until a signal. */
export async function runServe(
  command: CommandOf<'serve'>,
  options: ServerRunOptions,
  interrupted: AbortSignal,
): Promise<number> {
  const { json, host, names, plainHttp } = command
  const { dir } = options
  const log = serverLog(json)
  const { database, storage: storageAddress } = placesFrom(command, process.env)
  if (database !== null && storageAddress === null) throw usage(m.cli_storage_needed())
  tellSafety(command, log)
  const own = openOwn(join(dir, 'server.db'))
  const db = database === null ? own : await connect(database, log)
  const storage = await openChecked(storageAddress ?? join(dir, 'files'))
  const needsTls = !plainHttp && (command.certificate !== null || !isLoopback(host))
  const tls = needsTls ? await certificateOf(command, dir) : null
  let worker: RunningWorker | null = null
  const server = new ClusterServer({
    ...{ db, storage, dir, address: host, port: command.port, tls, names, log, sentence: errorSentence },
    ...(command.retentionDays === null ? {} : { retentionDays: command.retentionDays }),
  })
  const { port, baseUrl, adminKey } = await server.start().catch((error: unknown) => {
    throw namedStart(error, command)
  })
  const running: RunningServer = {
    baseUrl,
    address: addressFor({ host, port, names, scheme: tls ? 'https' : 'http', own: ownAddresses(host) }),
    // Don't pin other certificates: clients trust the issuer, and the certificate may be renewed.
    fingerprint: tls && isSelfSigned(tls) ? tls.fingerprint : null,
    certificate: tls?.fingerprint ?? null,
  }
  await writeFile(runningFile(dir), JSON.stringify(running), { mode: 0o600 })
  await tellStart(command, running, adminKey, db)
  const announcement = command.announce && tls ? await announceServer(host, port, tls.fingerprint, log) : null
  try {
    worker = command.hasWorker ? await startWorker({ ...options, ...command, db, storage, log }) : null
    await aborted(interrupted, interrupted)
    log('stopping: running requests are answered, and the current swap is put back')
  } finally {
    announcement?.stop()
    await rm(runningFile(dir), { force: true })
    await Promise.all([server.dispose(), worker?.stop()])
    await Promise.all([...new Set([db, own])].map((each) => each.close()))
  }
  return exitCodes.done
}

/** `mien worker`: processes the swaps of servers that use the same database and storage. Runs until a signal. */
export async function runWorker(
  command: CommandOf<'worker'>,
  options: ServerRunOptions,
  interrupted: AbortSignal,
): Promise<number> {
  const log = serverLog(command.json)
  const { database, storage: storageAddress } = placesFrom(command, process.env)
  if (database === null) throw usage(m.cli_database_needed())
  if (storageAddress === null) throw usage(m.cli_storage_needed())
  const own = openOwn(join(options.dir, 'worker.db'))
  const db = await connect(database, log)
  const storage = await openChecked(storageAddress)
  const worker = await startWorker({ ...options, ...command, db, storage, log })
  print(command.json, { ready: true }, m.cli_worker_ready())
  await aborted(interrupted, interrupted)
  log('stopping: the current swap is put back')
  await worker.stop()
  await db.close()
  await own.close()
  return exitCodes.done
}

const certificateOf = ({ certificate, host, names }: CommandOf<'serve'>, dir: string): Promise<ServerCertificate> =>
  certificate === null
    ? ownCertificate(dir, [...ownAddresses(host), ...names.filter((name) => !name.includes('://'))])
    : givenCertificate(certificate.certificate, certificate.key)

function isSelfSigned({ cert }: ServerCertificate): boolean {
  const certificate = new X509Certificate(cert)
  return certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey)
}

/** Failures are only logged, because pairing codes also contain the address. */
async function announceServer(host: string, port: number, fingerprint: string, log: ServerLog) {
  try {
    return await announce({ name: hostname(), port, fingerprint, addresses: ownAddresses(host) })
  } catch (error) {
    log(`--announce: the server can’t be found on the network: ${String(error)}`)
    return null
  }
}

function tellSafety({ host, plainHttp }: CommandOf<'serve'>, log: ServerLog): void {
  if (app.commandLine.hasSwitch('no-sandbox'))
    log('Chromium’s sandbox is off. Run as an ordinary user without --no-sandbox, or in a container, to be safer.')
  if (plainHttp && !isLoopback(host))
    log('--plain-http: keys, faces and videos cross the network unencrypted unless a proxy encrypts them.')
}

/** Converts errors of the start that the administrator can fix. */
function namedStart(error: unknown, { host, port }: CommandOf<'serve'>): unknown {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null
  const at = { host, port: String(port) }
  const reason =
    code === 'EADDRINUSE'
      ? m.cli_port_in_use(at)
      : code === 'EACCES'
        ? m.cli_port_refused(at)
        : code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND'
          ? m.cli_host_unknown(at)
          : null
  return reason === null ? error : usage(reason, error)
}

/** On stdout, so that keys don't reach the log. */
async function tellStart(
  { json, newAdminKey }: CommandOf<'serve'>,
  { address, certificate }: RunningServer,
  made: string | null,
  db: Database,
): Promise<void> {
  const adminKey = made ?? (newAdminKey ? await makeAdminKey(db, { renew: true }) : null)
  if (adminKey !== null) print(json, { adminKey }, m.cli_admin_key({ key: adminKey }))
  print(json, { address, certificate }, m.cli_serving({ address }))
  if (json) return
  if (certificate !== null) print(false, {}, m.cli_certificate({ fingerprint: certificate }))
  if (adminKey !== null) print(false, {}, m.cli_add_creator())
}
