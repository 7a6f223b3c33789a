import { describe, expect, it } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { parseBaseUrl } from '../../../../../src/main/machine/settings/base-url.ts'
import { thrownBy } from '../../../../fixtures/thrown-by.ts'

describe('a base address', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://api.example.com/swap/v2///', 'https://api.example.com/swap/v2'],
    ['api.example.com/swap', 'https://api.example.com/swap'],
    ['  https://API.example.com:8443  ', 'https://api.example.com:8443'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://localhost:8080/x', 'http://localhost:8080/x'],
    ['http://[::1]:1', 'http://[::1]:1'],
  ])('%j → %j', (text, url) => expect(parseBaseUrl(text, false)).toBe(url))

  it.each([
    ['http://api.example.com', 'http'],
    ['http://127.0.0.1.example.com', 'http'],
    ['https://user:secret@api.example.com', 'credentials'],
    ['https://api.example.com/?key=1', 'query'],
    ['https://api.example.com/#x', 'query'],
    ['ftp://api.example.com', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['data:text/html,hi', 'scheme'],
    ['https://', 'syntax'],
    ['a b', 'syntax'],
    ['', 'syntax'],
  ])('%j is refused for its %s', (text, reason) => {
    const thrown = thrownBy(() => parseBaseUrl(text, false))
    expect(thrown).toBeInstanceOf(MienError)
    expect(thrown).toMatchObject({ code: 'address-invalid', details: { reason } })
    expect(JSON.stringify(thrown)).not.toContain('secret')
  })

  it('takes plain http where the user allows it', () => {
    expect(parseBaseUrl('http://api.example.com', true)).toBe('http://api.example.com')
  })
})
