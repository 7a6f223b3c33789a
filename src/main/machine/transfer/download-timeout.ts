/** @file Ends a download that receives nothing for too long. */
import { AwakeTimeout } from '@shared/awake-timeout.ts'

/** Max time between two chunks. */
export const inactivityMs = 30_000

/** Yields a body's chunks. Rejects when the signal aborts, even if the underlying fetch doesn't react. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (!reader) return
  const stop = (): void => {
    reader.cancel().catch(() => undefined)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** Reads UTF-8 text. What is longer than `maxBytes` is cut off. */
export async function readText(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ text: string; isCut: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) return { text, isCut: true }
    text += decoder.decode(chunk, { stream: true })
  }
  return { text: text + decoder.decode(), isCut: false }
}

/** Starts with the request. Doesn't count the computer's sleep. */
export class DownloadTimeout {
  /** For fetch: aborts on timeout, on `end`, or with the caller's signal. */
  readonly signal: AbortSignal
  /** After a timeout: the seconds without data. */
  silentSeconds: number | null = null
  readonly #abort = new AbortController()
  #limitMs = 0
  readonly #timeout = new AwakeTimeout(() => {
    this.silentSeconds = this.#limitMs / 1000
    this.#abort.abort()
  })

  /** @param answerMs max time until `chunks` is called */
  constructor(signal?: AbortSignal, answerMs = inactivityMs) {
    this.signal = AbortSignal.any([this.#abort.signal, ...(signal ? [signal] : [])])
    this.#start(answerMs)
  }

  #start(ms: number): void {
    this.#limitMs = ms
    this.#timeout.start(ms)
  }

  async *chunks({ body }: Response): AsyncGenerator<Uint8Array> {
    this.#start(inactivityMs)
    for await (const chunk of chunksOf(body, this.signal)) {
      this.#start(inactivityMs)
      yield chunk
    }
  }

  /** Call after the download. Cancels what is left of the body. */
  end(): void {
    this.#timeout.stop()
    this.#abort.abort()
  }
}
