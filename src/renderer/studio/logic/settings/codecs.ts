/** @file The codecs that Chromium can decode and encode on this computer, for the diagnostics. */

const videoCodecs = {
  'H.264': 'avc1.640028',
  HEVC: 'hvc1.1.6.L120.90',
  VP8: 'vp8',
  VP9: 'vp09.00.40.08',
  AV1: 'av01.0.08M.08',
} as const
const audioCodecs = { AAC: 'mp4a.40.2', Opus: 'opus', MP3: 'mp3', FLAC: 'flac', Vorbis: 'vorbis' } as const
const frame = { width: 1280, height: 720 }
const sound = { sampleRate: 48_000, numberOfChannels: 2 }

/** Keys are like "H.264 decode". A query that fails counts as unsupported. */
export async function codecReport(): Promise<Record<string, boolean>> {
  const questions: [string, () => Promise<{ supported?: boolean }>][] = [
    ...Object.entries(videoCodecs).flatMap(([name, codec]): typeof questions => [
      [`${name} decode`, () => VideoDecoder.isConfigSupported({ codec, codedWidth: 1280, codedHeight: 720 })],
      [`${name} encode`, () => VideoEncoder.isConfigSupported({ codec, ...frame, bitrate: 4_000_000 })],
    ]),
    ...Object.entries(audioCodecs).flatMap(([name, codec]): typeof questions => [
      [`${name} decode`, () => AudioDecoder.isConfigSupported({ codec, ...sound })],
      [`${name} encode`, () => AudioEncoder.isConfigSupported({ codec, ...sound, bitrate: 128_000 })],
    ]),
  ]
  const answers = await Promise.all(
    questions.map(async ([name, ask]): Promise<[string, boolean]> => {
      try {
        return [name, (await ask()).supported === true]
      } catch {
        return [name, false]
      }
    }),
  )
  return Object.fromEntries(answers)
}
