/** @file Servers and workers as they run on a bare machine: the real engine, real signals, no display. */
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ServiceClient } from '../../src/main/remote/client/service-client.ts'
import { openPostgres } from '../../src/main/service/cluster/database/postgres.ts'
import { migrateTables } from '../../src/main/service/cluster/database/schema.ts'
import { clips, repeatedClip, shortClip } from '../fixtures/clip.ts'
import { mediaFacts, type MediaFacts } from '../fixtures/media-facts.ts'
import { clientOf, createSwap, MienProcess, untilTask } from '../fixtures/mien-server.ts'
import { listen } from '../fixtures/listen.ts'
import { hasPostgres, sharedPostgres } from '../fixtures/postgres.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { runWarm } from './warm.ts'

/** The first start of a server, with a key for a creator. */
async function serve(dir: string, args: string[] = []) {
  const server = new MienProcess(['serve', '--data-dir', 'server', '--port', '0', ...args], dir)
  const [adminKey, address] = [String(await server.told('adminKey')), String(await server.told('address'))]
  const { shown } = await clientOf(address, null, adminKey).newKey(7n)
  return { server, address, client: clientOf(address, shown) }
}

/** Work of unfinished swaps that is stored. Only while no server runs. */
function storedWork(dir: string) {
  const db = new DatabaseSync(join(dir, 'server/server.db'), { readOnly: true })
  const swap = db.prepare('SELECT status, attempt FROM swaps').get()
  const rows = db.prepare(`SELECT name FROM swap_files WHERE name LIKE 'work/segment-%.json' ORDER BY name`).all()
  db.close()
  return { ...swap, first: rows[0]?.['name'] }
}

async function fetched(client: ServiceClient, id: string, out: string): Promise<MediaFacts> {
  const { resultUrl } = await untilTask(client, id, ({ status }) => status === 'succeeded')
  await client.download(resultUrl ?? '', out, { wanted: 'video' })
  return mediaFacts(out)
}

/** Lets everybody in, and answers each statement as if it asked for the version. */
function answerAsPostgres12(socket: Socket): void {
  const message = (kind: string, ...parts: (string | number[])[]): Buffer => {
    const content = Buffer.concat(parts.map((part) => Buffer.from(part as string))) // or its bytes
    const length = Buffer.alloc(4)
    length.writeInt32BE(content.length + 4)
    return Buffer.concat([Buffer.from(kind), length, content])
  }
  const ready = message('Z', 'I')
  const column = [0, 0, 0, 0, 0, 0, 0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0]
  const rows = [
    message('T', [0, 1], 'server_version_num\0', column),
    message('D', [0, 1, 0, 0, 0, 6], '120022'),
    message('C', 'SHOW\0'),
  ]
  socket.once('data', () => {
    socket.write(Buffer.concat([message('R', [0, 0, 0, 0]), ready]))
    socket.on(
      'data',
      (sent) => sent.toString('latin1').startsWith('Q') && socket.write(Buffer.concat([...rows, ready])),
    )
  })
}

