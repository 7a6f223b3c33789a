/** @file Answers with random damage: what is read is a task or a SyntaxError, never anything else. Seeded, so that it repeats. */
import { expect, it } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { parseExactJson, type ExactJson } from '@shared/exact-json.ts'
import { outcomeOfAnswer } from '../../../src/main/service-client/create-outcome.ts'
import { unwrap } from '../../../src/main/service-client/envelope.ts'
import { errorInEnvelope, errorOfAnswer } from '../../../src/main/service-client/errors.ts'
import { readKeys } from '../../../src/main/service-client/keys.ts'
import { readTasks, resolver } from '../../../src/main/service-client/read-task.ts'

const whole = `{"code":0,"message":"ok","data":{"list":[{"id":{},"objectId":"a1","userId":18446744073709551615,"status":"processing",
"createdAt":"2026-11-20T06:00:00.123Z","updatedAt":1795154400,"error":"","progress":0.5,"errorCode":"no-face-in-video","errorDetails":{"name":"x"},
"Footage":{"id":7,"cover":"/f.jpg"},"Video":{"videoUrl":"https://o/v.mp4","avatars":"[\\"https://o/1.jpg\\"]","width":1280},
"work":{"stage":"swapping","framesDone":1,"framesTotal":2,"framesSwapped":1,"workFps":9.5,"preview":null,"result":null}}]}}`
const bits = [
  'null',
  '{}',
  '[]',
  '"',
  '\\',
  ',',
  '}',
  ']',
  '{"list":',
  '[[[[',
  '-1',
  '1e999',
  '99999999999999999999999',
  '\u0000',
  '€',
  '"code":500',
  'true',
]

/** mulberry32: a small seeded generator. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

function mutate(next: () => number): string {
  let text = whole
  for (let n = 1 + Math.floor(next() * 4); n > 0; n--) {
    const at = Math.floor(next() * text.length)
    const length = Math.floor(next() * next() * 60)
    const bit = next() < 0.7 ? (bits[Math.floor(next() * bits.length)] ?? '') : text.slice(at, at + length)
    text = text.slice(0, at) + bit + text.slice(at + (next() < 0.5 ? length : 0))
  }
  return next() < 0.1 ? text.slice(0, Math.floor(next() * text.length)) : text
}

it('reads 20,000 damaged answers without another exception', () => {
  const next = random(20261120)
  const resolve = resolver('https://h/api')
  let read = 0
  for (let n = 0; n < 20_000; n++) {
    const text = mutate(next)
    let exact: ExactJson
    try {
      exact = parseExactJson(text)
    } catch (error) {
      expect(error).toBeInstanceOf(SyntaxError)
      expect(() => JSON.parse(text) as unknown, text).toThrow()
      continue
    }
    read++
    const { value: json, rawOf } = exact
    const found = unwrap(json, 'list')
    if (found.kind === 'body')
      for (const task of readTasks(found.body, new Set(['a1']), rawOf, resolve).values())
        expect(text).toContain(task.raw)
    if (found.kind === 'error') expect(errorInEnvelope(found.code, found.message)).toBeInstanceOf(MienError)
    const answer = {
      status: 200 + Math.floor(next() * 400),
      contentType: 'application/problem+json',
      retryAfter: text.slice(0, 9),
      text,
      json,
    }
    expect(errorOfAnswer(answer)).toBeInstanceOf(MienError)
    expect(['created', 'refused', 'not-sent', 'unclear']).toContain(outcomeOfAnswer(answer).kind)
    readKeys(json)
  }
  expect(read).toBeGreaterThan(1000)
})
