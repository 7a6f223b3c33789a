import { expect, it, vi } from 'vitest'
import { serverLog } from '../../../../../src/main/cli/server/server-log.ts'

it.each([true, false])('the log has a line an event, without secrets (JSON: %s)', (json) => {
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  vi.useFakeTimers({ now: 0 })
  const log = serverLog(json)
  log('postgres://mien:geheim@db/mien is gone', new Error('sk-geheim-1234567\nand admin-token: geheim'))
  log('ready')
  expect(lines).toHaveLength(2)
  expect(lines.join('')).not.toContain('geheim')
  expect(lines[1]).toBe(
    json
      ? '{"time":"1970-01-01T00:00:00.000Z","level":"info","message":"ready"}\n'
      : '1970-01-01T00:00:00.000Z info ready\n',
  )
  if (json) expect(lines[0]?.split('\n')).toHaveLength(2)
})
