import { describe, expect, it } from 'vitest'
import { nameFrom, templateProblem } from '../../../../src/shared/files/name-template.ts'

const facts = {
  title: 'Launch day',
  faces: ['mona-lisa.jpg'],
  target: 'astronaut_clip.mp4',
  people: ['Eileen'],
  at: new Date(2026, 10, 3, 9, 5).getTime(),
  batch: { number: 7, count: 120 },
}

describe('a name from a template', () => {
  it.each([
    ['{title}', 'Launch day'],
    ['{target}, {face} {date}', 'Astronaut clip, Mona Lisa 2026-11-03'],
    ['{date} {time} – {person}', '2026-11-03 09.05 – Eileen'],
    ['{n} {title}', '007 Launch day'],
    ['Client A', 'Client A'],
    // A template with a problem counts as the default one.
    ['{titel}', 'Launch day'],
  ])('%s → %s', (template, name) => expect(nameFrom(template, facts)).toBe(name))

  it.each([
    ['{title}, {person}', 'Launch day'],
    ['{person}, {title}', 'Launch day'],
    ['{title} – {person} – {date}', 'Launch day – 2026-11-03'],
    ['{person}', 'Swap'],
  ])('%s without a person → %s', (template, name) => expect(nameFrom(template, { ...facts, people: [] })).toBe(name))

  it('names each face once, and is safe on every system', () => {
    expect(nameFrom('{face}', { ...facts, faces: ['a.jpg', 'b.png', 'a.jpg'] })).toBe('A + B')
    expect(nameFrom('{title}', { ...facts, title: 'CON' })).toBe('Swap CON')
    expect(nameFrom('{title}{face}', { ...facts, title: '👩'.repeat(60) })).toHaveLength(80)
  })
})

it.each([
  ['{title}', null],
  ['', { kind: 'empty', what: '' }],
  ['   ', { kind: 'empty', what: '' }],
  ['x'.repeat(201), { kind: 'long', what: '' }],
  ['{title} {name}', { kind: 'field', what: '{name}' }],
  ['{title', { kind: 'brace', what: '{' }],
  ['title}', { kind: 'brace', what: '}' }],
  ['{title}/{face}', { kind: 'character', what: '/' }],
  ['{title}: {face}', { kind: 'character', what: ':' }],
])('the problem of the template %j is %j', (template, problem) => expect(templateProblem(template)).toEqual(problem))
