import { expect, it } from 'vitest'
import { withForms } from '../../../scripts/lib/messages.mjs'
import { findProblems, usedKeys } from '../../../scripts/check-language-keys.mjs'

const count = (text: string) => withForms({ other: text })

it.each([
  ['nothing', { en: { hello: 'Hello {name}' }, de: { hello: '{name}, hallo' } }, ['hello'], []],
  [
    'nothing in variants with the same inputs',
    { en: { n: count('{number} faces') }, de: { n: count('ein Gesicht') } },
    ['n'],
    [],
  ],
  ['a key that is used nowhere', { en: { old: 'x' } }, [], ['en: old is used nowhere']],
  ['a key that is used but missing', { en: {} }, ['gone'], ['en: gone is used but missing']],
  ['a key missing in another language', { en: { a: 'x' }, de: {} }, ['a'], ['de: a is missing: "x"']],
  ['a text that is still in English', { en: { a: 'Hi' }, de: { a: 'Hi' } }, ['a'], ['de: a is not translated: "Hi"']],
  ['nothing of words that stay the same', { en: { a: '{n} Video' }, de: { a: '{n} Video' } }, ['a'], []],
  [
    'another order',
    { en: { a: 'A', b: 'B' }, de: { b: 'Be', a: 'Ah' } },
    ['a', 'b'],
    ['de: b is not in the order of en'],
  ],
  ['a key only in another language', { en: {}, de: { a: 'x' } }, [], ['de: a is not in en']],
  [
    'another placeholder',
    { en: { a: '{name}' }, de: { a: '{nmae}' } },
    ['a'],
    ['de: a has {nmae}, not {name} like en'],
  ],
])('findProblems tells %s', (_, languages, used, problems) => {
  expect(findProblems(languages, 'en', new Set(used))).toEqual(problems)
})

it('findProblems leaves out the schema of a file', () => {
  expect(findProblems({ en: { $schema: 'https://example.org' }, de: {} }, 'en', new Set())).toEqual([])
})

it.each([['Hello {name}'], [[{ match: { 'name=*': '{name}' } }]]])(
  'withForms leaves other messages as they are',
  (message) => {
    expect(withForms(message)).toBe(message)
  },
)

it('withForms declares what the forms of a count need', () => {
  expect(withForms({ one: '{name}: one', '*': '{name}: {number}' })).toEqual([
    {
      declarations: ['input count', 'input name', 'local plural = count: plural', 'local number = count: number'],
      selectors: ['plural'],
      match: { 'plural=one': '{name}: one', 'plural=*': '{name}: {number}' },
    },
  ])
})

it('usedKeys finds keys called and handed on, and no members of other names', () => {
  expect(usedKeys('m.a(), { x: m.b_2 }, item.c, form.m.d, ${m.e()}')).toEqual(['a', 'b_2', 'e'])
})
