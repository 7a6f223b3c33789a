/** @file The client's pure decisions, as tables. */
import { describe, expect, it } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { parseExactJson, type Json } from '@shared/service/exact-json.ts'
import { batchIds, defaultLimits, smallerLimits } from '../../../../../../src/main/remote/client/parsing/batch.ts'
import { outcomeOfAnswer, networkFailure } from '../../../../../../src/main/remote/client/parsing/outcomes.ts'
import {
  unwrap,
  errorInEnvelope,
  errorOfAnswer,
  findMessage,
  readRetryAfter,
  type Answer,
} from '../../../../../../src/main/remote/client/parsing/answers.ts'
import { readKeys } from '../../../../../../src/main/remote/client/parsing/read-keys.ts'
import {
  endpoint,
  inOrder,
  isWrongPath,
  listPaths,
} from '../../../../../../src/main/remote/client/transport/requests.ts'
import { redirectTarget } from '../../../../../../src/main/remote/client/transport/download-request.ts'
import { readStatus } from '@shared/service/status-words.ts'

const answer = (status: number, body: string, more: Partial<Answer> = {}): Answer => {
  let json: Json | undefined
  try {
    json = parseExactJson(body)
  } catch {
    json = undefined
  }
  return { status, contentType: 'application/json', retryAfter: null, text: body, json, ...more }
}

describe('paths', () => {
  it.each([
    ['http://h', 'http://h/v1/x'],
    ['http://h/', 'http://h/v1/x'],
    ['https://h:8443/api/face', 'https://h:8443/api/face/v1/x'],
    ['https://h/api/face//', 'https://h/api/face/v1/x'],
    ['https://h/api?old=1#there', 'https://h/api/v1/x'],
  ])('puts an operation below %s', (base, url) => expect(endpoint(base, '/v1/x').href).toBe(url))
  it('tries the spelling that worked last first, then the others once', () => {
    expect(inOrder(listPaths, listPaths[2])).toEqual([listPaths[2], listPaths[0], listPaths[1]])
    expect(inOrder(listPaths, undefined)).toEqual([...listPaths])
    expect(inOrder(listPaths, '/v9/made/up')).toEqual([...listPaths])
  })
  it('goes on to the next spelling only where nothing can have been done', () => {
    expect([200, 301, 400, 401, 404, 405, 408, 429, 500, 501, 502, 503].filter(isWrongPath)).toEqual([404, 405, 501])
  })
})

describe('status words', () => {
  it.each([
    ['queued', 'waiting'],
    ['PENDING', 'waiting'],
    ['In Progress', 'processing'],
    ['in_progress', 'processing'],
    ['RUNNING', 'processing'],
    ['completed', 'succeeded'],
    ['TASK_STATUS_SUCCEEDED', 'succeeded'],
    ['Done', 'succeeded'],
    ['error', 'failed'],
    ['timed-out', 'failed'],
    ['canceled', 'cancelled'],
    ['CANCELLED', 'cancelled'],
    ['0', 'waiting'],
    ['2', 'succeeded'],
    ['-1', 'failed'],
    ['verwunschen', 'unknown'],
    ['17', 'unknown'],
    ['constructor', 'unknown'],
    [null, 'unknown'],
  ])('%s is %s', (word, status) => expect(readStatus(word).status).toBe(status))
  it('listens to what the user said first', () => {
    expect(readStatus('Verwunschen', { verwunschen: 'processing' }).status).toBe('processing')
    expect(readStatus('0', { '0': 'succeeded' })).toEqual({ status: 'succeeded', guessed: false })
  })
})

