import { reserveBytes, type FreeBytes } from '../../machine/disk/free-bytes.ts'
import { fetchFile } from '../../machine/transfer/fetch-file.ts'

/** Downloads a face picture or a video from the URL in a create. Rejects as `fetchFile`. */
export const fetchAddress = (
  fetch: typeof globalThis.fetch,
  url: string,
  path: string,
  kind: 'image' | 'video',
  freeBytes: FreeBytes,
  signal: AbortSignal,
): Promise<void> => fetchFile(new URL(url), path, kind, { fetch, signal, reserveBytes, freeBytes, sync: true })
