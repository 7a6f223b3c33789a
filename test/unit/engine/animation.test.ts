import { beforeEach, expect, it, vi } from 'vitest'
import { VideoSampleSink } from 'mediabunny'
import { openAnimation } from '../../../src/renderer/engine/media/demux/animation.ts'
import { packetsOf } from '../../fixtures/media-facts.ts'

/** Every frame is transparent. */
beforeEach(() => {
  vi.stubGlobal(
    'ImageDecoder',
    class {
      close = (): undefined => undefined
      decode = (): Promise<object> => Promise.resolve({ image: { close: this.close } })
    },
  )
})

/** The start of a GIF file, which has its size. */
const bytes = new Uint8Array(32)
bytes.set(new TextEncoder().encode('GIF89a'))
bytes.set([64, 0, 48, 0], 6)

it.each([
  [[100, 100, 100], 300],
  [[100, 20, 730], 850],
  [[1, 65_000], 65_001],
])('frames of %j ms last %i ms, the last one too', async (delays, sum) => {
  const { input, close } = await openAnimation({ name: 'GIF', bytes, delays })
  const video = await input.getPrimaryVideoTrack()
  if (!video) throw new Error('no track')
  expect((await packetsOf(video)).map(({ duration }) => Math.round(duration * 1000))).toEqual(delays)
  expect(await video.computeDuration()).toBeCloseTo(sum / 1000, 6)
  // By its colour space, a decoder finds the animation.
  const [one, two] = [await video.getDecoderConfig(), await video.getDecoderConfig()]
  expect(one).toMatchObject({ codec: 'vp8', codedWidth: 64, codedHeight: 48, colorSpace: { matrix: 'bt709' } })
  expect(one?.colorSpace).toBe(two?.colorSpace)
  close()
})

it('what is transparent is white', async () => {
  const data = new Uint8ClampedArray(64 * 48 * 4)
  const context = {
    fillStyle: '',
    fillRect: () => data.fill(context.fillStyle === '#fff' ? 255 : 0),
    drawImage: () => undefined,
    getImageData: () => ({ data }),
  }
  vi.stubGlobal('OffscreenCanvas', class { getContext = () => context }) // prettier-ignore
  const luma: (number | undefined)[] = []
  vi.stubGlobal(
    'VideoFrame',
    class {
      close = (): undefined => undefined
      constructor(planes: ArrayBuffer, facts: VideoFrameBufferInit) {
        luma.push(new Uint8Array(planes)[0])
        Object.assign(this, facts, { displayWidth: 64, displayHeight: 48 })
      }
    },
  )
  const { input, close } = await openAnimation({ name: 'GIF', bytes, delays: [100, 100] })
  const video = await input.getPrimaryVideoTrack()
  if (!video) throw new Error('no track')
  const sample = await new VideoSampleSink(video).getSample(0)
  sample?.close()
  expect(luma[0]).toBe(235)
  close()
})
