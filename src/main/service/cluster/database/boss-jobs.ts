/**
 * @file The queue on PostgreSQL: jobs of pg-boss (https://pgboss.io), in the schema `mien_jobs`. A job's id is the
 * swap's. pg-boss ends attempts of silent and stuck workers, tries again with a growing delay, and moves the job to the
 * dead letter queue after the last try.
 *
 * A swap that an engine version has begun is in the group of that version. Workers fetch jobs themselves instead of using
 * `work`, which can't pass over groups.
 */
import type { PgBoss, ConnectionOptions } from 'pg-boss'
import { z } from 'zod'
import { type Sql, type Value, isSeen, maxTries, type Jobs } from './database.ts'

const channel = 'mien_work'
/** Id of the lock that fetches share, and a change of order has alone. */
const orderLock = 4_205_102
const swaps = 'swaps'
const deadLetters = 'swaps-dead'
const housekeeping = 'housekeeping'
/** Workers report every second. */
const heartbeatSeconds = 20
/** Time between two looks for silent workers. */
const monitorIntervalSeconds = 10
const hourSeconds = 3600
/** A swap that takes longer than this goes on in another attempt. */
const expireInSeconds = 12 * hourSeconds
/** A waiting job never ends: the longest time that pg-boss allows. */
const retentionSeconds = 365 * 24 * hourSeconds
/** Ended jobs tell nothing that the swap's row doesn't. Few of them keep the queue fast. */
const deleteAfterSeconds = hourSeconds

/** Time between two messages that the database can't be used. */
const quietMs = 60_000

const deadOptions = { includeMetadata: true, pollingIntervalSeconds: 1 } as const
const swapQueue = {
  ...{ heartbeatSeconds, expireInSeconds, retentionSeconds, deleteAfterSeconds },
  ...{ retryDelay: 1, retryBackoff: true, deadLetter: deadLetters },
}

/** Runs pg-boss's statements in a transaction of ours. */
const on = (sql: Sql): Required<ConnectionOptions> => ({
  // Safe: the driver takes all values that pg-boss passes, and they aren't changed on the way.
  db: { executeSql: async (text, values = []) => ({ rows: await sql.query(text, values as readonly Value[]) }) },
})

/** @param listen calls `listener` after each notification */
export function bossJobs(
  db: Sql,
  listen: (channel: string, listener: () => void, stop: AbortSignal) => Promise<void>,
  log: (message: string, error?: unknown) => void,
): Jobs {
  let opening: Promise<PgBoss> | null = null

  const open = async (): Promise<PgBoss> => {
    const { PgBoss } = await import('pg-boss')
    const boss = new PgBoss({
      ...{ ...on(db), schema: 'mien_jobs', monitorIntervalSeconds, superviseIntervalSeconds: monitorIntervalSeconds },
    })
    let quietUntil = -Infinity
    boss.on('error', (error) => {
      // A copy of the error, if it is a worker's. While the database is away, there are several a second.
      if (error.name !== 'DatabaseUnavailable') log('the queue reported an error', error)
      else if (performance.now() > quietUntil) {
        quietUntil = performance.now() + quietMs
        log(`the queue can't use the database: ${error.message}`)
      }
    })
    boss.on('warning', ({ message }) => {
      log(`the queue: ${message}`)
    })
    try {
      await boss.start()
      await boss.createQueue(deadLetters, { retryLimit: 10, retryDelay: 1, retentionSeconds, deleteAfterSeconds })
      await boss.createQueue(swaps, swapQueue)
      return boss
    } catch (error) {
      await boss.stop({ graceful: false }).catch(() => undefined)
      throw error
    }
  }
  /** A failed start is tried again with the next call. */
  const started = (): Promise<PgBoss> =>
    (opening ??= open().catch((error: unknown) => {
      opening = null
      throw error
    }))

  return {
    start: async () => {
      await started()
    },
    send: async (sql, { objectId, engine, turn, tries }, waitMs = 0) => {
      const boss = await started()
      await boss.deleteJob(swaps, objectId, on(sql))
      const more = { priority: -turn, startAfter: waitMs / 1000, retryLimit: Math.max(0, maxTries - 1 - tries) }
      const group = engine === null ? {} : { group: { id: engine } }
      await boss.send(swaps, { objectId }, { ...on(sql), id: objectId, ...more, ...group })
      await sql.query(`SELECT pg_notify('${channel}', '')`)
    },
    lockOrder: async (sql) => {
      await sql.query(`SELECT pg_advisory_xact_lock(${String(orderLock)})`)
    },
    update: async (sql, { objectId, turn }) => {
      await (await started()).update(swaps, undefined, { ...on(sql), id: objectId, priority: -turn })
    },
    cancel: async (sql, objectId) => {
      await (await started()).cancel(swaps, objectId, on(sql))
    },
    fetch: async (sql, engine) => {
      const boss = await started()
      const others = `SELECT DISTINCT w.engine FROM workers w WHERE w.engine <> $1 AND ${isSeen}`
      // pg-boss skips rows that are locked, so it would take a swap behind one that is getting another turn.
      const [row] = await sql.query(
        `SELECT pg_advisory_xact_lock_shared(${String(orderLock)}), ARRAY(${others}) AS others`,
        [engine],
      )
      const ignoreGroups = z.array(z.string()).parse(row?.['others'])
      const [job] = await boss.fetch(swaps, { ...on(sql), ignoreGroups })
      return job ? { objectId: job.id, retryCount: job.retryCount } : null
    },
    touch: async (sql, { objectId: id, retryCount }) =>
      isDone(await (await started()).touch(swaps, { id, retryCount }, on(sql))),
    complete: async (sql, { objectId: id, retryCount }) =>
      isDone(await (await started()).complete(swaps, { id, retryCount }, null, on(sql))),
    onSend: (listener) => {
      const stop = new AbortController()
      void listen(channel, () => listener(), stop.signal)
      return () => stop.abort()
    },
    onDeadLetter: async (listener) => {
      const boss = await started()
      await boss.work<{ objectId: string }, undefined, typeof deadOptions>(deadLetters, deadOptions, async ([job]) => {
        if (!job) return
        const { objectId } = job.data
        const [source] = await boss.findJobs(swaps, { id: objectId })
        // The swap may have been queued again since.
        if (!source || source.state === 'failed') await listener(objectId)
      })
    },
    everyMinute: async (work) => {
      const boss = await started()
      await boss.createQueue(housekeeping, { policy: 'singleton', retryLimit: 0, expireInSeconds, deleteAfterSeconds })
      await boss.schedule(housekeeping, '* * * * *')
      await boss.send(housekeeping, null)
      const id = await boss.work(housekeeping, work)
      return () => void boss.offWork(housekeeping, { id, wait: false }).catch(() => undefined)
    },
    stop: async () => {
      const boss = await opening?.catch(() => null)
      await boss?.stop({ graceful: false })
    },
  }
}

/** pg-boss says how many jobs a command changed, but its types don't. */
const isDone = (response: object): boolean => 'affected' in response && response.affected === 1
