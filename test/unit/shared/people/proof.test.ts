import { describe, expect, it } from 'vitest'
import type { Moment, Range } from '@shared/people/people.ts'
import { chooseParts, type ProofPart } from '@shared/people/proof.ts'

const clip = (id: number, fromMs: number, toMs: number) => ({ id, fromMs, toMs, faceId: '' })
const moment = (kind: Moment['kind'], atMs: number, score: number, clipId = 0): Moment => ({
  kind,
  atMs,
  score,
  clipId,
})
const person = (id: string, ...clipIds: number[]) => ({ id, name: null, clipIds })
const rangeOf = (...parts: [number, number][]): Range => ({
  rest: 'drop',
  parts: parts.map(([fromMs, toMs]) => ({ fromMs, toMs })),
})
const told = (parts: readonly ProofPart[]) =>
  parts
    .map(({ kind, personId, fromMs, toMs }) => `${kind} ${personId ?? '-'} ${String(fromMs)}-${String(toMs)}`)
    .join(', ')

const one = { people: [person('a', 0)], clips: [clip(0, 0, 60_000)] }

describe('the parts of a proof', () => {
  it('are the hardest moments, of different kinds first, in order', () => {
    const moments = [
      moment('turned', 30_000, 0.9),
      moment('turned', 10_000, 0.8),
      moment('fast', 50_000, 0.4),
      moment('light', 20_000, 0.5),
    ]
    expect(told(chooseParts(60_000, null, { ...one, moments }, ['a']))).toBe(
      'light a 19250-20750, turned a 29250-30750, fast a 49250-50750',
    )
  })

  it('are apart, within the range, and as long as it allows', () => {
    const moments = [moment('turned', 10_100, 0.9), moment('fast', 10_900, 0.8), moment('light', 30_000, 1)]
    const found = chooseParts(60_000, rangeOf([10_000, 11_000], [13_000, 17_000]), { ...one, moments }, ['a'])
    expect(told(found)).toBe('turned a 10000-11000, clear a 13050-14550, clear a 15450-16950')
  })

  it('show everybody who is swapped, and nobody else', () => {
    const video = {
      people: [person('a', 0), person('b', 1), person('c', 2)],
      clips: [clip(0, 0, 20_000), clip(1, 20_000, 40_000), clip(2, 40_000, 60_000)],
      moments: [
        moment('turned', 5000, 1),
        moment('fast', 15_000, 1),
        moment('light', 30_000, 0.2, 1),
        moment('light', 50_000, 1, 2),
      ],
    }
    expect(told(chooseParts(60_000, null, video, ['a', 'b']))).toBe(
      'turned a 4250-5750, fast a 14250-15750, light b 29250-30750',
    )
    // Nothing is hard about c.
    const calm = { ...video, moments: video.moments.slice(0, 2) }
    expect(told(chooseParts(60_000, null, calm, ['a', 'c']))).toContain('clear c 43250-44750')
  })

  it('stay in the shot where it is long enough', () => {
    const video = { people: [person('a', 0)], clips: [clip(0, 10_000, 20_000)], moments: [moment('turned', 10_100, 1)] }
    expect(told(chooseParts(60_000, null, video, []))).toMatch(/^turned a 10000-11500/)
  })

  it('show the main person only, if nobody was chosen', () => {
    const people = [person('a', 0), person('b', 1)]
    const video = {
      people,
      clips: [clip(0, 0, 20_000), clip(1, 20_000, 60_000)],
      moments: [moment('fast', 30_000, 1, 1)],
    }
    const parts = chooseParts(60_000, null, video, [])
    expect(parts.map(({ kind, personId }) => `${kind} ${String(personId)}`)).toEqual(Array(3).fill('clear a'))
  })

  it('are moments in which the main person is seen for long, if none is hard', () => {
    expect(told(chooseParts(60_000, null, { ...one, moments: [] }, []))).toBe(
      'clear a 11250-12750, clear a 29250-30750, clear a 47250-48750',
    )
  })

  it('are spread over the video if nobody is known', () => {
    const nobody = { people: [], clips: [], moments: [] }
    expect(told(chooseParts(10_000, null, nobody, []))).toBe('any - 1250-2750, any - 4250-5750, any - 7250-8750')
    // A short video is shown whole.
    expect(told(chooseParts(900, null, nobody, []))).toBe('any - 0-900')
  })
})
