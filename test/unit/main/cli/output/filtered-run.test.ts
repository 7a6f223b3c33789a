import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Launch } from '../../../../../src/main/cli/args/launch.ts'
import { LibraryLineFilter, needsSecondProcess } from '../../../../../src/main/cli/output/filtered-run.ts'

vi.mock('../../../../../src/main/cli/output/report-error.ts', () => ({
  reportInterrupted: vi.fn(() => Promise.resolve(130)),
}))
vi.mock('node:child_process', async (original) => {
  const real = await original<typeof import('node:child_process')>()
  return { ...real, spawn: vi.fn(real.spawn) }
})

const line = '[OpenH264] this = 0x0x2b740e60e9a0, Warning:bEnableFrameSkip = 0, see [1].\n'
const bar = '\r\u001b[K[###...]  12%'

const delegate = 'Created TensorFlow Lite XNNPACK delegate for CPU.\n'

describe('the filter of libraries’ lines', () => {
  it.each([
    ['nothing else', 'one\ntwo', 'one\ntwo'],
    ['a line of its own', `one\n${line}two\n`, 'one\ntwo\n'],
    ['several lines', `${line}${line}one\n${line}`, 'one\n'],
    ['a line behind a progress bar', `${bar}${line}${bar}`, bar + bar],
    ['a line of WebNN', `one\n${delegate}${bar}${delegate}${line}Creating\n`, `one\n${bar}Creating\n`],
    ['a line that is cut off', `one\n${line.trimEnd()}`, 'one\n'],
    ['a text that only begins like it', 'a [Open', 'a [Open'],
    ['a file of such a name', 'no [OpenH264] film.mp4\n', 'no [OpenH264] film.mp4\n'],
  ])('%s, in one piece or byte by byte', (_what, text, shown) => {
    for (const pieces of [[text], Array.from(text)]) {
      const filter = new LibraryLineFilter()
      expect(pieces.map((piece) => filter.next(piece)).join('') + filter.rest()).toBe(shown)
    }
  })

  it('shows a progress bar at once, though its line is not finished', () => {
    expect(new LibraryLineFilter().next(bar)).toBe(bar)
  })
})

describe.runIf(process.platform !== 'win32')('a second process', () => {
  const isNeeded = (command: string): boolean =>
    needsSecondProcess({ kind: 'cli', cwd: '/', args: [command] }, { DISPLAY: ':0' })

  it.each(['swap', 'submit', 'watch', 'batch', 'mend', 'serve', 'worker', 'list'])('is needed for %s', (command) =>
    expect(isNeeded(command)).toBe(true),
  )
  it.each(['help', '--version'])('is not needed for %s', (command) => expect(isNeeded(command)).toBe(false))

  it('for a window whose stderr a person reads', () => {
    const window: Launch = { kind: 'window', dataDir: null, files: [] }
    expect(needsSecondProcess(window, { MIEN_CLEAN_STDERR: '1' })).toBe(true)
    expect(needsSecondProcess(window, { MIEN_CLEAN_STDERR: '1', MIEN_STDERR: 'other' })).toBe(false)
  })

  describe('that is killed at its end', () => {
    afterEach(() => {
      vi.resetModules()
    })

    it.each([
      ['is not reported again if it has told its code', 'process.send(130)', 0],
      ['is reported if it has not', 'process.send("busy")', 1],
    ])('%s', async (_, answer, reports) => {
      // Another test file may have loaded them with what they start.
      vi.resetModules()
      const { spawn } = await import('node:child_process')
      const { runAgain } = await import('../../../../../src/main/cli/output/filtered-run.ts')
      const { reportInterrupted } = await import('../../../../../src/main/cli/output/report-error.ts')
      const { spawn: real } = await vi.importActual<typeof import('node:child_process')>('node:child_process')
      const script = `process.on('SIGINT', () => ${answer}); process.send('listening'); setInterval(() => {}, 1000)`
      const children: ChildProcess[] = []
      vi.mocked(spawn).mockImplementationOnce((_command, _args, options) => {
        children.push(real(process.execPath, ['-e', script], options))
        return children[0] as ChildProcess
      })
      const handlers = new Map<unknown, () => void>()
      vi.spyOn(process, 'on').mockImplementation((name: unknown, handler: () => void) => {
        handlers.set(name, handler)
        return process
      })
      vi.useFakeTimers({ toFake: ['setTimeout'] })
      const code = runAgain({ kind: 'cli', cwd: '/', args: ['swap', '--json'] })
      const [child] = children
      if (!child) throw new Error('nothing was started')
      await once(child, 'message')
      handlers.get('SIGINT')?.()
      await once(child, 'message')
      vi.advanceTimersByTime(15_000)
      await once(child, 'exit')
      vi.advanceTimersByTime(1000)
      expect(await code).toBe(130)
      expect(reportInterrupted).toHaveBeenCalledTimes(reports)
    })
  })

  it('only once', () => {
    expect(needsSecondProcess({ kind: 'cli', cwd: '/', args: ['list'] }, { MIEN_STDERR: 'other' })).toBe(false)
  })
})
