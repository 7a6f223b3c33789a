/**
 * @file Formats numbers, sizes and times for people. Pure; every unit is in the parameter's name. There is a space
 * between number and unit, but none before %.
 */
const locale = 'en-GB'

const integer = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
const oneDecimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
const clockSeconds = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const dayMonth = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long' })
const dayMonthYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long' })
const list = new Intl.ListFormat(locale, { type: 'conjunction' })
const relativeDay = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })

/** 1052 → "1,052". */
export const formatCount = (count: number): string => integer.format(count)

/** "Ada, Lisa and Noor". */
export const formatList = (names: readonly string[]): string => list.format(names)

/** 8.24 → "8.2", 92.4 → "92": a decimal only below 10. */
export const formatRate = (value: number): string => (value < 10 ? oneDecimal : integer).format(value)

/** Decimal units, as file managers and drives use. 1234567 → "1.2 MB". */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const
  let value = Math.max(0, bytes)
  let unit: string = units[0]
  for (const next of units.slice(1)) {
    if (value < 999.5) break
    value /= 1000
    unit = next
  }
  return `${(value < 100 && unit !== 'B' ? oneDecimal : integer).format(value)} ${unit}`
}

/** "12 of 31 MB": whole numbers from 10, and the unit only once if both share it. */
export function formatBytesOf(done: number, total: number): string {
  const [all = '', unit = ''] = formatBytes(total).split(' ')
  const [part = '', partUnit] = formatBytes(done).split(' ')
  const whole = (text: string): string => (Number(text) >= 10 ? integer.format(Number(text)) : text)
  return partUnit === unit ? `${whole(part)} of ${whole(all)} ${unit}` : `${formatBytes(done)} of ${formatBytes(total)}`
}

const two = (value: number): string => String(value).padStart(2, '0')

/** Length of a video: 6200 → "0:06", 3_725_000 → "1:02:05". */
export function formatLength(durationMs: number): string {
  const seconds = Math.round(Math.max(0, durationMs) / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${String(minutes)}:${two(seconds % 60)}`
  return `${String(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`
}

/** Position in a video to the hundredth: 18.24 s → "0:18.24". */
export function formatPosition(positionSeconds: number): string {
  const hundredths = Math.round(Math.max(0, positionSeconds) * 100)
  const seconds = Math.floor(hundredths / 100)
  return `${formatLength(seconds * 1000)}.${two(hundredths % 100)}`
}

/** Length of a part of a video: 80 → "0.08 s", 13_080 → "13.1 s", 42_000 → "42 s", 73_000 → "1:13". */
export function formatPartLength(durationMs: number): string {
  if (durationMs >= 60_000) return formatLength(durationMs)
  const seconds = durationMs / 1000
  return `${seconds < 1 ? seconds.toFixed(2) : oneDecimal.format(seconds)} s`
}

/** A duration: 47_300 → "47 s", 128_000 → "2 min 8 s", 11_000_000 → "3 h 3 min". At least 1 s. */
export function formatSpan(durationMs: number): string {
  const seconds = Math.max(1, Math.round(durationMs / 1000))
  if (seconds < 60) return `${String(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60)
    return seconds % 60 === 0 ? `${String(minutes)} min` : `${String(minutes)} min ${String(seconds % 60)} s`
  return minutes % 60 === 0
    ? `${String(Math.floor(minutes / 60))} h`
    : `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`
}

/** An estimated duration, rounded to avoid false precision: 47 s → "45 s", 128 s → "2 min". */
export function formatRoughSpan(durationMs: number): string {
  const seconds = durationMs / 1000
  if (seconds < 20) return formatSpan(Math.max(1, Math.round(seconds)) * 1000)
  if (seconds < 57.5) return formatSpan(Math.round(seconds / 5) * 5000)
  return formatSpan(Math.max(1, Math.round(seconds / 60)) * 60_000)
}

/** An estimated range: "2–4 min", "45 s–2 min"; a single duration if both ends are formatted the same. */
export function formatRoughRange(lowMs: number, highMs: number): string {
  const low = formatRoughSpan(lowMs)
  const high = formatRoughSpan(highMs)
  if (low === high) return high
  const [number, unit] = low.split(' ')
  return low.split(' ').length === 2 && high.endsWith(` ${unit ?? ''}`) && high.split(' ').length === 2
    ? `${number ?? ''}–${high}`
    : `${low}–${high}`
}

/** 0.624 → "62%". 100% only when done. */
export const formatShare = (share: number): string =>
  `${String(share >= 1 ? 100 : Math.min(99, Math.floor(Math.max(0, share) * 100)))}%`

/** 1.25 → "125%". */
export const formatPercent = (factor: number): string => `${String(Math.round(factor * 100))}%`

export const formatClock = (atMs: number): string => clock.format(atMs)
export const formatClockSeconds = (atMs: number): string => clockSeconds.format(atMs)

const dayNumber = (atMs: number): number => {
  const date = new Date(atMs)
  return Math.round(new Date(date.getFullYear(), date.getMonth(), date.getDate(), 12).getTime() / 86_400_000)
}

/**
 * Heading of a day: "Today", "Yesterday", "Monday" within a week, otherwise "3 March", with the year if it isn't the
 * current one.
 */
export function formatDay(atMs: number, nowMs: number): string {
  const ago = dayNumber(nowMs) - dayNumber(atMs)
  if (ago === 0 || ago === 1) {
    const text = relativeDay.format(-ago, 'day')
    return text.charAt(0).toUpperCase() + text.slice(1)
  }
  if (ago > 1 && ago < 7) return weekday.format(atMs)
  return (new Date(atMs).getFullYear() === new Date(nowMs).getFullYear() ? dayMonth : dayMonthYear).format(atMs)
}

/** The same within a sentence: "today", "yesterday", "Monday", "3 March". */
export function formatDayInline(atMs: number, nowMs: number): string {
  const day = formatDay(atMs, nowMs)
  return dayNumber(nowMs) - dayNumber(atMs) <= 1 ? day.toLowerCase() : day
}

/** "3 March 2026". */
export const formatDate = (atMs: number): string => dayMonthYear.format(atMs)

const codecNames: Record<string, string> = {
  avc: 'H.264',
  avc1: 'H.264',
  h264: 'H.264',
  hevc: 'HEVC',
  hvc1: 'HEVC',
  hev1: 'HEVC',
  h265: 'HEVC',
  vp8: 'VP8',
  vp9: 'VP9',
  vp09: 'VP9',
  av1: 'AV1',
  av01: 'AV1',
  prores: 'ProRes',
  mpeg4: 'MPEG-4 Visual',
  aac: 'AAC',
  opus: 'Opus',
  mp3: 'MP3',
  vorbis: 'Vorbis',
  flac: 'FLAC',
  ac3: 'AC-3',
  eac3: 'E-AC-3',
  alaw: 'A-law',
  ulaw: 'µ-law',
}

/** A codec's common name: "avc1.64001f" → "H.264"; unknown ones are in capitals. */
export function formatCodec(codec: string): string {
  const head = codec.split('.')[0] ?? codec
  if (head.startsWith('pcm-')) return 'PCM'
  return codecNames[head.toLowerCase()] ?? head.toUpperCase()
}
