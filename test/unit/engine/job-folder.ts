/** @file A job's folder on the real disk, reached by `fetch` as the engine reaches it; its files are also items. */
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { answerMedia } from '../../../src/main/pages/media-protocol.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

export interface JobFolder {
  /** As the engine is told it. */
  url: string
  path: (name: string) => string
}

/** Takes the place of `fetch` for the rest of the test. */
export function jobFolder(dir = tempDir()): JobFolder {
  vi.stubGlobal('fetch', async (url: string, init?: RequestInit) =>
    answerMedia(new Request(url, init), {
      origin: 'app://engine',
      item: (name) => Promise.resolve(join(dir, name)),
      job: () => dir,
    }).catch(() => new Response(null, { status: 404 })),
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  return { url: 'media://job/mine', path: (name) => join(dir, name) }
}
