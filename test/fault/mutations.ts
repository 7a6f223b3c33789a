/**
 * @file Answers with random damage through everything that reads one. What comes out is a task, a typed error or a
 * SyntaxError, and soon. Seeded, so that it repeats.
 */
import { MienError } from '@shared/errors.ts'
import { parseExactJson, writeExactJson, type Json } from '@shared/service/exact-json.ts'
import { outcomeOfAnswer } from '../../src/main/remote/client/parsing/outcomes.ts'
import { unwrap, errorInEnvelope, errorOfAnswer } from '../../src/main/remote/client/parsing/answers.ts'
import { readKeys } from '../../src/main/remote/client/parsing/read-keys.ts'
import { readTasks, resolver } from '../../src/main/remote/client/parsing/read-task.ts'
import { seeded } from './random.ts'

const whole = `{"code":0,"message":"ok","data":{"list":[{"id":{},"objectId":"a1","userId":18446744073709551615,"status":"processing",
"createdAt":"2026-11-20T06:00:00.123Z","updatedAt":1795154400,"error":"","progress":0.5,"errorCode":"no-face-in-video","errorDetails":{"name":"x"},
"Footage":{"id":7,"cover":"/f.jpg"},"Video":{"videoUrl":"https://o/v.mp4","avatars":"[\\"https://o/1.jpg\\"]","width":1280},
"work":{"stage":"swapping","framesDone":1,"framesTotal":2,"framesSwapped":1,"workFps":9.5,"preview":null,"result":null}}]}}`
const bits = [
  ...['null', '{}', '[]', '"', '\\', ',', '}', ']', '{"list":', '[[[[', '-1', '1e999', '99999999999999999999999'],
  ...['\u0000', '€', '"code":500', 'true', '\ud800', '"__proto__":', '\\u0000', '0001-01-01', '-0', '1E-9'],
]
/** Now and then one of these, so that size and depth count too. */
const heavy = [
  (n: number) => '['.repeat(n),
  (n: number) => '{"a":'.repeat(n),
  (n: number) => '9'.repeat(n),
  (n: number) => '\\\\'.repeat(n),
  (n: number) => `"${' '.repeat(n)}`,
  (n: number) => '{"objectId":"a1"},'.repeat(n / 10),
]

function mutate(next: () => number): string {
  let text = whole
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(next() * list.length)]
  for (let n = 1 + Math.floor(next() * 4); n > 0; n--) {
    const at = Math.floor(next() * text.length)
    const length = Math.floor(next() * next() * 60)
    const bit = next() < 0.7 ? (pick(bits) ?? '') : text.slice(at, at + length)
    text = text.slice(0, at) + bit + text.slice(at + (next() < 0.5 ? length : 0))
  }
  if (next() < 0.005) {
    const at = Math.floor(next() * text.length)
    text = text.slice(0, at) + (pick(heavy)?.(100 + Math.floor(next() * 50_000)) ?? '') + text.slice(at)
  }
  return next() < 0.1 ? text.slice(0, Math.floor(next() * text.length)) : text
}

export interface MutationReport {
  answers: number
  /** How many were JSON still. */
  readable: number
  /** Exceptions that are no typed error, and readings that contradict JSON.parse or themselves; the first few. */
  wrong: string[]
  /** Of the processor, whatever else it has to do. */
  slowestMs: number
}

/** Everything that a client does with an answer's text. @throws whatever should not have been thrown */
function readAll(text: string, next: () => number): boolean {
  const resolve = resolver('https://h/api')
  let json: Json
  try {
    json = parseExactJson(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return false
  }
  const found = unwrap(json, 'list')
  if (found.kind === 'body')
    for (const task of readTasks(found.body, new Set(['a1']), { resolve }).values())
      if (writeExactJson(parseExactJson(task.raw)) !== task.raw) throw new Error('a record that cannot be read again')
  if (found.kind === 'error' && !(errorInEnvelope(found.code, found.message) instanceof MienError))
    throw new Error('an error without a type')
  const contentType = 'application/problem+json'
  const status = 200 + Math.floor(next() * 400)
  const answer = { status, contentType, retryAfter: text.slice(0, 9), text, json }
  if (!(errorOfAnswer(answer) instanceof MienError)) throw new Error('an error without a type')
  if (!['created', 'refused', 'not-sent', 'unclear'].includes(outcomeOfAnswer(answer).kind))
    throw new Error('no outcome')
  readKeys(json)
  return true
}

/** Whether JSON.parse takes a text; it knows no bound on depth, so of deep ones nothing is said. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return !/(?:\[|\{"a":){100}/.test(text)
  } catch {
    return false
  }
}

export function readMutated(answers: number, seed: number): MutationReport {
  const next = seeded(seed)
  const report: MutationReport = { answers, readable: 0, wrong: [], slowestMs: 0 }
  for (let n = 0; n < answers; n++) {
    const text = mutate(next)
    const began = process.cpuUsage()
    try {
      if (readAll(text, next)) report.readable += 1
      else if (isJson(text)) report.wrong.push(`refused, though JSON: ${text.slice(0, 400)}`)
    } catch (error) {
      if (report.wrong.length < 10) report.wrong.push(`${String(error)} in ${text.slice(0, 400)}`)
    }
    const { user, system } = process.cpuUsage(began)
    report.slowestMs = Math.max(report.slowestMs, (user + system) / 1000)
  }
  return report
}
