/**
 * @file The thread that signs files and reads credentials. It starts when there is something to do, and ends when it
 * had nothing to do for a while: its code takes 30 MB of memory.
 */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { brotliDecompress } from 'node:zlib'
import { Turns } from '@shared/turns.ts'
import type { Answer, Job, Results } from './worker-contract.ts'

const decompress = promisify(brotliDecompress)

/** How long the thread waits for more work. */
const idleMs = 20_000

interface Waiting {
  resolve: (result: Results[keyof Results]) => void
  reject: (error: unknown) => void
}

/** The library failed, or its thread ended: this file can't be signed or read. */
export class C2paFailure extends Error {}

/** A file that has no place for credentials. */
export class UnfitFile extends Error {}

export class C2paThread {
  readonly #script: string
  readonly #wasm: string
  #module: Promise<WebAssembly.Module> | null = null
  #worker: Worker | null = null
  /** Of the job that runs. */
  #waiting: Waiting | null = null
  readonly #turns = new Turns()
  #idle: NodeJS.Timeout | null = null
  #isDisposed = false

  /** @param paths of the thread's script and of the library's WebAssembly, which may be compressed (`.br`) */
  constructor({ script, wasm }: { script: string; wasm: string }) {
    this.#script = script
    this.#wasm = wasm
  }

  /**
   * Runs a job after those before it.
   * @throws C2paFailure, file system errors, the reason of `signal`
   */
  run<J extends Job>(job: J, signal?: AbortSignal): Promise<Results[J['kind']]> {
    return this.#turns.run('', () => this.#ask(job, signal))
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true
    await this.#end()
  }

  async #ask<J extends Job>(job: J, signal?: AbortSignal): Promise<Results[J['kind']]> {
    signal?.throwIfAborted()
    if (this.#idle) clearTimeout(this.#idle)
    const stop = (): void => void this.#end()
    signal?.addEventListener('abort', stop)
    try {
      const worker = await this.#start()
      return await new Promise<Results[J['kind']]>((resolve, reject) => {
        this.#waiting = { resolve: resolve as Waiting['resolve'], reject }
        worker.postMessage(job)
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    } finally {
      signal?.removeEventListener('abort', stop)
      this.#idle = setTimeout(() => void this.#end(), idleMs).unref()
    }
  }

  async #start(): Promise<Worker> {
    this.#module ??= readFile(this.#wasm)
      .then((bytes) => (this.#wasm.endsWith('.br') ? decompress(bytes) : bytes))
      .then((bytes) => WebAssembly.compile(new Uint8Array(bytes)))
    const workerData = await this.#module
    if (this.#isDisposed) throw new C2paFailure('Mien is quitting')
    if (this.#worker) return this.#worker
    const worker = new Worker(this.#script, { workerData, name: 'credentials' })
    worker.unref()
    worker.on('message', (answer: Answer) => {
      if (this.#worker === worker) this.#take(answer)
    })
    const ended = (cause: unknown): void => {
      if (this.#worker === worker) void this.#end(cause)
    }
    worker.on('error', ended)
    worker.on('exit', ended)
    this.#worker = worker
    return worker
  }

  #take(answer: Answer): void {
    const waiting = this.#waiting
    this.#waiting = null
    if ('result' in answer) {
      waiting?.resolve(answer.result)
      return
    }
    const { name, message, code } = answer.failure
    if (name === 'UnfitMp4') waiting?.reject(new UnfitFile(message))
    else waiting?.reject(code === null ? new C2paFailure(message) : Object.assign(new Error(message), { code }))
    // After a trap the library's memory can't be used any more.
    if (name === 'RuntimeError') void this.#end()
  }

  async #end(cause?: unknown): Promise<void> {
    if (this.#idle) clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = null
    this.#module = null
    this.#waiting?.reject(new C2paFailure('The thread ended', { cause }))
    this.#waiting = null
    await worker?.terminate()
  }
}
