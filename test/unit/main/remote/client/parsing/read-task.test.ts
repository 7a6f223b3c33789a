import { describe, expect, it } from 'vitest'
import { isJsonObject, parseExactJson } from '@shared/service/exact-json.ts'
import {
  readAvatars,
  readTask,
  readTasks,
  resolver,
  type ServiceTask,
} from '../../../../../../src/main/remote/client/parsing/read-task.ts'

const resolve = resolver('https://service.example/api/')

function read(item: string): ServiceTask | null {
  const value = parseExactJson(item)
  return isJsonObject(value) ? readTask(value, { resolve, isOwn: true }) : null
}

describe('a task item', () => {
  it('is read as documented', () => {
    const item = `{"id":{},"objectId":"a1","status":"completed","taskId":"t","userId":18446744073709551615,
      "createdAt":"2026-11-20T06:00:00Z","duration":6000,"error":"","videoUrl":"https://in/v.mp4",
      "Footage":{"cover":"/f.jpg"},"Video":{"videoUrl":"https://out/v.mp4","width":1280,"height":720,"duration":6006,
      "avatars":"https://o/1.jpg,https://o/2.jpg"}}`
    expect(read(item)).toEqual({
      objectId: 'a1',
      status: 'succeeded',
      statusWord: 'completed',
      taskId: 't',
      error: null,
      resultUrl: 'https://out/v.mp4',
      coverUrl: 'https://service.example/f.jpg',
      avatarUrls: ['https://o/1.jpg', 'https://o/2.jpg'],
      progress: null,
      work: null,
      width: 1280,
      height: 720,
      durationMs: 6006,
      raw: item.replaceAll(/\n */g, ''),
    })
  })

  it('is read in other cases and with numbers for ids', () => {
    const task = read(
      '{"objectID":18446744073709551615,"STATUS":"Running","footage":{"cover":"https://c"},"video":{"video_url":"https://v","Width":"640"}}',
    )
    expect(task).toMatchObject({
      objectId: '18446744073709551615',
      status: 'processing',
      coverUrl: 'https://c',
      resultUrl: 'https://v',
      width: 640,
    })
  })

  const said = (message: string) => ({ code: 'task-failed', details: { message } })
  const video = '"Video":{"videoUrl":"https://v"}'
  it.each([
    ['{"status":"failed","error":"too dark"}', 'failed', said('too dark')],
    ['{"status":"processing","error":"too dark"}', 'failed', said('too dark')],
    ['{"error":"too dark"}', 'failed', said('too dark')],
    [`{"status":"completed","error":"no sound",${video}}`, 'succeeded', said('no sound')],
    [`{"status":"failed","error":"x",${video}}`, 'failed', said('x')],
    ['{"status":"processing","error":"null"}', 'processing', null],
    ['{"status":"processing","error":{"message":"broken"}}', 'failed', said('broken')],
    ['{"status":"failed"}', 'failed', null],
    ['{"status":2}', 'unknown', null],
    [`{"status":2,${video}}`, 'succeeded', null],
    [`{"status":"brewing",${video}}`, 'unknown', null],
    ['{}', 'unknown', null],
    [
      '{"status":"failed","error":"A sentence.","errorCode":"no-face-in-picture","errorDetails":{"name":"a.jpg"}}',
      'failed',
      { code: 'no-face-in-picture', details: { name: 'a.jpg' } },
    ],
  ])('%s is %s', (item, status, error) => {
    const task = read(item.replace('{', item === '{}' ? '{"objectId":"a"' : '{"objectId":"a",'))
    expect([task?.status, task?.error]).toEqual([status, error])
  })

  it('takes the error code of no other service for one of Mien’s own', () => {
    const json = '{"objectId":"a","status":"failed","error":"no room","errorCode":"disk-full","errorDetails":{}}'
    const value = parseExactJson(json)
    const task = isJsonObject(value) ? readTask(value, { resolve }) : null
    expect(task?.error).toEqual(said('no room'))
  })

  it('never takes the input for the result', () => {
    expect(read('{"objectId":"a","status":"completed","videoUrl":"https://in"}')?.resultUrl).toBeNull()
    expect(read('{"objectId":"a","videoUrl":"https://in","Video":{"originUrl":"https://in"}}')?.resultUrl).toBeNull()
    expect(read('{"objectId":"a","videoUrl":"https://in","Video":{"originUrl":"https://out"}}')?.resultUrl).toBe(
      'https://out',
    )
  })

  it('keeps progress that makes sense only', () => {
    expect(read('{"objectId":"a","progress":0.5,"etaMs":9}')?.progress).toEqual({ share: 0.5, etaMs: 9 })
    expect(read('{"objectId":"a","progress":50,"etaMs":-1}')?.progress).toBeNull()
    for (const etaMs of ['1e400', '1e300', '-1e400', '"soon"'])
      expect(read(`{"objectId":"a","etaMs":${etaMs}}`)?.progress, etaMs).toBeNull()
  })

  it('does not take an id in another case for the one it asked for', () => {
    const value = parseExactJson('{"list":[{"objectId":"OBJECT-1","status":"failed"}]}')
    expect(readTasks(value, new Set(['object-1']), { resolve }).size).toBe(0)
  })

  it.each(['{}', '{"objectId":""}', '{"objectId":{}}', '{"objectId":null}'])('without an id is none: %s', (item) => {
    expect(read(item)).toBeNull()
  })

  it('survives any type in any field', () => {
    const media = ['Footage', 'Video', 'videoUrl', 'createdAt', 'duration']
    const names = [...media, 'status', 'error', 'errorCode', 'errorDetails', 'taskId', 'progress', 'etaMs', 'work']
    const nested = '{"videoUrl":{},"avatars":7,"width":[],"cover":false}'
    const values = ['null', '7', '"x"', '[]', '{}', 'true', '[[1]]', nested, '99999999999999999999']
    for (const name of names)
      for (const value of values)
        expect(read(`{"objectId":"a","${name}":${value}}`)?.objectId, `${name} ${value}`).toBe('a')
  })
})

it.each([
  ['["https://a","https://b"]', ['https://a', 'https://b']],
  ['https://a?x=1,2,https://b', ['https://a?x=1,2', 'https://b']],
  ['', []],
  ['[broken', []],
  [null, []],
  [7, []],
])('avatars are read from %j', (text, urls) => expect(readAvatars(text)).toEqual(urls))

it('a list is matched by id: foreign ones dropped, of doubles the first', () => {
  const value = parseExactJson(
    '{"list":[{"objectId":"b","status":"failed"},{"objectId":"x"},7,null,{"objectId":"a","status":"done"},{"objectId":"a","status":"failed"}]}',
  )
  const found = readTasks(value, new Set(['a', 'b']), { resolve }) // an object was written
  expect([...found].map(([id, task]) => [id, task.status])).toEqual([
    ['b', 'failed'],
    ['a', 'succeeded'],
  ])
})
