import { describe, expect, it } from 'vitest'
import { isJsonObject, parseExactJson, writeExactJson, type JsonObject } from '@shared/exact-json.ts'

describe('exact JSON', () => {
  it.each([
    'null',
    'true',
    '[]',
    '{}',
    ' [1, -2.5e3 ,"a",{"b":[false]}] ',
    '"\\u00e9\\n\\"\\\\\\/\\ud83d\\ude00"',
    '{"a":{"a":{"a":1}},"":0}',
    '1e308',
    '-0',
  ])('reads %s as JSON.parse does', (text) => {
    expect(parseExactJson(text).value).toEqual(JSON.parse(text))
  })

  it.each([
    '',
    ' ',
    '{',
    '[1,]',
    '{"a"}',
    '{a:1}',
    '01',
    '1.',
    '+1',
    'nul',
    'NaN',
    "'a'",
    '"a',
    '"\t"',
    '"\\x"',
    '"\\u12"',
    '1 2',
    '[1}',
    '\u00a01',
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
    expect(parseExactJson(text).value).toBe(value)
    expect(writeExactJson(value)).toBe(text)
  })

  it('gives each object as it came', () => {
    const { value, rawOf } = parseExactJson('{ "list" : [ {"id": 18446744073709551615, "x" : 1.0} , {"id":2}] }')
    const list = isJsonObject(value) ? value['list'] : null
    const raws = Array.isArray(list) ? list.filter(isJsonObject).map(rawOf) : []
    expect(raws).toEqual(['{"id": 18446744073709551615, "x" : 1.0}', '{"id":2}'])
  })

  it('ends in a SyntaxError, not in a full stack, when nested too deep', () => {
    expect(() => parseExactJson('['.repeat(1e6))).toThrow(SyntaxError)
    expect(() => parseExactJson('{"a":'.repeat(1e5))).toThrow(SyntaxError)
  })

  it('takes __proto__ as a name like any other', () => {
    const value = parseExactJson('{"__proto__":{"admin":true}}').value as JsonObject // an object was written
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(value['admin']).toBeUndefined()
    expect(Object.keys(value)).toEqual(['__proto__'])
  })

  it('skips a byte order mark', () => {
    expect(parseExactJson('\ufeff{"a":1}').value).toEqual({ a: 1 })
  })
})
