/** @file Downloads a face picture or a video from the URL in a create. */
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MienError } from '@shared/errors.ts'
import type { FreeBytes } from '../data/free-bytes.ts'
import { writeStream } from './asset-store.ts'

const inactivityMs = 30_000

function refuseType(kind: 'image' | 'video', type: string, host: string): void {
  if (!/^(?:text\/|application\/(?:json|xhtml|xml|problem))/.test(type)) return
  throw kind === 'video'
    ? new MienError('address-not-video', { host, type: type.slice(0, 60) })
    : new MienError('picture-unreadable', { host, type: type.slice(0, 60) })
}

/** Follows redirects to http(s) only, as fetch does. Rejects with a MienError; `cancelled` after an abort. */
export async function fetchAddress(
  fetch: typeof globalThis.fetch,
  url: string,
  path: string,
  kind: 'image' | 'video',
  free: FreeBytes,
  signal: AbortSignal,
): Promise<void> {
  const { host } = new URL(url)
  const inactivity = new AbortController()
  const timer = setTimeout(() => {
    inactivity.abort()
  }, inactivityMs)
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, inactivity.signal]),
      credentials: 'omit',
      headers: { accept: `${kind}/*, */*;q=0.5`, 'accept-encoding': 'identity' },
    })
    if (!response.ok) throw new MienError('address-refused', { host, status: response.status })
    refuseType(kind, response.headers.get('content-type')?.toLowerCase() ?? '', host)
    const length = response.headers.get('content-encoding') === null ? response.headers.get('content-length') : null
    const { body } = response
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for await (const chunk of body ?? []) {
        timer.refresh()
        yield chunk
      }
    }
    const size = await writeStream(chunks(), path, length === null ? null : Number(length), () => free(dirname(path)))
    if (size === 0) throw new MienError(kind === 'video' ? 'address-not-video' : 'picture-unreadable', { host })
  } catch (thrown) {
    await rm(path, { force: true })
    if (signal.aborted) throw new MienError('cancelled', {}, { cause: thrown })
    if (thrown instanceof MienError && thrown.code !== 'request-refused') throw thrown
    throw new MienError('address-silent', { host }, { cause: thrown })
  } finally {
    clearTimeout(timer)
  }
}
