/** @file `mien worker`: processes the swaps of servers that use the same database and storage. */
import { join } from 'node:path'
import { m } from '@shared/i18n/paraglide/messages.js'
import { MienError } from '@shared/mien-error.ts'
import { exitCodes } from '../output/exit-codes.ts'
import { print } from '../output/output-lines.ts'
import { placesFrom } from '../args/server-args.ts'
import type { CommandOf } from '../args/args.ts'
import type { ServerRunOptions } from './serve-command.ts'
import { serverLog } from './server-log.ts'
import { connect, openChecked, openOwn, startWorker, untilInterrupted } from './server-parts.ts'

/** Runs until a signal. */
export async function runWorker(
  command: CommandOf<'worker'>,
  options: ServerRunOptions,
  interrupted: AbortSignal,
): Promise<number> {
  const log = serverLog(command.json)
  const { database, storage: storageAddress } = placesFrom(command, process.env)
  if (database === null) throw new MienError('usage', { reason: m.cli_database_needed() })
  if (storageAddress === null) throw new MienError('usage', { reason: m.cli_storage_needed() })
  const own = openOwn(join(options.dir, 'worker.db'))
  const db = await connect(database, log)
  const storage = await openChecked(storageAddress)
  const worker = await startWorker({ ...options, ...command, db, storage, log })
  print(command.json, { ready: true }, m.cli_worker_ready())
  await untilInterrupted(interrupted)
  log('stopping: the current swap is put back')
  await worker.stop()
  await db.close()
  await own.close()
  return exitCodes.done
}
