/** @file Times of a part as people type them. */

/** Reads "0:08.12", "8.12", "1:02:03" or "8,12". @returns milliseconds; null if it is no time */
export function readTime(text: string): number | null {
  const found = /^(?:(?:(\d{1,3}):)?(\d{1,4}):)?(\d{1,7})(?:[.,](\d{1,3}))?$/.exec(text.trim())
  if (!found) return null
  const [, hours, minutes, seconds = '', fraction = ''] = found
  // With minutes, seconds end at 59; with hours, minutes do.
  if ((minutes !== undefined && Number(seconds) > 59) || (hours !== undefined && Number(minutes) > 59)) return null
  const whole = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds)
  return whole * 1000 + Number(fraction.padEnd(3, '0'))
}
