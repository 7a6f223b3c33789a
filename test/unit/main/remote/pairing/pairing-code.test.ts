import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { readPairingCode, writePairingCode } from '../../../../../src/main/remote/pairing/pairing-code.ts'
import { thrownBy } from '../../../../fixtures/thrown-by.ts'

const content = {
  baseUrl: 'https://swap.studio.example:8443/api',
  key: 'sk-0123456789abcdef-8f2c',
  fingerprint: `sha256/${'Ab3+/'.repeat(8)}Zz9=`,
}
const code = writePairingCode(content)

/** A code of any content, with a right checksum. */
function sealed(value: unknown): string {
  const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
  return `mien-1-${body}-${createHash('sha256').update(body).digest('base64url').slice(0, 8)}`
}

const reasonOf = (text: string): unknown => {
  const error = thrownBy(() => readPairingCode(text))
  return error instanceof MienError ? error.details['reason'] : error
}

describe('a pairing code', () => {
  it('has the documented form, in which a server without our code can write it', () => {
    expect(code).toMatch(/^mien-1-[\w-]+-[\w-]{8}$/)
    expect(code).toBe(sealed(content))
  })

  it('is read as it was written, whatever spaces and line breaks a mail put in', () => {
    expect(readPairingCode(code)).toEqual({ ...content, allowHttp: false })
    const broken = code.replaceAll(/.{30}/g, '$& \r\n\t')
    expect(readPairingCode(`\uFEFF  ${broken}\n`)).toEqual({ ...content, allowHttp: false })
  })

  it('is refused at every length to which it may be cut', () => {
    for (let length = 0; length < code.length; length++) {
      const reason = reasonOf(code.slice(0, length))
      expect(reason, String(length)).toBe(length < 'mien-1-'.length ? 'foreign' : 'incomplete')
    }
  })

  it('is refused with any character changed, left out or doubled', () => {
    const spare = 'AZaz09-_='
    for (let at = 0; at < code.length; at++) {
      const [before, after] = [code.slice(0, at), code.slice(at + 1)]
      for (const other of spare)
        if (other !== code[at]) expect(reasonOf(before + other + after), `${other} at ${at}`).toBeTypeOf('string')
      expect(reasonOf(before + after), `without ${at}`).toBeTypeOf('string')
      expect(reasonOf(before + code.charAt(at).repeat(2) + after), `twice ${at}`).toBeTypeOf('string')
    }
  })

  it.each([
    ['', 'foreign'],
    ['https://swap.example', 'foreign'],
    ['sk-0123456789abcdef', 'foreign'],
    ['mien-0-AAAA-AAAAAAAA', 'foreign'],
    [code.toUpperCase(), 'foreign'],
    ['mien-2-whatever-comes.after', 'newer'],
    [code.replace('mien-1-', 'mien-10-'), 'newer'],
    ['mien-1-', 'incomplete'],
    [`${code}A`, 'incomplete'],
    [sealed('not JSON'), 'foreign'],
    [sealed([]), 'foreign'],
    [sealed({ ...content, key: '' }), 'foreign'],
    [sealed({ ...content, key: 'two\nlines' }), 'foreign'],
    [sealed({ ...content, fingerprint: 'sha1/abc' }), 'foreign'],
    [sealed({ baseUrl: content.baseUrl, key: content.key }), 'foreign'],
    [sealed({ ...content, baseUrl: 'ftp://swap.example' }), 'address'],
    [sealed({ ...content, baseUrl: 'javascript:alert(1)' }), 'address'],
    [sealed({ ...content, baseUrl: 'https://user:password@swap.example' }), 'address'],
    [sealed({ ...content, baseUrl: 'https://swap.example/?x=1' }), 'address'],
    [sealed({ ...content, baseUrl: 'http://swap.example', fingerprint: null }), 'address'],
    [sealed({ ...content, baseUrl: '' }), 'address'],
  ])('%s is refused: %s', (text, reason) => expect(reasonOf(text)).toBe(reason))

  it.each([
    ['http://127.0.0.1:8080', false],
    ['http://localhost', false],
    ['http://192.168.1.5:8080', true],
  ])('leads to %s without encryption, allowed by the code: %s', (baseUrl, allowHttp) => {
    const plain = { baseUrl, key: 'k', fingerprint: null, allowHttp }
    expect(readPairingCode(writePairingCode(plain))).toEqual(plain)
  })
})
