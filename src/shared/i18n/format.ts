/**
 * @file Formats numbers, sizes and times for people, in the language in use. Every unit is in the parameter's name.
 * There is a space between number and unit. Positions in a video are written alike in all languages.
 */
import { m } from './paraglide/messages.js'
import { getLocale } from './paraglide/runtime.js'

/** A format that is made when it is first needed and then kept, by language: making one is slow. */
function kept<F>(make: (locale: string) => F): () => F {
  const made = new Map<string, F>()
  return () => {
    const language = getLocale()
    // British dates and times: 24 hours, the day before the month.
    const format = made.get(language) ?? make(language === 'en' ? 'en-GB' : language)
    made.set(language, format)
    return format
  }
}

const numbers = (options: Intl.NumberFormatOptions) => kept((locale) => new Intl.NumberFormat(locale, options))
const dates = (options: Intl.DateTimeFormatOptions) => kept((locale) => new Intl.DateTimeFormat(locale, options))

/** Formats of the language in use. */
const formats = {
  integer: numbers({ maximumFractionDigits: 0 }),
  oneDecimal: numbers({ maximumFractionDigits: 1 }),
  upToTwoDecimals: numbers({ maximumFractionDigits: 2 }),
  twoDecimals: numbers({ minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  percent: numbers({ style: 'percent' }),
  clock: dates({ hour: '2-digit', minute: '2-digit' }),
  clockSeconds: dates({ hour: '2-digit', minute: '2-digit', second: '2-digit' }),
  dayMonth: dates({ day: 'numeric', month: 'long' }),
  dayMonthYear: dates({ day: 'numeric', month: 'long', year: 'numeric' }),
  weekday: dates({ weekday: 'long' }),
  list: kept((locale) => new Intl.ListFormat(locale, { type: 'conjunction' })),
  alternatives: kept((locale) => new Intl.ListFormat(locale, { type: 'disjunction' })),
  relativeDay: kept((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })),
}

/** 1052 → "1,052". */
export const formatCount = (count: number): string => formats.integer().format(count)

/** "Ada, Lisa and Noor". */
export const formatList = (names: readonly string[]): string => formats.list().format(names)

/** "Ada, Lisa or Noor". */
export const formatOr = (names: readonly string[]): string => formats.alternatives().format(names)

/** "1080 × 720, 25 fps, H.264": facts beside each other, without "and". */
export const formatFacts = (facts: readonly string[]): string => facts.join(m.fact_separator())

/** 8.24 → "8.2", 92.4 → "92": a decimal only below 10. */
export const formatRate = (value: number): string =>
  (value < 10 ? formats.oneDecimal() : formats.integer()).format(value)

const byteUnits = ['', 'k', 'M', 'G', 'T'] as const

/** A size in the largest decimal unit that keeps it at least 1, as file managers and drives use. */
function scaled(bytes: number): { value: number; unit: (typeof byteUnits)[number] } {
  let value = Math.max(0, bytes)
  let unit: (typeof byteUnits)[number] = ''
  for (const next of byteUnits.slice(1)) {
    if (value < 999.5) break
    value /= 1000
    unit = next
  }
  return { value, unit }
}

const amount = ({ value, unit }: ReturnType<typeof scaled>): string =>
  (value < 100 && unit !== '' ? formats.oneDecimal() : formats.integer()).format(value)

/** 1234567 → "1.2 MB". */
export function formatBytes(bytes: number): string {
  const size = scaled(bytes)
  return m.bytes({ amount: amount(size), prefix: size.unit })
}

/** "12 of 31 MB": whole numbers from 10, and the unit only once if both share it. */
export function formatBytesOf(done: number, total: number): string {
  const [part, all] = [scaled(done), scaled(total)]
  if (part.unit !== all.unit) return m.amount_of({ done: formatBytes(done), total: formatBytes(total) })
  const short = (size: typeof part): string => (size.value >= 10 ? formatCount(size.value) : amount(size))
  return m.amount_of({ done: short(part), total: m.bytes({ amount: short(all), prefix: all.unit }) })
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
  return m.seconds_short({ count: (seconds < 1 ? formats.twoDecimals() : formats.oneDecimal()).format(seconds) })
}

const unitTexts = { h: m.hours_short, min: m.minutes_short, s: m.seconds_short }

/** Whole amounts of the largest unit and the next smaller one, without zeros: 128 s → 2 min, 8 s. */
function spanParts(durationMs: number): { count: number; unit: keyof typeof unitTexts }[] {
  const seconds = Math.max(1, Math.round(durationMs / 1000))
  const minutes = Math.floor(seconds / 60)
  const parts = [
    { count: Math.floor(minutes / 60), unit: 'h' as const },
    { count: minutes % 60, unit: 'min' as const },
    ...(minutes < 60 ? [{ count: seconds % 60, unit: 's' as const }] : []),
  ]
  return parts.filter(({ count }) => count > 0)
}

/** A duration: 47_300 → "47 s", 128_000 → "2 min 8 s", 11_000_000 → "3 h 3 min". At least 1 s. */
export const formatSpan = (durationMs: number): string =>
  spanParts(durationMs)
    .map(({ count, unit }) => unitTexts[unit]({ count: formatCount(count) }))
    .join(' ')

/** An estimated duration, rounded to avoid false precision: 47 s → 45 s, 128 s → 2 min. In milliseconds. */
function rough(durationMs: number): number {
  const seconds = durationMs / 1000
  if (seconds < 20) return Math.max(1, Math.round(seconds)) * 1000
  if (seconds < 57.5) return Math.round(seconds / 5) * 5000
  return Math.max(1, Math.round(seconds / 60)) * 60_000
}

/** An estimated duration: 47 s → "45 s", 128 s → "2 min". */
export const formatRoughSpan = (durationMs: number): string => formatSpan(rough(durationMs))

/** An estimated range: "2–4 min", "45 s–2 min"; a single duration if both ends are formatted the same. */
export function formatRoughRange(lowMs: number, highMs: number): string {
  const [low, high] = [rough(lowMs), rough(highMs)]
  if (low === high) return formatSpan(high)
  const [from, ...fromMore] = spanParts(low)
  const [to, ...toMore] = spanParts(high)
  if (from && to && from.unit === to.unit && fromMore.length + toMore.length === 0)
    return unitTexts[to.unit]({ count: `${formatCount(from.count)}–${formatCount(to.count)}` })
  return `${formatSpan(low)}–${formatSpan(high)}`
}

/** 0.624 → "62%". 100% only when done. */
export const formatShare = (share: number): string =>
  formats.percent().format(share >= 1 ? 1 : Math.min(99, Math.floor(Math.max(0, share) * 100)) / 100)

/** 1.25 → "125%". */
export const formatPercent = (factor: number): string => formats.percent().format(factor)

/** 0.25 → "0.25×". */
export const formatSpeed = (factor: number): string => `${formats.upToTwoDecimals().format(factor)}×`

export const formatClock = (atMs: number): string => formats.clock().format(atMs)
export const formatClockSeconds = (atMs: number): string => formats.clockSeconds().format(atMs)

const dayNumber = (atMs: number): number => {
  const date = new Date(atMs)
  return Math.round(new Date(date.getFullYear(), date.getMonth(), date.getDate(), 12).getTime() / 86_400_000)
}

/** A text at the start of a line. */
export const capital = (text: string): string => text.charAt(0).toLocaleUpperCase(getLocale()) + text.slice(1)

/**
 * A day within a sentence: "today", "yesterday", "Monday" within a week, otherwise "3 March", with the year if it
 * isn't the current one.
 */
export function formatDayInline(atMs: number, nowMs: number): string {
  const ago = dayNumber(nowMs) - dayNumber(atMs)
  if (ago === 0 || ago === 1) return formats.relativeDay().format(-ago, 'day')
  if (ago > 1 && ago < 7) return formats.weekday().format(atMs)
  return (
    new Date(atMs).getFullYear() === new Date(nowMs).getFullYear() ? formats.dayMonth() : formats.dayMonthYear()
  ).format(atMs)
}

/** The same as a heading: "Today". */
export const formatDay = (atMs: number, nowMs: number): string => capital(formatDayInline(atMs, nowMs))

/** "3 March 2026". */
export const formatDate = (atMs: number): string => formats.dayMonthYear().format(atMs)

/** One name for several codes, such as AVI's and QuickTime's. */
const namedAlike = (name: string, codes: string): Record<string, string> =>
  Object.fromEntries(codes.split(' ').map((code) => [code, name]))

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
  ...namedAlike('MPEG-4 Visual', 'mp4v xvid divx dx50 fmp4 v_mpeg4/iso/sp v_mpeg4/iso/asp v_mpeg4/iso/ap'),
  ...namedAlike('Microsoft MPEG-4', 'div3 div4 mp41 mp42 mp43 mpg4 v_mpeg4/ms/v3'),
  ...namedAlike('MPEG-1', 'mpg1 v_mpeg1'),
  ...namedAlike('MPEG-2', 'mpg2 m2v1 v_mpeg2'),
  ...namedAlike('WMV', 'wmv1 wmv2 wmv3 wmva wvc1'),
  ...namedAlike('Motion JPEG', 'jpeg mjpg mjpa mjpb v_mjpeg'),
  ...namedAlike('ProRes', 'apcn apch apcs apco ap4h ap4x v_prores'),
  ...namedAlike('H.263', 'h263 s263'),
  ...namedAlike('Theora', 'theo v_theora'),
  ...namedAlike('FFV1', 'v_ffv1'),
  ...namedAlike('RealVideo', 'v_real/rv10 v_real/rv20 v_real/rv30 v_real/rv40'),
  ...namedAlike('DV', 'dvc dvcp dvsd dvpp'),
  ...namedAlike('DNxHD', 'avdn avdh'),
  ...namedAlike('CineForm', 'cfhd'),
  ...namedAlike('AMR', 'samr sawb'),
}

/** A codec's common name: "avc1.64001f" → "H.264"; unknown ones are in capitals, without Matroska's prefix. */
export function formatCodec(codec: string): string {
  const head = codec.split('.')[0] ?? codec
  if (head.startsWith('pcm-')) return 'PCM'
  return codecNames[head.toLowerCase()] ?? head.replace(/^[AV]_/, '').toUpperCase()
}
