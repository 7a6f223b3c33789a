import { expect, it, vi } from 'vitest'
import { commandLines, reportError } from '../../../../../src/main/cli/output/report-error.ts'
import type { ErrorBody } from '@shared/errors.ts'

vi.mock('electron', () => ({ app: {} }))

const error = (code: ErrorBody['code'], details: ErrorBody['details'] = {}): ErrorBody => ({ code, details })

it.each([
  ['swap', error('usage', { reason: '--out is missing' }), ['--out is missing.', 'Run “mien help swap” for help.']],
  ['fly', error('usage', { reason: 'Unknown command: fly' }), ['Unknown command: fly.', 'Run “mien help” for help.']],
  ['profile add', error('usage', { reason: 'No. Did you mean “x”?' }), ['No. Did you mean “x”?', 'Run “mien help profile” for help.']], // prettier-ignore
  ['swap', error('cancelled'), [expect.stringContaining('Nothing was saved')]],
  ['batch', error('cancelled'), [expect.stringContaining('continue')]],
  ['people', error('cancelled'), ['Cancelled.']],
  ['swap', error('disk-full'), [expect.not.stringContaining('resume')]],
  ['watch', error('disk-full'), [expect.stringContaining('resume')]],
  ['show', error('not-found', { name: 'a' }), ['“a” can’t be found. “mien list” shows what there is.']],
  ['fetch', error('forbidden', { reason: 'open' }), [expect.stringContaining('quit Mien')]],
])('a sentence is true for the command %s: %j', (command, body, lines) =>
  expect(commandLines(command, body)).toEqual(lines),
)

it.each([
  ['terminal', '\r\u001b[KCancelled. '],
  ['other', 'Cancelled. '],
])('on stderr (%s) it has a line of its own, and --json is one object', (kind, start) => {
  vi.stubEnv('MIEN_STDERR', kind)
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation((text) => (said[name] += String(text)) !== '')
  reportError({ command: 'swap', json: true }, error('cancelled'))
  expect(said.stderr.startsWith(start)).toBe(true)
  expect(JSON.parse(said.stdout)).toMatchObject({ taskId: null, status: 'cancelled', output: null })
})
