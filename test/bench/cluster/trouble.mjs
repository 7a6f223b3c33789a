/**
 * @file What a database does to its cluster: it is away for a minute, its disk is full for a minute, it is restored from a
 * backup. In the end, each swap that the database has is completed with the result of an undisturbed one.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { asRoot } from '../../fixtures/as-user.ts'
import { resultOf } from './timed-result.ts'

const troubleMs = 60_000
const nobody = 65_534
const video = Buffer.from('a video')
const wanted = resultOf(video)

/**
 * @typedef {object} Trouble
 * @property {(size: { servers: number, workers: number, engineMs: number, database?: string }) => Promise<any>} startCluster
 * @property {(cluster: any) => Promise<any>} newCreator
 * @property {import('../../fixtures/postgres.ts').PostgresServer} postgres
 * @property {string} dir
 */

/** Creates swaps of two seconds for as long as `doing` takes, then waits for all of them. @param {any} cluster @param {any} creator @param {() => Promise<void>} doing */
async function during(cluster, { creator, files }, doing) {
  /** @type {string[]} */
  const ids = []
  let isOver = false
  const creating = (async () => {
    while (!isOver) {
      ids.push(await creator.create(`swap ${String(ids.length)}`, ...files))
      await wait(500)
    }
  })()
  await wait(5000)
  const from = performance.now()
  await doing()
  isOver = true
  await creating
  return {
    ...(await judged(cluster, creator, ids)),
    secondsAfter: Math.round((performance.now() - from - troubleMs) / 1000),
  }
}

/** Waits until all have ended. @param {any} cluster @param {any} creator @param {string[]} ids */
async function judged(cluster, creator, ids) {
  const open = `SELECT count(*) FROM swaps WHERE status IN ('queued', 'processing') OR status = 'completed' AND checked = 0`
  while (Number(await cluster.query(open)) > 0) await wait(500)
  let wrong = 0
  for (const id of ids) if (!wanted.equals(await creator.result(id))) wrong += 1
  const [failed, attempts] = (
    await cluster.query(`SELECT count(*) FILTER (WHERE status = 'failed'), sum(attempt) FROM swaps`)
  ).split('|')
  return { swaps: ids.length, failed: Number(failed), wrong, again: Number(attempts) - ids.length }
}

/** @param {Trouble} given */
export async function trouble({ startCluster, newCreator, postgres, dir }) {
  const size = { servers: 2, workers: 4, engineMs: 2000 }
  const cluster = await startCluster(size)
  const away = await during(cluster, await newCreator(cluster), async () => {
    await postgres.kill()
    await wait(troubleMs)
    await postgres.launch()
  })
  await cluster.stop()
  return {
    away,
    full: asRoot ? await fullDisk({ startCluster, newCreator, postgres, dir }) : null,
    restored: await restored({ startCluster, newCreator, postgres, dir }),
  }
}

/** The tables are on a small disk. Only root may mount one. @param {Trouble} given */
async function fullDisk({ startCluster, newCreator, postgres, dir }) {
  const [disk, tables] = [join(dir, 'disk'), join(dir, 'disk', 'tables')]
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=100m', 'tmpfs', disk])
  try {
    mkdirSync(tables)
    chownSync(tables, nobody, nobody)
    for (const each of [dir, disk]) execFileSync('chmod', ['755', each])
    await postgres.query(`CREATE TABLESPACE small LOCATION '${tables}'`)
    const database = await postgres.createDatabase()
    await postgres.query(`ALTER DATABASE ${new URL(database).pathname.slice(1)} SET TABLESPACE small`)
    const cluster = await startCluster({ servers: 2, workers: 4, engineMs: 2000, database })
    const result = await during(cluster, await newCreator(cluster), async () => {
      fill(disk)
      await wait(troubleMs)
      rmSync(join(disk, 'ballast'))
    })
    await cluster.stop()
    await postgres.query(`DROP DATABASE ${new URL(database).pathname.slice(1)} WITH (FORCE)`)
    await postgres.query('DROP TABLESPACE small')
    return result
  } finally {
    execFileSync('umount', ['--lazy', disk])
  }
}

/** @param {string} disk */
function fill(disk) {
  const block = randomBytes(4096)
  try {
    for (;;) writeFileSync(join(disk, 'ballast'), block, { flag: 'a' })
  } catch {
    // It is full.
  }
}

/** The newest of PostgreSQL's programs. @param {string} name */
const program = (name) => {
  const root = '/usr/lib/postgresql'
  return join(root, readdirSync(root).toSorted((a, b) => Number(b) - Number(a))[0] ?? '', 'bin', name)
}

/** @param {Trouble} given */
async function restored({ startCluster, newCreator, postgres, dir }) {
  const before = await startCluster({ servers: 1, workers: 4, engineMs: 2000 })
  const { creator, files } = await newCreator(before)
  const ids = []
  for (let number = 0; number < 40; number += 1) ids.push(await creator.create(`swap ${String(number)}`, ...files))
  await before.completed(10)
  const backup = join(dir, 'backup.dump')
  execFileSync(program('pg_dump'), ['--format=custom', `--file=${backup}`, before.database])
  const states = await postgres.query(
    'SELECT status, count(*) FROM swaps GROUP BY status ORDER BY status',
    before.database,
  )
  const later = []
  for (let number = 0; number < 10; number += 1) later.push(await creator.create(`later ${String(number)}`, ...files))
  await before.completed(50)
  // The work of completed swaps is gone from the storage a minute later.
  await wait(troubleMs + 20_000)
  await before.stop()
  const database = await postgres.createDatabase()
  execFileSync(program('pg_restore'), [`--dbname=${database}`, backup])
  const after = await startCluster({ servers: 1, workers: 4, engineMs: 2000, database })
  const restoredCreator = after.client.known(creator)
  const known = await restoredCreator.list([...ids, ...later])
  const anew = await restoredCreator.create('after it', ...files)
  const result = await judged(after, restoredCreator, [...ids, anew])
  await after.stop()
  return {
    atBackup: states.replaceAll('\n', ' '),
    ...result,
    gone: ids.length + later.length - known.length,
    createdSince: later.length,
  }
}
