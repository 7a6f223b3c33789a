import { describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatBytesOf,
  formatCodec,
  formatDay,
  formatDayInline,
  formatLength,
  formatPosition,
  formatRate,
  formatRoughSpan,
  formatShare,
  formatSpan,
} from '@shared/i18n/format.ts'

describe('sizes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [137_000, '137 kB'],
    [999_600, '1 MB'],
    [1_190_000, '1.2 MB'],
    [18_400_000, '18.4 MB'],
    [340_000_000, '340 MB'],
    [118e9, '118 GB'],
    [-5, '0 B'],
  ])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

  it.each([
    [12_000_000, 31_000_000, '12 of 31 MB'],
    [900_000, 31_000_000, '900 kB of 31 MB'],
    [1_200_000, 9_000_000, '1.2 of 9 MB'],
  ])('%d of %d bytes name a shared unit once', (done, total, text) => expect(formatBytesOf(done, total)).toBe(text))
})

describe('times', () => {
  it.each([
    [6000, '0:06'],
    [6499, '0:06'],
    [68_000, '1:08'],
    [3_725_000, '1:02:05'],
    [0, '0:00'],
  ])('a video of %d ms is %s long', (ms, text) => expect(formatLength(ms)).toBe(text))

  it.each([
    [18.24, '0:18.24'],
    [59.999, '1:00.00'],
    [0, '0:00.00'],
  ])('position %d s is %s', (seconds, text) => expect(formatPosition(seconds)).toBe(text))

  it.each([
    [200, '1 s'],
    [47_300, '47 s'],
    [120_000, '2 min'],
    [128_000, '2 min 8 s'],
    [10_980_000, '3 h 3 min'],
  ])('%d ms that passed are %s', (ms, text) => expect(formatSpan(ms)).toBe(text))

  it.each([
    [12_000, '12 s'],
    [47_000, '45 s'],
    [59_000, '1 min'],
    [128_000, '2 min'],
  ])('an estimate of %d ms is rounded to %s', (ms, text) => expect(formatRoughSpan(ms)).toBe(text))

  it('names today, yesterday, a weekday, then the date', () => {
    const now = new Date(2026, 10, 20, 9, 41).getTime()
    const day = (year: number, month: number, date: number): string =>
      formatDay(new Date(year, month, date, 23).getTime(), now)
    expect(day(2026, 10, 20)).toBe('Today')
    expect(day(2026, 10, 19)).toBe('Yesterday')
    expect(day(2026, 10, 14)).toBe('Saturday')
    expect(day(2026, 10, 13)).toBe('13 November')
    expect(day(2026, 9, 3)).toBe('3 October')
    expect(day(2025, 9, 3)).toBe('3 October 2025')
    expect(formatDayInline(now, now)).toBe('today')
  })
})

it('never says 100% before the end', () => {
  expect([0, 0.624, 0.999, 1].map(formatShare)).toEqual(['0%', '62%', '99%', '100%'])
})

it('gives a rate a decimal only where it says something', () => {
  expect([8.24, 25, 92.4].map(formatRate)).toEqual(['8.2', '25', '92'])
})

it.each([
  ['XVID', 'MPEG-4 Visual'],
  ['DIV3', 'Microsoft MPEG-4'],
  ['V_MPEG4/ISO/ASP', 'MPEG-4 Visual'],
  ['V_MPEG2', 'MPEG-2'],
  ['apch', 'ProRes'],
  ['wma', 'WMA'],
  ['V_SNOW', 'SNOW'],
  ['avc1.64001f', 'H.264'],
  ['hev1', 'HEVC'],
  ['vp09.00', 'VP9'],
  ['aac', 'AAC'],
  ['pcm-s24be', 'PCM'],
  ['xyz1', 'XYZ1'],
])('a codec with the code %s is called %s', (code, name) => expect(formatCodec(code)).toBe(name))
