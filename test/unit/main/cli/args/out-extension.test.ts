import { expect, it } from 'vitest'
import { checkExtension } from '../../../../../src/main/cli/args/swap-args.ts'

const video = { kind: 'video', codec: 'avc' } as const

it.each(['x.mp4', 'X.MP4'])('a video may be written to %s', (out) => checkExtension(out, video))

it.each(['x.avi', 'x.mov', 'x.webm', 'x.mkv', 'x.txt', 'x', 'x.gif', '.mp4'])(
  'a video may not be written to %s',
  (out) => {
    expect(() => checkExtension(out, video)).toThrow(/\.mp4/)
  },
)
