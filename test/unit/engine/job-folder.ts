/** @file A job's folder on the real disk, reached by `fetch` as the engine reaches it; its files are also items. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { answerMedia } from '../../../src/main/pages/media-protocol.ts'

export interface JobFolder {
  /** As the engine is told it. */
  url: string
  path: (name: string) => string
  remove: () => void
}

/** Takes the place of `fetch` until it is removed. */
export function jobFolder(): JobFolder {
  const dir = mkdtempSync(join(tmpdir(), 'mien-job-'))
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) =>
    answerMedia(new Request(url, init), {
      origin: 'app://engine',
      item: (name) => Promise.resolve(join(dir, name)),
      job: () => dir,
    }).catch(() => new Response(null, { status: 404 })),
  )
  return {
    url: 'media://job/mine',
    path: (name) => join(dir, name),
    remove: () => {
      vi.unstubAllGlobals()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