describe('envelopes', () => {
  const list = [{ objectId: 'a' }]
  it.each<[string, Json]>([
    ['the documented body', { list }],
    ['data', { code: 0, message: 'ok', data: { list } }],
    ['result', { code: 200, msg: '', result: { list } }],
    ['text codes', { code: '00000', data: { list } }],
    ['data that is the list', { success: true, data: list }],
    ['a bare list', list],
    ['another case', { List: list }],
    ['a code beside documented fields', { code: 77, list }],
  ])('finds a list in %s', (_, body) => {
    const found = unwrap(body, 'list')
    expect(found.kind).toBe('body')
    expect(Object.values(found.kind === 'body' ? (found.body as object) : {})).toContainEqual(list) // a body is an object here
  })
  it.each<[string, Json, 'objectID' | 'list', string]>([
    ['an error with a code', { code: 40101, msg: 'invalid key' }, 'list', 'error'],
    ['success false', { success: false, message: 'no' }, 'objectID', 'error'],
    ['an error and null data', { code: 500, data: null }, 'list', 'error'],
    ['an error field', { error: 'no such user' }, 'objectID', 'error'],
    ['an empty list written as null', { code: 0, data: null }, 'list', 'body'],
    ['an id alone', { code: 0, data: 'abc' }, 'objectID', 'body'],
    ['success without an id', { code: 0, data: null }, 'objectID', 'foreign'],
    ['something else', { hello: 'world' }, 'list', 'foreign'],
    ['a word', 'ok', 'list', 'foreign'],
    ['nothing', null, 'objectID', 'foreign'],
  ])('takes %s for what it is', (_, body, wanted, kind) => expect(unwrap(body, wanted).kind).toBe(kind))
})

describe('errors', () => {
  it.each([
    [401, '{}', 'key-refused'],
    [403, '<html>', 'key-refused'],
    [402, '{}', 'no-credit'],
    [400, '{"msg":"x"}', 'request-refused'],
    [404, '{"msg":"x"}', 'request-refused'],
    [404, '<html>nothing here</html>', 'not-a-service'],
    [408, '', 'service-timeout'],
    [409, '{}', 'request-refused'],
    [413, '', 'too-large'],
    [422, '{}', 'request-refused'],
    [429, '', 'rate-limited'],
    [500, '{}', 'service-trouble'],
    [502, '<html>Bad gateway</html>', 'service-trouble'],
    [301, '', 'request-refused'],
  ])('%i with %j is %s', (status, body, code) => {
    const error = errorOfAnswer(answer(status, body))
    expect(error.code).toBe(code)
    expect(error.details['status']).toBe(status)
  })

  it.each<[Json, string | null]>([
    [{ message: 'm', error: 'e' }, 'm'],
    [{ msg: 'm' }, 'm'],
    [{ error: 'e' }, 'e'],
    [{ error: { message: 'inner' } }, 'inner'],
    [{ detail: 'd', title: 't' }, 'd'],
    [{ title: 't' }, 't'],
    [{ errors: ['first', 'second'] }, 'first'],
    [{ errors: [{ message: 'first' }] }, 'first'],
    [{ message: '', msg: 'm' }, 'm'],
    [{ message: 'x'.repeat(5000) }, 'x'.repeat(300)],
    [{ code: 5 }, null],
    [null, null],
  ])('finds the message in %j', (body, message) => expect(findMessage(body)).toBe(message))

  it.each([
    ['401', null, 'key-refused'],
    ['40101', null, 'key-refused'],
    ['403001', null, 'key-refused'],
    ['429', null, 'rate-limited'],
    ['402', null, 'no-credit'],
    ['500', null, 'service-trouble'],
    ['1001', 'invalid api key', 'key-refused'],
    ['1002', 'insufficient balance', 'no-credit'],
    ['1003', 'too many requests', 'rate-limited'],
    ['1004', 'the face is too small', 'request-refused'],
    [null, null, 'request-refused'],
  ])('a 200 with the code %s and %j is %s', (code, message, expected) => {
    expect(errorInEnvelope(code, message).code).toBe(expected)
  })

  it('believes a problem of the embedded service in its own words', () => {
    const body = '{"code":"disk-full","details":{"needBytes":5,"freeBytes":1}}'
    const type = { contentType: 'application/problem+json' }
    const error = errorOfAnswer(answer(507, body, { ...type, isOwn: true }))
    expect([error.code, error.details]).toEqual(['disk-full', { needBytes: 5, freeBytes: 1, status: 507 }])
    expect(errorOfAnswer(answer(507, body, { isOwn: true })).code).toBe('service-trouble')
  })

  it('does not let a remote service choose among Mien’s own sentences', () => {
    const body = '{"code":"disk-full","detail":"no room there"}'
    const error = errorOfAnswer(answer(507, body, { contentType: 'application/problem+json' }))
    expect([error.code, error.details]).toEqual(['service-trouble', { status: 507, message: 'no room there' }])
  })

  const now = Date.UTC(2026, 0, 1)
  it.each([
    ['7', 7000],
    ['0', 0],
    [new Date(now + 30_000).toUTCString(), 30_000],
    [new Date(now - 30_000).toUTCString(), 0],
    ['999999999', 3_600_000],
    ['soon', null],
    ['', null],
    [null, null],
  ])('reads Retry-After %j as %s', (header, ms) => expect(readRetryAfter(header, now)).toBe(ms))
})

