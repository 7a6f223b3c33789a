/** @file Times and ranges on the command line. Pure. */
import { MienError } from '@shared/mien-error.ts'
import { readTime } from '@shared/part-time.ts'
import type { Range } from '@shared/people.ts'
import { rangeProblem } from '@shared/range.ts'

const usage = (reason: string): MienError => new MienError('usage', { reason })

/** For a part without an end; later than any video ends. */
const endMs = Number.MAX_SAFE_INTEGER

/** @throws MienError `usage` */
function timeOf(text: string): number {
  const ms = readTime(text)
  if (ms === null) throw usage(`${text} isn’t a time, such as 12.5, 1:02.250 or 1:02:03`)
  return ms
}

export interface RangeOptions {
  /** `--range`, `A-B` each. */
  ranges: readonly string[]
  from: string | null
  to: string | null
  rest: string | null
}

/** Null: the whole video. A part without an end goes to the end of any video. @throws MienError `usage`, `range-invalid` */
export function readRange({ ranges, from, to, rest }: RangeOptions): Range | null {
  if (rest !== null && rest !== 'keep' && rest !== 'drop') throw usage('--rest must be keep or drop')
  const isOne = from !== null || to !== null
  if (isOne && ranges.length > 0) throw usage('Use either --range, or --from and --to')
  if (!isOne && ranges.length === 0) {
    if (rest !== null) throw usage('--rest needs --range, --from or --to')
    return null
  }
  const parts = ranges.map((text) => {
    const [start, end, more] = text.split('-')
    if (start === undefined || end === undefined || more !== undefined)
      throw usage(`--range ${text} isn’t two times, such as 0:08.12-0:21.20`)
    return { fromMs: timeOf(start), toMs: timeOf(end) }
  })
  if (isOne) parts.push({ fromMs: from === null ? 0 : timeOf(from), toMs: to === null ? endMs : timeOf(to) })
  const range: Range = { parts, rest: rest ?? 'drop' }
  const problem = rangeProblem(range, null)
  if (problem !== null) throw new MienError('range-invalid', { reason: problem })
  return range
}

/** Gives a part without an end the end of the video. @param durationMs null: unknown */
export const within = (range: Range | null, durationMs: number | null): Range | null =>
  range && {
    ...range,
    parts: range.parts.map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs === endMs ? (durationMs ?? endMs) : toMs })),
  }
