import { describe, expect, it } from 'vitest'
import { freeName, safeName } from '../../../src/main/tasks/result-name.ts'

describe('a title as a file name', () => {
  it.each([
    ['Launch day', 'Launch day'],
    ['a/b\\c:d*e?f"g<h>i|j', 'a b c d e f g h i j'],
    ['../../etc/passwd', 'etc passwd'],
    ['  ...  ', 'Swap'],
    ['CON', 'CON swap'],
    ['lpt1.txt', 'lpt1.txt swap'],
    ['ends with dots...', 'ends with dots'],
    ['line\nbreak\u0000nul', 'line break nul'],
    ['right\u202eto left', 'right to left'],
    ['Überraschung 日本', 'Überraschung 日本'],
    ['x'.repeat(300), 'x'.repeat(80)],
  ])('%j → %j', (title, name) => {
    expect(safeName(title)).toBe(name)
  })

  it('never takes a name that is there', () => {
    const there = new Set(['Clip.mp4', 'Clip 2.mp4'])
    expect(freeName('Clip', 'mp4', (name) => there.has(name))).toBe('Clip 3.mp4')
    expect(freeName('Other', 'mp4', (name) => there.has(name))).toBe('Other.mp4')
  })
})
