/**
 * @file The queue on PostgreSQL: jobs of pg-boss (https://pgboss.io), in the schema `mien_jobs`. A job's id is the
 * swap's. pg-boss ends attempts of silent and stuck workers, tries again with a growing delay, and moves the job to the
 * dead letter queue after the last try.
 *
 * Workers fetch jobs themselves instead of using `work`, because each serves two queues, one swap at a time.
 */
import type { PgBoss, ConnectionOptions } from 'pg-boss'
import { type Sql, type Value, anyVersion, maxTries, queueOf, type Jobs } from './database.ts'

export interface BossJobsOptions {
  /** Calls `listener` after each notification, and when one may have been missed. @returns a function that ends it */
  listen: (channel: string, listener: () => void) => () => void
  log: (message: string, error?: unknown) => void
}

const channel = 'mien_work'
/** Id of the lock that fetches share, and a change of order has alone. */
const orderLock = 4_205_102
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

export function bossJobs(db: Sql, { listen, log }: BossJobsOptions): Jobs {
  const queues = new Set<string>()
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
      await boss.createQueue(anyVersion, swapQueue)
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

  /** The queue of an engine version, created with its first worker. */
  const versionQueue = async (boss: PgBoss, engine: string): Promise<string> => {
    const name = queueOf(engine)
    if (!queues.has(name)) await boss.createQueue(name, swapQueue)
    queues.add(name)
    return name
  }

  return {
    start: async () => {
      await started()
    },
    send: async (sql, { objectId, queue, turn, tries }, waitMs = 0) => {
      const boss = await started()
      await boss.deleteJob(queue, objectId, on(sql))
      const more = { priority: -turn, startAfter: waitMs / 1000, retryLimit: Math.max(0, maxTries - 1 - tries) }
      await boss.send(queue, { objectId }, { ...on(sql), id: objectId, ...more })
      await sql.query(`SELECT pg_notify('${channel}', '')`)
    },
    lockOrder: async (sql) => {
      await sql.query(`SELECT pg_advisory_xact_lock(${String(orderLock)})`)
    },
    update: async (sql, { objectId, queue, turn }) => {
      await (await started()).update(queue, undefined, { ...on(sql), id: objectId, priority: -turn })
    },
    cancel: async (sql, { objectId, queue }) => {
      await (await started()).cancel(queue, objectId, on(sql))
    },
    fetch: async (sql, engine) => {
      const boss = await started()
      // pg-boss skips rows that are locked, so it would take a swap behind one that is getting another turn.
      await sql.query(`SELECT pg_advisory_xact_lock_shared(${String(orderLock)})`)
      for (const queue of [await versionQueue(boss, engine), anyVersion]) {
        const [job] = await boss.fetch(queue, on(sql))
        if (job) return { objectId: job.id, queue, retryCount: job.retryCount }
      }
      return null
    },
    touch: async (sql, { objectId: id, queue, retryCount }) =>
      isDone(await (await started()).touch(queue, { id, retryCount }, on(sql))),
    complete: async (sql, { objectId: id, queue, retryCount }) =>
      isDone(await (await started()).complete(queue, { id, retryCount }, null, on(sql))),
    onSend: (listener) =>
      listen(channel, () => {
        listener()
      }),
    onDeadLetter: async (listener) => {
      const boss = await started()
      await boss.work<{ objectId: string }, undefined, typeof deadOptions>(deadLetters, deadOptions, async ([job]) => {
        if (!job?.sourceName) return
        const { objectId } = job.data
        const [source] = await boss.findJobs(job.sourceName, { id: objectId })
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
