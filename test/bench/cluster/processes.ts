/** @file Servers and workers as processes, and creators who use the servers and try again when one is gone. */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import type { TaskItem } from '../../../src/shared/service/wire.ts'
import type { StepTimes } from './step-times.ts'

export interface ProcessOptions {
  role: 'server' | 'worker'
  database: string
  storage: string
  /** For the storage's keys. */
  environment: NodeJS.ProcessEnv
  engineMs: number
  dir: string
}

/** What a process says once it is ready. */
export interface Ready {
  baseUrl: string | null
  /** Only from the first server of a database. */
  adminKey: string | null
}

export class ClusterProcess {
  readonly role: ProcessOptions['role']
  readonly ready: Promise<Ready>
  baseUrl: string | null = null
  readonly #child: ChildProcess
  readonly #dir: string

  constructor(main: string, { environment, ...options }: ProcessOptions) {
    this.role = options.role
    this.#dir = options.dir
    const env = { ...process.env, ...environment }
    this.#child = spawn(process.execPath, [main, JSON.stringify(options)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.ready = this.#read()
    this.ready.catch(() => undefined)
  }

  async #read(): Promise<Ready> {
    const { stdout } = this.#child
    if (!stdout) throw new Error('a process without a pipe')
    for await (const line of createInterface({ input: stdout })) {
      const ready = JSON.parse(line) as Ready
      this.baseUrl = ready.baseUrl
      return ready
    }
    throw new Error(`a ${this.role} ended before it was ready`)
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.baseUrl = null
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill(signal)
    await once(this.#child, 'exit')
  }

  /** Ends a worker. @returns what it spent its time on */
  async steps(): Promise<StepTimes[]> {
    await this.kill('SIGTERM')
    // Written by main.ts.
    return JSON.parse(await readFile(join(this.#dir, 'steps.json'), 'utf8')) as StepTimes[]
  }
}

export class ClusterClient {
  /** Of the servers that run now. */
  private readonly addresses: () => string[]
  private readonly adminKey: string

  constructor(addresses: () => string[], adminKey: string) {
    this.addresses = addresses
    this.adminKey = adminKey
  }

  /** Asks any server until one answers. */
  async ask(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
    for (let tries = 0; ; tries += 1) {
      const all = this.addresses()
      const address = all[Math.floor(Math.random() * all.length)]
      try {
        if (address === undefined) throw new Error('no server runs')
        const answer = await fetch(address + path, init)
        if (answer.ok) return new Response(await answer.arrayBuffer(), answer)
        if (answer.status < 500 && answer.status !== 429) throw new Refused(`${path}: ${await answer.text()}`)
      } catch (error) {
        if (error instanceof Refused || tries > 600) throw error
      }
      await wait(Math.min(1000, 50 * (tries + 1)))
    }
  }

  /** A creator of another client, whose key is in this database, too. */
  known({ key }: Creator): Creator {
    return new Creator(this, key)
  }

  async newCreator(userId: number): Promise<Creator> {
    const answer = await this.ask('/v1/openapi_account/new', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-Admin-Token': this.adminKey },
      body: JSON.stringify({ userId }),
    })
    return new Creator(this, ((await answer.json()) as { sk: string }).sk)
  }
}

class Refused extends Error {}

export class Creator {
  private readonly client: ClusterClient
  readonly key: string

  constructor(client: ClusterClient, key: string) {
    this.client = client
    this.key = key
  }

  private get headers(): Record<string, string> {
    return { 'X-Service-Apikey': this.key }
  }

  /** Returns the path of the file at the service. */
  async upload(name: string, content: Buffer): Promise<string> {
    const body = new Uint8Array(content)
    const answer = await this.client.ask(`/v1/assets/${name}`, { method: 'PUT', headers: this.headers, body })
    return new URL(((await answer.json()) as { url: string }).url).pathname
  }

  /** Creates a swap once, however often it has to ask. */
  async create(title: string, imageUrl: string, videoUrl: string): Promise<string> {
    const answer = await this.client.ask('/v1/faceswap-openapi/create', {
      method: 'POST',
      headers: { ...this.headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: JSON.stringify({ title, imageUrl, videoUrl }),
    })
    return ((await answer.json()) as { objectID: string }).objectID
  }

  async list(ids: string[]): Promise<TaskItem[]> {
    const path = `/v1/faceswap-opanpai/listbyids?objectID=${ids.join(',')}`
    const answer = await this.client.ask(path, { headers: this.headers })
    return ((await answer.json()) as { list: TaskItem[] }).list
  }

  async result(objectId: string): Promise<Buffer> {
    const answer = await this.client.ask(`/v1/results/${objectId}/video.mp4`, { headers: this.headers })
    return Buffer.from(await answer.arrayBuffer())
  }
}
