import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasPostgres, PostgresServer, sharedPostgres } from '../../../../fixtures/postgres.ts'

describe.runIf(hasPostgres)('the PostgreSQL of the tests (on Linux only)', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(async () => {
    await server.stop()
    expect(existsSync(server.dir)).toBe(false)
  })

  it('keeps what was committed over a restart and a crash, at one address', async () => {
    await server.query('CREATE TABLE facts AS SELECT 1 AS n')
    await server.restart()
    await server.query('INSERT INTO facts VALUES (2)')
    await server.kill()
    await expect(server.query('SELECT 1')).rejects.toThrow()
    await server.launch()
    expect(await server.query('SELECT n FROM facts ORDER BY n')).toBe('1\n2')
  })

  it('refuses a wrong password', async () => {
    const wrong = server.url.replace(/:\w+@/, ':wrong@')
    await expect(server.query('SELECT 1', wrong)).rejects.toThrow(/password authentication failed/)
  })

  it('is one for all test files of a worker, each with a database of its own', async () => {
    const [one, other] = [await sharedPostgres(), await sharedPostgres()]
    expect(one).toBe(other)
    const database = await one.createDatabase()
    expect(await one.query('SELECT current_database()', database)).toMatch(/^test_/)
    expect(await one.createDatabase()).not.toBe(database)
  })
})
