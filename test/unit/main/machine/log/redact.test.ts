import { describe, expect, it } from 'vitest'
import { redact } from '../../../../../src/main/machine/log/redact.ts'

describe('a line of the log', () => {
  it.each([
    ['X-Service-Apikey: sk-live-12345 rest', 'X-Service-Apikey: … rest'],
    ['{"sk":"abc123"}', '{"sk":"…"}'],
    ['x-admin-token=deadbeef', 'x-admin-token=…'],
    ['GET https://a.example/v.mp4?sig=secret&x=1 failed', 'GET https://a.example/v.mp4?… failed'],
    ['open /home/ada/Movies/x.mp4', 'open ~/Movies/x.mp4'],
    ['open C:\\Users\\Ada\\x.mp4', 'open ~\\x.mp4'],
    ['{\\"key\\":\\"abc123\\"}', '{\\"key\\":\\"…\\"}'],
    ['Authorization: Bearer abc.def-123 rest', 'Authorization: Bearer … rest'],
    ['MIEN_RELEASE_KEY=MC4CAQAw', 'MIEN_RELEASE_KEY=…'],
    ['sent sk-proj_1234567 away', 'sent sk-… away'],
    ['via http://ada:pass@proxy.example:3128', 'via http://…@proxy.example:3128'],
    ['open /home/ada lovelace/x.mp4', 'open ~/x.mp4'],
    ['{"path":"C:\\\\Users\\\\Ada\\\\x.mp4"}', '{"path":"~\\\\x.mp4"}'],
    ['open /srv/homes/grace/x.mp4', 'open ~/x.mp4'],
    ['the task-key of monkeys: none', 'the task-key of monkeys: none'],
    ['nothing to hide', 'nothing to hide'],
    ['PUT /b?X-Amz-Security-Token=abc&x=1', 'PUT /b?X-Amz-Security-Token=…'],
    ['sessionToken: abc', 'sessionToken: …'],
  ])('%j → %j', (line, clean) => expect(redact(line, ['/srv/homes/grace'])).toBe(clean))

  // With a quadratic pattern each of these takes minutes.
  it.each(['A', 'a-', 'key-', '\\', '_'])('of %j again and again is read in time', (part) => {
    const line = part.repeat(400_000 / part.length)
    expect(redact(line, [])).toHaveLength(line.length)
  })
})