describe('what became of a create', () => {
  it.each([
    [200, '{"objectID":"a1"}', 'created'],
    [200, '{"objectId":"a1"}', 'created'],
    [200, '{"objectID":18446744073709551615}', 'created'],
    [201, '{"code":0,"data":{"objectID":"a1"}}', 'created'],
    [200, '{"code":40101,"msg":"invalid key"}', 'refused'],
    [200, '{"code":429,"msg":"slow"}', 'not-sent'],
    [200, '{"code":500,"msg":"db"}', 'unclear'],
    [200, '{"objectID":""}', 'unclear'],
    [200, '{"objectID":{}}', 'unclear'],
    [200, '{"list":[]}', 'unclear'],
    [200, '<html>', 'unclear'],
    [200, '', 'unclear'],
    [204, '', 'unclear'],
    [200, '{"objectID":"a', 'unclear'],
    [302, '', 'refused'],
    [400, '{}', 'refused'],
    [401, '{}', 'refused'],
    [402, '{}', 'refused'],
    [404, '{}', 'refused'],
    [408, '', 'unclear'],
    [409, '{}', 'refused'],
    [429, '', 'not-sent'],
    [500, '{}', 'unclear'],
    [501, '{}', 'refused'],
    [503, '{}', 'unclear'],
  ])('%i with %j: %s', (status, body, kind) => expect(outcomeOfAnswer(answer(status, body)).kind).toBe(kind))
  it('keeps an id of 2^64 − 1 and the wait of a 429', () => {
    const created = { kind: 'created', objectId: '18446744073709551615' }
    expect(outcomeOfAnswer(answer(200, '{"objectID":18446744073709551615}'))).toEqual(created)
    expect(outcomeOfAnswer(answer(429, '', { retryAfter: '3' }))).toMatchObject({ retryAfterMs: 3000 })
  })
})

