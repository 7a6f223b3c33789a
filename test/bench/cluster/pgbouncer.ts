/** @file PgBouncer of Debian's packages on 127.0.0.1, in front of a PostgreSQL of the tests. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { asRoot, asUser } from '../../fixtures/as-user.ts'
import { freePort } from '../../fixtures/listen.ts'

/** PgBouncer refuses to run as root. */
const nobody = { uid: 65_534, gid: 65_534 }
const patienceMs = 10_000

export class PgBouncer {
  private readonly dir: string
  private readonly port: number
  private readonly process: ChildProcess

  private constructor(dir: string, port: number, process: ChildProcess) {
    this.dir = dir
    this.port = port
    this.process = process
  }

  /** @param url of any database of the server @param mode `session` or `transaction` */
  static async start(url: string, mode: string): Promise<PgBouncer> {
    const dir = mkdtempSync(join(tmpdir(), 'mien-pgbouncer-'))
    const [port, server] = [await freePort(), new URL(url)]
    const settings = {
      ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', pool_mode: mode },
      ...{ auth_type: 'scram-sha-256', auth_file: join(dir, 'users.txt') },
      ...{
        max_client_conn: 500,
        default_pool_size: 100,
        stats_period: 3600,
        log_connections: 0,
        log_disconnections: 0,
      },
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${String(value)}`)
    const databases = `[databases]\n* = host=${server.hostname} port=${server.port}\n\n[pgbouncer]\n`
    writeFileSync(join(dir, 'pgbouncer.ini'), `${databases}${lines.join('\n')}\n`, { mode: 0o600 })
    writeFileSync(join(dir, 'users.txt'), `"${server.username}" "${server.password}"\n`, { mode: 0o600 })
    if (asRoot)
      for (const name of ['.', 'pgbouncer.ini', 'users.txt']) chownSync(join(dir, name), nobody.uid, nobody.gid)
    const [program, args] = asUser(nobody, ['/usr/sbin/pgbouncer', '--quiet', join(dir, 'pgbouncer.ini')])
    const bouncer = new PgBouncer(dir, port, spawn(program, args, { cwd: '/', stdio: 'inherit' }))
    await bouncer.ready()
    return bouncer
  }

  private async ready(): Promise<void> {
    process.once('exit', () => {
      this.process.kill('SIGKILL')
    })
    const end = Date.now() + patienceMs
    for (;;) {
      const socket = connect(this.port, '127.0.0.1')
      const isOpen = await once(socket, 'connect').then(
        () => true,
        () => false,
      )
      socket.destroy()
      if (isOpen) return
      if (Date.now() > end) throw new Error('PgBouncer didn’t start')
      await wait(50)
    }
  }

  /** Address of a database through it. */
  through(url: string): string {
    return Object.assign(new URL(url), { port: String(this.port) }).href
  }

  async stop(): Promise<void> {
    this.process.kill('SIGQUIT')
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'exit')
    rmSync(this.dir, { recursive: true })
  }
}
