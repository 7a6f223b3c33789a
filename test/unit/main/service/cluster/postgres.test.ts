import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { bossJobs } from '../../../../../src/main/service/cluster/database/boss-jobs.ts'
import {
  DatabaseUnavailable,
  type Database,
  type Sql,
} from '../../../../../src/main/service/cluster/database/database.ts'
import { openPostgres } from '../../../../../src/main/service/cluster/database/postgres.ts'
import { migrateTables } from '../../../../../src/main/service/cluster/database/schema.ts'
import { listen } from '../../../../fixtures/listen.ts'
import { hasPostgres, sharedPostgres } from '../../../../fixtures/postgres.ts'

it('connects with no parameters that PgBouncer refuses', async () => {
  const server = createServer()
  onTestFinished(() => void server.close())
  const db = openPostgres(`postgres://mien@127.0.0.1:${String(await listen(server))}/mien`, () => undefined)
  const answered = db.query('SELECT 1').catch((error: unknown) => error)
  const [socket] = (await once(server, 'connection')) as [Socket] // its only argument
  const [packet] = (await once(socket, 'data')) as [Buffer] // no encoding is set
  socket.destroy()
  expect(await answered).toBeInstanceOf(DatabaseUnavailable)
  await db.close()
  // After length and version: names and values, each with a zero.
  const words = packet.toString('utf8', 8).split('\0')
  const names = words.filter((word, at) => at % 2 === 0 && word !== '')
  expect(names.toSorted()).toEqual(['application_name', 'client_encoding', 'database', 'user'])
})

describe.runIf(hasPostgres)('PostgreSQL (on Linux only)', () => {
  let db: Database
  let url: string
  let logged: string[]
  const log = (message: string, error?: unknown): void => {
    logged.push(`${message} ${error instanceof Error ? error.message : ''}`)
  }

  beforeEach(async () => {
    logged = []
    url = await (await sharedPostgres()).createDatabase()
    db = openPostgres(url, log)
  })
  afterEach(() => db.close())

  it('limits how long a statement and an idle transaction may take', async () => {
    const limits = { statement_timeout: '1min', idle_in_transaction_session_timeout: '10s' }
    for (const [name, value] of Object.entries(limits))
      expect(await db.query(`SHOW ${name}`)).toEqual([{ [name]: value }])
  })

  it.each([
    ['53100', 'its disk is full', true],
    ['53200', 'it has no memory', true],
    ['53300', 'it has too many connections', true],
    ['57014', 'a statement took too long', true],
    ['57P01', 'it stops', true],
    ['58030', 'its disk fails', true],
    ['42501', 'a right is missing', false],
    ['23505', 'a row is there', false],
  ])('error %s: %s', async (code, _meaning, passes) => {
    const raise = db.query(`DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${code}'; END $$`)
    const error: unknown = await raise.catch((thrown: unknown) => thrown)
    expect(error instanceof DatabaseUnavailable).toBe(passes)
  })

  it('can be tried again while it takes no changes', async () => {
    const readOnly = db.transaction(async (sql) => {
      await sql.query('SET TRANSACTION READ ONLY')
      await sql.query('CREATE TABLE a (b INTEGER)')
    })
    await expect(readOnly).rejects.toBeInstanceOf(DatabaseUnavailable)
  })

  it('logs once that new swaps are not announced, and once that they are again', async () => {
    await migrateTables(db)
    let heard = 0
    const ignore = db.jobs.onSend(() => (heard += 1))
    const listeners = `FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND datname = current_database()`
    await vi.waitFor(() => expect(heard).toBeGreaterThan(0))
    await db.query(`SELECT pg_terminate_backend(pid) ${listeners}`)
    const announced = (): string[] => logged.filter((line) => line.includes('announces'))
    const lines = [expect.stringContaining('no new swaps'), expect.stringContaining('again')]
    await vi.waitFor(() => expect(announced()).toEqual(lines), { timeout: 30_000 })
    ignore()
    // The end of the last connection isn't one that was lost.
    await vi.waitFor(async () => expect(await db.query(`SELECT pid ${listeners}`)).toEqual([]))
    expect(announced()).toHaveLength(2)
  })

  it('logs that a pooler delivers no notifications', async () => {
    await migrateTables(db)
    await db.query(`CREATE FUNCTION pg_notify(text, text) RETURNS void LANGUAGE sql AS ''`)
    await db.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public, pg_catalog`)
    const later = openPostgres(url, log)
    onTestFinished(() => later.close())
    const ignore = later.jobs.onSend(() => undefined)
    const line = /announces no new swaps.* session mode$/
    await vi.waitFor(() => expect(logged).toContainEqual(expect.stringMatching(line)), { timeout: 30_000 })
    ignore()
  })

  it('logs once that the queue can’t use the database, however often it tries', async () => {
    let failed = 0
    let isAway = false
    const query: Sql['query'] = (statement, values) => {
      if (!isAway) return db.query(statement, values)
      failed += 1
      return Promise.reject(new DatabaseUnavailable('it is away'))
    }
    const jobs = bossJobs({ query }, () => Promise.resolve(), log)
    await jobs.onDeadLetter(() => Promise.resolve())
    isAway = true
    await vi.waitFor(() => expect(failed).toBeGreaterThan(3), { timeout: 30_000 })
    isAway = false
    await jobs.stop()
    expect(logged).toEqual([expect.stringContaining('it is away')])
  })
})