describe('network failures', () => {
  const node = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
  it.each([
    [node('ECONNREFUSED'), 'not-sent', 'service-unreachable'],
    [node('ENOTFOUND'), 'not-sent', 'service-unreachable'],
    [node('UND_ERR_CONNECT_TIMEOUT'), 'not-sent', 'service-unreachable'],
    [node('DEPTH_ZERO_SELF_SIGNED_CERT'), 'not-sent', 'service-certificate'],
    [
      new TypeError('x', { cause: new AggregateError([node('ECONNREFUSED').cause]) }),
      'not-sent',
      'service-unreachable',
    ],
    [new Error('net::ERR_CONNECTION_REFUSED'), 'not-sent', 'service-unreachable'],
    [new Error('net::ERR_INTERNET_DISCONNECTED'), 'not-sent', 'service-unreachable'],
    [new Error('net::ERR_NAME_NOT_RESOLVED'), 'not-sent', 'service-unreachable'],
    [new Error('net::ERR_CERT_AUTHORITY_INVALID'), 'not-sent', 'service-certificate'],
    [new Error('net::ERR_SSL_PINNED_KEY_NOT_IN_CERT_CHAIN'), 'not-sent', 'certificate-changed'],
    [node('ECONNRESET'), 'unclear', 'service-unreachable'],
    [node('UND_ERR_SOCKET'), 'unclear', 'service-unreachable'],
    [node('UND_ERR_HEADERS_TIMEOUT'), 'unclear', 'service-timeout'],
    [new Error('net::ERR_EMPTY_RESPONSE'), 'unclear', 'service-unreachable'],
    [new Error('net::ERR_NETWORK_CHANGED'), 'unclear', 'service-unreachable'],
    [new Error('Redirect was cancelled'), 'refused', 'request-refused'],
    ['a string', 'unclear', 'service-unreachable'],
  ])('%s: %s, %s', (thrown, reach, code) => {
    const failure = networkFailure(thrown, 'h', false)
    expect([failure.reach, failure.error.code]).toEqual([reach, code])
    expect(failure.error.details['isLost'] === true).toBe(reach === 'unclear' && code === 'service-unreachable')
  })
  it('calls our own deadline a timeout, and unclear', () => {
    const failure = { reach: 'unclear', error: { code: 'service-timeout' } }
    expect(networkFailure(new Error('aborted'), 'h', true)).toMatchObject(failure)
  })
})

describe('batches', () => {
  const ids = (n: number, length = 4) => Array.from({ length: n }, (_, i) => String(i).padStart(length, '0'))
  it.each([
    [0, 0],
    [1, 1],
    [50, 1],
    [51, 2],
    [10_000, 200],
  ])('%i ids go in %i requests', (n, requests) => expect(batchIds(ids(n))).toHaveLength(requests))
  it('keeps order, drops doubles, and heeds the characters', () => {
    expect(batchIds(['a', 'b', 'a', 'c'], { maxIds: 2, maxChars: 99 })).toEqual([['a', 'b'], ['c']])
    for (const batch of batchIds(ids(100, 300)))
      expect(batch.join('%2C').length).toBeLessThanOrEqual(defaultLimits.maxChars)
    expect(batchIds(['x'.repeat(5000), 'y'])).toEqual([['x'.repeat(5000)], ['y']])
  })
  it('halves what was too much, and only that', () => {
    const refused = (status: number) => new MienError('request-refused', { status })
    expect(smallerLimits(refused(414), 50)).toEqual({ maxIds: 25, maxChars: 1000 })
    expect(smallerLimits(new MienError('too-large'), 3)).toMatchObject({ maxIds: 2 })
    expect(smallerLimits(refused(414), 1)).toBeNull()
    expect(smallerLimits(refused(409), 50)).toBeNull()
    expect(smallerLimits(new MienError('key-refused', { status: 401 }), 50)).toBeNull()
  })
})

const key = (shown: string, id: string | null = null) => ({ id, shown })
it.each<[Json, ReturnType<typeof key>[]]>([
  ['sk-1', [key('sk-1')]],
  [{ sk: 'sk-1', id: 'k' }, [key('sk-1', 'k')]],
  [{ code: 0, data: { openapiKey: 'sk-1' } }, [key('sk-1')]],
  [{ data: 'sk-1' }, [key('sk-1')]],
  [{ list: [{ apikey: 'a', id: 18446744073709551615n }, 'b'] }, [key('a', '18446744073709551615'), key('b')]],
  [{ result: { keys: [] } }, []],
  [{}, []],
  [null, []],
])('keys are found in %o', (body, keys) => expect(readKeys(body)).toEqual(keys))

const from = new URL('https://h/a')
it('redirects are followed on the web only', () => {
  expect(redirectTarget(200, null, from)).toBeNull()
  expect(redirectTarget(302, '/b', from)?.href).toBe('https://h/b')
  expect(redirectTarget(307, 'https://other/b', from)?.href).toBe('https://other/b')
  for (const location of ['file:///etc/passwd', 'data:,x', 'http://h/plain', 'https://u:p@h/', 'http://', null])
    expect(() => redirectTarget(302, location, from), String(location)).toThrow(MienError)
})
