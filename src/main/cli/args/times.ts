/** @file Times and ranges on the command line. Pure. */
import { m } from '@shared/i18n/paraglide/messages.js'
import { MienError, usage } from '@shared/mien-error.ts'
import type { Range } from '@shared/people/people.ts'
import { rangeProblem, readTime } from '@shared/people/range.ts'

/** For a part without an end; later than any video ends. */
const endMs = Number.MAX_SAFE_INTEGER

/** @throws MienError `usage` */
function timeOf(text: string): number {
  const ms = readTime(text)
  if (ms === null) throw usage(m.cli_time({ text }))
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
  if (rest !== null && rest !== 'keep' && rest !== 'drop')
    throw usage(m.cli_choice({ option: '--rest', one: 'keep', other: 'drop' }))
  const isOne = from !== null || to !== null
  if (isOne && ranges.length > 0) throw usage(m.cli_range_or_from())
  if (!isOne && ranges.length === 0) {
    if (rest !== null) throw usage(m.cli_rest_alone())
    return null
  }
  const parts = ranges.map((text) => {
    const [start, end, more] = text.split('-')
    if (start === undefined || end === undefined || more !== undefined) throw usage(m.cli_range({ text }))
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
