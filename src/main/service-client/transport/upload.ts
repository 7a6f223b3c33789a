/**
 * @file Streams a file to an address with PUT. By node:http and not by fetch: Electron's net.fetch
 * gathers a request's whole body in memory before it sends the first byte.
 */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MienError } from '@shared/errors.ts'
import { fileFailure } from '../../media/file-failure.ts'
import { maxAnswerBytes, parseAnswer, type ReadAnswer } from './http.ts'
import type { TransferOptions } from '../types.ts'

export const inactivityMs = 30_000
const continueMs = 1000

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response) {
    const chunk = part as Buffer // no encoding is set, so chunks are buffers
    bytes += chunk.byteLength
    if (bytes > maxAnswerBytes) break
    parts.push(chunk)
  }
  return Buffer.concat(parts).toString('utf8')
}

/**
 * Any status answers. Rejects with what the socket threw; a file that is not there, goes away or changes meanwhile is
 * `file-missing`, `file-unreachable` or `file-changed`, and what was sent of it is not a whole request.
 */
export async function putFile(
  url: URL,
  path: string,
  headers: Record<string, string>,
  { onProgress, signal }: TransferOptions,
): Promise<ReadAnswer> {
  const facts = await stat(path).catch((error: unknown) => {
    throw fileFailure(error)
  })
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(url, {
    method: 'PUT',
    headers: {
      ...headers,
      'content-type': 'application/octet-stream',
      'content-length': facts.size,
      expect: '100-continue',
    },
    timeout: inactivityMs,
    ...(signal ? { signal } : {}),
  })
  request.on('timeout', () => request.destroy(new MienError('service-timeout', { host: url.host })))
  const answered = new Promise<IncomingMessage>((resolve, reject) =>
    request.once('response', resolve).on('error', reject),
  )
  let bytesDone = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytesDone += chunk.byteLength
      onProgress?.({ bytesDone, bytesTotal: facts.size })
      done(null, chunk)
    },
    flush(done) {
      done(bytesDone === facts.size ? null : new MienError('file-changed'))
    },
  })
  // A refusal (401, 507) is answered before the file is sent: sent at once, the broken pipe would hide the answer.
  // Who does not know "continue" gets the file after a second.
  const wanted = new Promise<void>((resolve) => {
    request.once('continue', resolve)
    setTimeout(resolve, continueMs).unref()
  })
  request.flushHeaders()
  const early = await Promise.race([wanted, answered])
  // The answer counts, however the sending ends.
  if (early === undefined) {
    const file = createReadStream(path, { end: Math.max(0, facts.size - 1) })
    file.on('error', (error) => request.destroy(fileFailure(error)))
    counter.on('error', (error) => request.destroy(error))
    pipeline(file, counter, request).catch(() => undefined)
  }
  const response = await answered
  const text = await readText(response)
  request.destroy()
  // One that has gone since was still sent whole.
  const now = await stat(path).catch(() => facts)
  if (now.size !== facts.size || now.mtimeMs !== facts.mtimeMs) throw new MienError('file-changed')
  return parseAnswer({
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type']?.toLowerCase() ?? '',
    retryAfter: response.headers['retry-after'] ?? null,
    text,
  })
}
