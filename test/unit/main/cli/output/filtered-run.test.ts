import { describe, expect, it } from 'vitest'
import type { Launch } from '../../../../../src/main/cli/args/launch.ts'
import { CodecLineFilter, needsSecondProcess } from '../../../../../src/main/cli/output/filtered-run.ts'

const line = '[OpenH264] this = 0x0x2b740e60e9a0, Warning:bEnableFrameSkip = 0, see [1].\n'
const bar = '\r\u001b[K[###...]  12%'

describe('the filter of the encoder’s lines', () => {
  it.each([
    ['nothing else', 'one\ntwo', 'one\ntwo'],
    ['a line of its own', `one\n${line}two\n`, 'one\ntwo\n'],
    ['several lines', `${line}${line}one\n${line}`, 'one\n'],
    ['a line behind a progress bar', `${bar}${line}${bar}`, bar + bar],
    ['a line that is cut off', `one\n${line.trimEnd()}`, 'one\n'],
    ['a text that only begins like it', 'a [Open', 'a [Open'],
    ['a file of such a name', 'no [OpenH264] film.mp4\n', 'no [OpenH264] film.mp4\n'],
  ])('%s, in one piece or byte by byte', (_what, text, shown) => {
    for (const pieces of [[text], Array.from(text)]) {
      const filter = new CodecLineFilter()
      expect(pieces.map((piece) => filter.next(piece)).join('') + filter.rest()).toBe(shown)
    }
  })

  it('shows a progress bar at once, though its line is not finished', () => {
    expect(new CodecLineFilter().next(bar)).toBe(bar)
  })
})

describe.runIf(process.platform !== 'win32')('a second process', () => {
  it.each([
    ['swap', true],
    ['submit', true],
    ['watch', true],
    ['batch', true],
    ['mend', true],
    ['serve', true],
    ['worker', true],
    ['list', true],
    ['help', false],
    ['--version', false],
  ])('for %s: %s', (command, isNeeded) => {
    expect(needsSecondProcess({ kind: 'cli', cwd: '/', args: [command] }, { DISPLAY: ':0' })).toBe(isNeeded)
  })

  it('for a window whose stderr a person reads', () => {
    const window: Launch = { kind: 'window', dataDir: null, files: [] }
    expect(needsSecondProcess(window, { MIEN_CLEAN_STDERR: '1' })).toBe(true)
    expect(needsSecondProcess(window, { MIEN_CLEAN_STDERR: '1', MIEN_STDERR: 'other' })).toBe(false)
  })

  it('only once', () => {
    expect(needsSecondProcess({ kind: 'cli', cwd: '/', args: ['list'] }, { MIEN_STDERR: 'other' })).toBe(false)
  })
})
