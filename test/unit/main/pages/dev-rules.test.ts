import { describe, expect, it } from 'vitest'
import { contentSecurityPolicy } from '../../../../src/main/pages/app-path.ts'
import { devPolicy, devServerAddress, isDevAddress } from '../../../../src/main/pages/dev-rules.ts'

const server = new URL('http://127.0.0.1:40123')

describe('the dev server', () => {
  it('is taken from the environment', () => {
    expect(devServerAddress('http://127.0.0.1:40123', false)?.href).toBe('http://127.0.0.1:40123/')
    expect(devServerAddress(undefined, false)).toBeNull()
  })

  it('is never there in a packaged app', () => expect(devServerAddress('http://127.0.0.1:40123', true)).toBeNull())

  it.each([
    ...['', 'https://127.0.0.1:40123', 'http://127.0.0.1', 'http://127.0.0.1:999999', 'http://localhost:40123'],
    ...['http://127.0.0.1:40123/studio', 'http://127.0.0.1:40123@example.com', 'http://example.com:40123'],
  ])('is not %s', (given) => expect(devServerAddress(given, false)).toBeNull())
})

describe('what is relaxed for it', () => {
  it('is one connection in the policy', () => {
    const [before, after] = [contentSecurityPolicy('studio'), devPolicy('studio', server)]
    expect(after).toContain('connect-src ws://127.0.0.1:40123 media:;')
    expect(after.replace(' ws://127.0.0.1:40123', '')).toBe(before)
  })

  it.each([
    ['app://studio/studio/main.ts', true],
    ['ws://127.0.0.1:40123/?token=a', true],
    ['devtools://devtools/bundled/devtools_app.html', true],
    ['http://127.0.0.1:40123/', false],
    ['ws://127.0.0.1:40124/', false],
    ['ws://127.0.0.1.example.com:40123/', false],
    ['wss://127.0.0.1:40123/', false],
    ['app://engine/engine/index.html', false],
  ])('lets a page load %s: %s', (address, expected) => expect(isDevAddress(address, 'studio', server)).toBe(expected))
})
