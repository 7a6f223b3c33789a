import { describe, expect, it } from 'vitest'
import { redact } from '../../../src/main/log/redact.ts'

describe('a line of the log', () => {
  it.each([
    ['X-Service-Apikey: sk-live-12345 rest', 'X-Service-Apikey: … rest'],
    ['{"sk":"abc123"}', '{"sk":"…"}'],
    ['x-admin-token=deadbeef', 'x-admin-token=…'],
    ['GET https://a.example/v.mp4?sig=secret&x=1 failed', 'GET https://a.example/v.mp4?… failed'],
    ['open /home/ada/Movies/x.mp4', 'open ~/Movies/x.mp4'],
    ['open C:\\Users\\Ada\\x.mp4', 'open ~\\x.mp4'],
    ['nothing to hide', 'nothing to hide'],
  ])('%j → %j', (line, clean) => {
    expect(redact(line)).toBe(clean)
  })
})
