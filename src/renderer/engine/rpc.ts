/** @file Calls over a MessagePort: the methods of an object on one side, a promise on the other. */

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
}

/** Answers calls on a port, one after the other. */
export function serve(port: MessagePort, methods: Methods): void {
  let last: Promise<unknown> = Promise.resolve()
  port.onmessage = ({ data }: MessageEvent<Call>) => {
    const { seq, method, args } = data
    last = last.then(async () => {
      const answer: Answer = { seq }
      try {
        // Both ends are built together; the types are checked where `connect` is called.
        answer.value = await methods[method]?.(...(args as never[]))
      } catch (error) {
        answer.error = error instanceof Error ? error.message : String(error)
      }
      port.postMessage(answer)
    })
  }
}

/** The other end: `call('name', args, transfer)`. */
export class Caller<M extends Methods> {
  readonly #port: MessagePort
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>()
  #seq = 0

  constructor(port: MessagePort) {
    this.#port = port
    port.onmessage = ({ data }: MessageEvent<Answer>) => {
      const waiting = this.#waiting.get(data.seq)
      this.#waiting.delete(data.seq)
      if (data.error !== undefined) waiting?.reject(new Error(data.error))
      else waiting?.resolve(data.value as never) // as `serve` on the other end returned it
    }
  }

  call<K extends keyof M & string>(
    method: K,
    args: Parameters<M[K]>,
    transfer: Transferable[] = [],
  ): Promise<Awaited<ReturnType<M[K]>>> {
    this.#seq += 1
    const seq = this.#seq
    return new Promise((resolve, reject) => {
      this.#waiting.set(seq, { resolve, reject })
      this.#port.postMessage({ seq, method, args } satisfies Call, transfer)
    })
  }
}
