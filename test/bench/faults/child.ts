/** @file A Mien in another process (see serve.ts), as the runs drive it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Command, Mien, Row, ServiceSpec } from '../../fault/driver.ts'

export interface ChildOptions {
  command: string
  args: string[]
  env: NodeJS.ProcessEnv
}

export class ChildMien implements Mien {
  resultsDir = ''
  /** Settles once it serves, with true; false: it ended before. */
  readonly ready: Promise<boolean>
  /** How it ended; null while it runs. */
  exit: { code: number | null; signal: NodeJS.Signals | null } | null = null
  private readonly child: ChildProcess
  private readonly waiting: ((line: string | null) => void)[] = []
  private readonly exited: Promise<void>
  private errors = ''

  constructor({ command, args, env }: ChildOptions) {
    this.child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
    const { stdin, stdout, stderr } = this.child
    if (!stdin || !stdout || !stderr) throw new Error('A child without pipes')
    stdin.on('error', () => undefined)
    stderr.on('data', (chunk: Buffer) => (this.errors = (this.errors + chunk.toString()).slice(-4000)))
    createInterface({ input: stdout }).on('line', (line) => {
      // Chromium may write lines of its own.
      if (line.startsWith('@')) this.waiting.shift()?.(line.slice(1))
    })
    this.exited = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => {
        this.exit = { code, signal }
        for (const wait of this.waiting.splice(0)) wait(null)
        resolve()
      })
    })
    this.ready = this.line().then((line) => {
      if (line === null) return false
      // Written by serve.ts.
      this.resultsDir = (JSON.parse(line) as { resultsDir: string }).resultsDir
      return true
    })
  }

  /** What it wrote on stderr last. */
  get stderr(): string {
    return this.errors
  }

  private line(): Promise<string | null> {
    if (this.exit) return Promise.resolve(null)
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  private async ask(command: Command): Promise<unknown> {
    const line = this.line()
    this.child.stdin?.write(`${JSON.stringify(command)}\n`)
    const text = await line
    if (text === null) throw new Error(`The child ended during ${command.do}: ${this.errors.slice(-600)}`)
    // Written by serve.ts.
    const answer = JSON.parse(text) as { value: unknown } | { error: string }
    if ('error' in answer) throw new Error(answer.error)
    return answer.value
  }

  // What each command answers is set by the interface both sides are built from.
  addService = (service: ServiceSpec) => this.ask({ do: 'addService', service }) as Promise<string>
  setKey = async (profileId: string, key: string): Promise<void> => {
    await this.ask({ do: 'setKey', profileId, key })
  }
  setBase = async (profileId: string, baseUrl: string): Promise<void> => {
    await this.ask({ do: 'setBase', profileId, baseUrl })
  }
  submit = (profileId: string, title: string) => this.ask({ do: 'submit', profileId, title }) as Promise<string>
  rows = () => this.ask({ do: 'rows' }) as Promise<Row[]>
  crashes = () => this.ask({ do: 'crashes' }) as Promise<number>

  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.exited
  }

  async end(): Promise<void> {
    this.child.stdin?.write('{"do":"end"}\n')
    const late = setTimeout(() => this.child.kill('SIGKILL'), 10_000)
    await this.exited
    clearTimeout(late)
  }
}
