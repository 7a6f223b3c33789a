import { mkdirSync, readFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { bringInputs } from '../../../../../../src/main/service/cluster/worker/leased-swap.ts'
import { makeJob } from '../../../../../fixtures/cluster.ts'
import { tempPaths } from '../../../../../fixtures/temp-dir.ts'

const face = 'https://example.org/face.jpg'
const video = 'https://example.org/clip.mp4'
const job = makeJob({ image: { kind: 'web', url: face }, video: { kind: 'web', url: video } })

const inDir = tempPaths()
let bring: (answer: (url: string, signal?: AbortSignal | null) => Promise<Response>) => ReturnType<typeof bringInputs>

beforeEach(() => {
  mkdirSync(inDir('input'))
  const free = () => Promise.resolve(1e12)
  const upload = () => Promise.reject(new Error('nothing was uploaded'))
  bring = (answer) => {
    const fetch: typeof globalThis.fetch = (url, init) => answer(new Request(url).url, init?.signal)
    return bringInputs({ upload, fetch, free }, job, [], inDir(), new AbortController().signal)
  }
})

it('are fetched both at once', async () => {
  const asked = Promise.withResolvers<undefined>()
  const paths = await bring(async (url) => {
    // No face before the video is asked for.
    if (url === video) asked.resolve(undefined)
    await asked.promise
    return new Response(url, { headers: { 'content-type': 'application/octet-stream' } })
  })
  expect(readFileSync(paths.cast[0]?.pictures[0] ?? '', 'utf8')).toBe(face)
  expect(readFileSync(paths.video, 'utf8')).toBe(video)
})

it('are not fetched any further when there is no picture', async () => {
  const brought = bring(
    (url, signal) =>
      new Promise((resolve, reject) => {
        if (url === face) resolve(new Response('gone', { status: 404 }))
        const end = (): void => {
          reject(new DOMException('aborted', 'AbortError'))
        }
        if (signal?.aborted) end()
        signal?.addEventListener('abort', end)
      }),
  )
  await expect(brought).rejects.toMatchObject({ code: 'address-refused', details: { status: 404 } })
})
