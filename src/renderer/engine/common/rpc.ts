/** @file RPC over a MessagePort: `serve` exposes the methods of an object, `Caller` calls them. */
import { MienError, type ErrorBody } from '@shared/mien-error.ts'

type Methods = Record<string, (...args: never[]) => unknown>
type Transferable = ArrayBuffer

interface Call {
  seq: number
  method: string
  args: unknown[]
}

interface Answer {
  seq: number
  value?: unknown
  error?: string
  /** Of a `MienError`. */
  body?: ErrorBody
}

/**
 * Serves calls on a port, one after the other.
 * @param handOver transfer list of a result
 */
export function serve<M extends Methods>(
  port: MessagePort,
  methods: M,
  handOver: (value: Awaited<ReturnType<M[keyof M]>>) => Transferable[] = () => [],
): void {
  let last: Promise<unknown> = Promise.resolve()
  port.onmessage = ({ data }: MessageEvent<Call>) => {
    const { seq, method, args } = data
    last = last.then(async () => {
      try {
        // Both ends are built together, and the types are checked where `Caller` is called.
        const value = (await methods[method]?.(...(args as never[]))) as Awaited<ReturnType<M[keyof M]>>
        port.postMessage({ seq, value } satisfies Answer, handOver(value))
      } catch (error) {
        const body = error instanceof MienError ? { body: error.body } : {}
        const message = error instanceof Error ? error.message : String(error)
        port.postMessage({ seq, error: message, ...body } satisfies Answer)
      }
    })
  }
}

interface Line {
  port: MessagePort
  /** Number of pending calls. */
  open: number
}

/**
 * Calls served methods: `call('name', args, transfer)`. With several ports a call goes to the one with the fewest
 * pending calls, so results must not depend on earlier calls. Errors other than `MienError` arrive as `Error` with the
 * message only.
 */
export class Caller<M extends Methods> {
  readonly #lines: [Line, ...Line[]]
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  #seq = 0
  #failed: Error | null = null

  constructor(...ports: [MessagePort, ...MessagePort[]]) {
    const [first, ...others] = ports
    this.#lines = [this.#listen(first), ...others.map((port) => this.#listen(port))]
  }

  #listen(port: MessagePort): Line {
    const line = { port, open: 0 }
    port.onmessage = ({ data }: MessageEvent<Answer>) => {
      line.open -= 1
      const waiting = this.#waiting.get(data.seq)
      this.#waiting.delete(data.seq)
      if (data.body) waiting?.reject(new MienError(data.body.code, data.body.details))
      else if (data.error !== undefined) waiting?.reject(new Error(data.error))
      else waiting?.resolve(data.value as never) // the type that `serve` returned on the other end
    }
    return line
  }

  call<K extends keyof M & string>(
    method: K,
    args: Parameters<M[K]>,
    transfer: Transferable[] = [],
  ): Promise<Awaited<ReturnType<M[K]>>> {
    if (this.#failed) return Promise.reject(this.#failed)
    this.#seq += 1
    const seq = this.#seq
    return new Promise((resolve, reject) => {
      this.#waiting.set(seq, { resolve, reject })
      const line = this.#lines.reduce((idle, other) => (other.open < idle.open ? other : idle))
      line.open += 1
      line.port.postMessage({ seq, method, args } satisfies Call, transfer)
    })
  }

  /** Rejects all pending and future calls, for when the other end is gone. */
  fail(error: Error): void {
    this.#failed ??= error
    for (const { reject } of this.#waiting.values()) reject(this.#failed)
    this.#waiting.clear()
  }

  /** Closes the ports, so that the other end can free what it serves. Pending calls are never answered. */
  close(): void {
    for (const { port } of this.#lines) port.close()
  }
}
