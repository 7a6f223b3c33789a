import { expect, it } from 'vitest'
import { isBetterCover } from '../../../src/renderer/engine/jobs/inspect/inspect-video.ts'

const moment = (faces: number, worth: number): Parameters<typeof isBetterCover>[0] => ({
  faces: Array.from({ length: faces }, () => ({ points: new Float32Array(), presence: 1 })),
  worth,
})

it.each([
  ['one person tells more than none', moment(1, 0), moment(0, 90), true],
  ['two people tell more than one', moment(2, 0), moment(1, 90), true],
  ['of moments with as many people the first one stays', moment(1, 90), moment(1, 0), false],
  ['of moments without a face the one with more to see', moment(0, 90), moment(0, 10), true],
  ['a black frame tells nothing', moment(0, 0), moment(0, 10), false],
])('%s', (_what, one, than, more) => expect(isBetterCover(one, than)).toBe(more))
