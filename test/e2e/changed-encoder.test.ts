/** @file An encoder that changes its parameter sets in the middle of a swap: Chromium decodes the joined file as it decodes the parts. */
import { copyFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { MediaOutput } from '../../src/renderer/engine/media/encode/media-output.ts'
import { bytesOf } from '../../src/renderer/engine/media/encode/avc-config.ts'
import { clips } from '../fixtures/clip.ts'
import { packetsOf } from '../fixtures/media-facts.ts'
import { jobFolder } from '../unit/engine/job-folder.ts'
import { openItem, segmentsOf, videoOf } from '../unit/engine/segments-of.ts'
import { openStudio } from './seeded.ts'

const studio = openStudio()

/** A digest of each picture of a file, as Chromium's decoder makes it. */
async function pictures(page: Page, path: string): Promise<string[]> {
  const video = await videoOf(path)
  const config = await video.getDecoderConfig()
  const packets = (await packetsOf(video)).map(({ type, data }) => ({
    type,
    data: Buffer.from(data).toString('base64'),
  }))
  const description = config?.description ? Buffer.from(bytesOf(config.description)).toString('base64') : ''
  return page.evaluate(decode, { codec: config?.codec ?? '', description, packets })
}

/** Runs in the page. */
async function decode(video: {
  codec: string
  description: string
  packets: { type: 'key' | 'delta'; data: string }[]
}): Promise<string[]> {
  const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (each) => each.charCodeAt(0))
  const digests: Promise<string>[] = []
  const digest = async (frame: VideoFrame): Promise<string> => {
    const pixels = new Uint8Array(frame.allocationSize())
    await frame.copyTo(pixels)
    frame.close()
    return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest('SHA-256', pixels))))
  }
  const failed = Promise.withResolvers<never>()
  const decoder = new VideoDecoder({
    output: (frame) => digests.push(digest(frame)),
    error: failed.reject,
  })
  const config = { codec: video.codec, description: bytes(video.description), hardwareAcceleration: 'prefer-software' }
  // The literal is widened to a string.
  decoder.configure(config as VideoDecoderConfig)
  for (const [index, { type, data }] of video.packets.entries()) {
    decoder.decode(new EncodedVideoChunk({ type, timestamp: index * 40_000, data: bytes(data) }))
  }
  await Promise.race([decoder.flush(), failed.promise])
  return Promise.all(digests)
}

it('leaves every picture as in the parts', async () => {
  const folder = jobFolder()
  copyFileSync(clips.patterns[0] ?? '', folder.path('clip'))
  const media = await openItem('clip')
  const output = await MediaOutput.open(folder.url, { ...media, facts: { ...media.facts, frames: 20 } })
  const configs = []
  for (const [index, part] of clips.patterns.entries()) {
    for (const segment of await segmentsOf(await videoOf(part), 10, index)) {
      configs.push(segment.config.description)
      await output.add(segment)
    }
  }
  await output.finish()
  expect(configs[0]).not.toEqual(configs[1])
  const [first, second] = await Promise.all(clips.patterns.map((part) => pictures(studio.page, part)))
  expect(new Set([...(first ?? []), ...(second ?? [])]).size).toBe(20)
  expect(await pictures(studio.page, folder.path('output.mp4'))).toEqual([...(first ?? []), ...(second ?? [])])
})
