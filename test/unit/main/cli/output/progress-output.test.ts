import { beforeEach, expect, it, vi } from 'vitest'
import { ProgressOutput } from '../../../../../src/main/cli/output/progress-output.ts'

let said = ''
beforeEach(() => {
  said = ''
  vi.useFakeTimers()
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (said += String(text)) !== '')
})

it('says every few seconds that it is alive where stderr is no terminal, and a line for each tenth', () => {
  vi.stubEnv('MIEN_STDERR', 'other')
  const output = new ProgressOutput()
  output.show(0, 'Preparing')
  vi.advanceTimersByTime(11_000)
  output.show(0.01, '1%')
  output.show(0.12, '12%')
  output.show(0.13, '13%')
  vi.advanceTimersByTime(5000)
  output.stop()
  output.show(1, '100%')
  vi.advanceTimersByTime(60_000)
  expect(said.trimEnd().split('\n')).toEqual([
    ...['Preparing', 'Preparing  0:05 so far', 'Preparing  0:10 so far', '12%', '13%  0:16 so far'],
  ])
})

it('is redrawn in a terminal', () => {
  vi.stubEnv('MIEN_STDERR', 'terminal')
  const output = new ProgressOutput()
  output.show(0, 'Preparing')
  output.show(0.01, '1%')
  output.stop()
  expect(said).toBe('\r\u001b[KPreparing\r\u001b[K1%\n')
})
