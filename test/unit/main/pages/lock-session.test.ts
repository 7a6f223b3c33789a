import { expect, it } from 'vitest'
import { isOwnAddress } from '../../../../src/main/pages/lock-session.ts'

it.each([
  ['app://studio/studio/index.html', true],
  ['media://item/1', true],
  ['app://engine/engine/index.html', false],
  ['https://example.com/', false],
  ['ws://127.0.0.1:40123/', false],
  ['file:///etc/passwd', false],
  ['devtools://devtools/bundled/devtools_app.html', false],
  ['nonsense', false],
])('a page of the studio in a package may load %s: %s', (address, expected) => {
  expect(isOwnAddress(address, 'studio', false)).toBe(expected)
})

it('the developer tools may load themselves where there are any', () => {
  expect(isOwnAddress('devtools://devtools/bundled/devtools_app.html', 'studio', true)).toBe(true)
  expect(isOwnAddress('https://example.com/', 'studio', true)).toBe(false)
})
