import { describe, expect, it } from 'vitest'
import { parseExactJson, writeExactJson, type JsonObject } from '@shared/service/exact-json.ts'

describe('exact JSON', () => {
  it.each([
    ...['null', 'true', '[]', '{}', '1e308', '-0', '{"a":{"a":{"a":1}},"":0}'],
    ...[' [1, -2.5e3 ,"a",{"b":[false]}] ', '"\\u00e9\\n\\"\\\\\\/\\ud83d\\ude00"'],
  ])('reads %s as JSON.parse does', (text) => expect(parseExactJson(text)).toEqual(JSON.parse(text)))

  it.each([
    // Cut off, or more than a value.
    ...['', ' ', '{', '{"a"}', '"a', 'nul', '1 2'],
    // Of another form.
    ...['[1,]', '{a:1}', '[1}', '01', '1.', '+1', 'NaN', "'a'", '"\t"', '"\\x"', '"\\u12"', '\u00a01'],
  ])('refuses %j, as JSON.parse does', (text) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
    expect(() => parseExactJson(text)).toThrow(SyntaxError)
  })

  it.each([
    ['18446744073709551615', 18446744073709551615n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
  ])('keeps %s to the last digit, there and back', (text, value) => {
    expect(parseExactJson(text)).toBe(value)
    expect(writeExactJson(value)).toBe(text)
  })

  it('writes what it read', () => {
    const text = '{"list":[{"id":18446744073709551615,"x":1.5,"":"\\"é"},{"id":-2,"y":[null,true]}]}'
    expect(writeExactJson(parseExactJson(text))).toBe(text)
  })

  it('ends in a SyntaxError, not in a full stack, when nested too deep', () => {
    expect(() => parseExactJson('['.repeat(1e6))).toThrow(SyntaxError)
    expect(() => parseExactJson('{"a":'.repeat(1e5))).toThrow(SyntaxError)
    expect(() => parseExactJson('['.repeat(1e5) + ']'.repeat(1e5))).toThrow(SyntaxError)
    expect(() => parseExactJson('[[[1]]]', 2)).toThrow(SyntaxError)
    expect(parseExactJson('[[1]]', 2)).toEqual([[1]])
  })

  it('takes __proto__ as a name like any other', () => {
    const value = parseExactJson('{"__proto__":{"admin":true}}') as JsonObject // an object was written
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(value['admin']).toBeUndefined()
    expect(Object.keys(value)).toEqual(['__proto__'])
  })

  it('skips a byte order mark', () => expect(parseExactJson('\ufeff{"a":1}')).toEqual({ a: 1 }))
})