// A Windows process can't be asked to stop.
describe.runIf(process.platform !== 'win32')('mien serve on a machine without a display', () => {
  it('is stopped in the middle of a swap, goes on with it, and makes the same frames', { tags: ['long'] }, async () => {
    const dir = tempDir()
    const { server, client, address } = await serve(dir)
    // Takes far longer than to see its progress and to stop the server.
    const clip = await repeatedClip(clips.twelveSeconds, join(dir, 'clip.mp4'), 2)
    const id = await createSwap(client, clip)
    // Behind the first segment.
    await untilTask(client, id, ({ work }) => (work?.framesDone ?? 0) > 50)
    const ran = await server.stop()
    expect(ran, ran.stderr).toMatchObject({ code: 0 })
    expect(storedWork(dir), ran.stderr).toEqual({ status: 'queued', attempt: 1, first: 'work/segment-0000.json' })

    const next = new MienProcess(['serve', '--data-dir', 'server', '--port', new URL(address).port], dir)
    expect(await next.told('address')).toBe(address)
    const resumed = await fetched(client, id, join(dir, 'resumed.mp4'))
    const undisturbed = await fetched(client, await createSwap(client, clip), join(dir, 'whole.mp4'))
    expect(resumed).toEqual(undisturbed)
    // The administrator's key is shown only once.
    expect(next.stdout).not.toContain('admin')
    expect(await next.stop('SIGINT')).toMatchObject({ code: 0 })
  })

  it(
    'ends at once with a second signal when it hangs, and the swap goes on with the next start',
    { tags: ['long'] },
    async () => {
      const dir = tempDir()
      const { server, client, address } = await serve(dir)
      const id = await createSwap(client, await repeatedClip(clips.twelveSeconds, join(dir, 'clip.mp4'), 2))
      await untilTask(client, id, ({ work }) => (work?.framesDone ?? 0) > 110)
      server.hang()
      server.kill('SIGTERM')
      // Sooner, it is the same stop, passed on.
      await delay(1100)
      const ran = await server.stop('SIGINT')
      expect(ran.code, ran.stderr).toBe(130)
      const db = new DatabaseSync(join(dir, 'server/server.db'))
      const [swap] = db.prepare('SELECT status, attempt FROM swaps').all()
      db.close()
      expect(swap).toEqual({ status: 'processing', attempt: 1 })

      const next = new MienProcess(['serve', '--data-dir', 'server', '--port', new URL(address).port], dir)
      expect(await next.told('address')).toBe(address)
      await untilTask(client, id, ({ status }) => status === 'succeeded')
      expect(await next.stop()).toMatchObject({ code: 0 })
    },
  )

  it.each([
    [['--host', '192.0.2.1'], 2, 'This computer has no address 192.0.2.1'],
    [['--database', 'mysql://host/mien', '--storage', 'files'], 2, 'The database’s address isn’t valid'],
    [['--database', 'postgres:///mien', '--storage', 'files'], 2, 'The database’s address isn’t valid'],
    [
      ['--database', 'postgres://mien:geheim@127.0.0.1:1/mien', '--storage', 'files'],
      4,
      /^The database can’t be used\. The database at 127.0.0.1 can’t be reached \(.*\)\. Check its address, .*running\.$/im,
    ],
    [['--database', 'postgres://127.0.0.1:1/mien'], 2, 'MIEN_STORAGE'],
    [['--storage', 'ftp://host/files'], 2, 'The storage has to be a folder'],
  ])('says what is wrong with %j', async (args, code, sentence) => {
    const ran = await runWarm(['serve', '--data-dir', 'server', '--workers', '0', '--port', '0', ...args], {
      cwd: tempDir(),
    })
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toMatch(sentence)
    expect(ran.stderr).not.toContain('geheim')
  })

  it('says that PostgreSQL 12 is too old, and which version it needs', async () => {
    const old = createServer(answerAsPostgres12)
    onTestFinished(() => void old.close())
    const database = `postgres://mien@127.0.0.1:${String(await listen(old))}/mien`
    const ran = await runWarm(['worker', '--database', database, '--storage', 'files'], { cwd: tempDir() })
    expect(ran).toMatchObject({ code: 4, stdout: '' })
    expect(ran.stderr).toContain('is PostgreSQL 12, which is too old. Mien needs PostgreSQL 13 or newer')
  })

  it('says that another program has its port', async () => {
    const other = createServer()
    onTestFinished(() => void other.close())
    const port = String(await listen(other))
    const ran = await runWarm(['serve', '--data-dir', 'server', '--workers', '0', '--port', port], { cwd: tempDir() })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('Another program uses port')
  })
})

describe.runIf(hasPostgres)('a server and a worker with PostgreSQL', () => {
  it('swap together, each in its own process', async () => {
    const dir = tempDir()
    const postgres = await sharedPostgres()
    const places = { MIEN_DATABASE: await postgres.createDatabase(), MIEN_STORAGE: join(dir, 'shared') }
    const server = new MienProcess(['serve', '--data-dir', 'server', '--port', '0', '--workers', '0'], dir, places)
    const [adminKey, address] = [String(await server.told('adminKey')), String(await server.told('address'))]
    const worker = new MienProcess(['worker', '--data-dir', 'worker'], dir, places)
    const { shown } = await clientOf(address, null, adminKey).newKey(7n)
    const client = clientOf(address, shown)
    const clip = await shortClip(join(dir, 'clip.mp4'), 5)
    const made = await fetched(client, await createSwap(client, clip), join(dir, 'out.mp4'))
    const source = await mediaFacts(clip)
    expect([made.frameTimes, made.audio]).toEqual([source.frameTimes, source.audio])
    for (const each of [worker, server]) expect(await each.stop()).toMatchObject({ code: 0 })

    const wrong = new URL(places.MIEN_DATABASE)
    wrong.password = 'geheim'
    // Only the end of a process gives its folder back.
    let folders = 0
    const again = (more: Record<string, string> = {}) =>
      runWarm(['worker', '--data-dir', `refused-${String((folders += 1))}`], {
        cwd: dir,
        env: { ...places, ...more },
      })
    const refused = await again({ MIEN_DATABASE: wrong.href })
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(refused.stderr).toContain('refused the user name or the password')
    expect(refused.stderr).not.toContain('geheim')
    await postgres.query(`CREATE ROLE poor LOGIN PASSWORD 'p'`)
    const poor = new URL(await postgres.createDatabase())
    Object.assign(poor, { username: 'poor', password: 'p' })
    const powerless = await again({ MIEN_DATABASE: poor.href })
    expect(powerless).toMatchObject({ code: 4, stdout: '' })
    const [grants = ''] = /GRANT .* TO poor(?=\.$)/m.exec(powerless.stderr) ?? []
    expect(grants).toContain(`GRANT CREATE ON DATABASE ${poor.pathname.slice(1)} TO poor`)
    const owned = Object.assign(new URL(places.MIEN_DATABASE), { pathname: poor.pathname }).href
    for (const grant of grants.split('; ')) await postgres.query(grant, owned)
    const allowed = openPostgres(poor.href, console.error)
    await migrateTables(allowed).finally(() => allowed.close())
  })
})
