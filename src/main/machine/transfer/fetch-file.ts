/** @file Downloads a picture or a video from an address that a user entered. */
import { MienError } from '@shared/errors.ts'
import { removeFile } from '../disk/files.ts'
import { DownloadTimeout } from './download-timeout.ts'
import { bodyLength, saveStream, type SaveOptions } from './save-stream.ts'

/** Types of an answer that is a page or a message. */
const otherTypes = /^(?:text\/|application\/(?:json|xhtml|xml|problem))/

export interface FetchOptions extends Omit<SaveOptions, 'total' | 'start' | 'maxBytes'> {
  fetch: typeof globalThis.fetch
  signal: AbortSignal
  /** Max time until the answer begins. */
  answerMs?: number
}

/**
 * Downloads to `path`. Follows redirects to http(s) only, as fetch does. Leaves no file after a failure.
 * @throws MienError `address-silent` (host, seconds), `address-refused` (host, status), `address-not-video` or
 * `picture-unreadable` (host), `cancelled`, those of `saveStream`
 */
export async function fetchFile(
  url: URL,
  path: string,
  kind: 'image' | 'video',
  { fetch, signal, answerMs, ...options }: FetchOptions,
): Promise<void> {
  const { host } = url
  const timeout = new DownloadTimeout(signal, answerMs)
  try {
    const response = await fetch(url, {
      signal: timeout.signal,
      credentials: 'omit',
      headers: { accept: `${kind}/*, */*;q=0.5`, 'accept-encoding': 'identity' },
    })
    if (!response.ok) throw new MienError('address-refused', { host, status: response.status })
    const type = response.headers.get('content-type')?.toLowerCase() ?? ''
    const wrongKind = (): MienError =>
      new MienError(kind === 'video' ? 'address-not-video' : 'picture-unreadable', { host, type: type.slice(0, 60) })
    if (otherTypes.test(type)) throw wrongKind()
    const total = bodyLength(response)
    const size = await saveStream(timeout.chunks(response), path, { total, ...options })
    if (size === 0) throw wrongKind()
    if (total !== null && size !== total) throw new Error(`${size} of ${total} bytes`)
  } catch (error) {
    await removeFile(path)
    if (signal.aborted) throw new MienError('cancelled', {}, { cause: error })
    if (error instanceof MienError) throw error
    throw new MienError('address-silent', { host, seconds: timeout.silentSeconds }, { cause: error })
  } finally {
    timeout.end()
  }
}
