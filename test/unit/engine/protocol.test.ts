import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { contentSecurityPolicy, resolveAppPath } from '../../../src/main/pages/app-path.ts'
import { parseByteRange } from '../../../src/main/machine/transfer/byte-range.ts'
import { answerMedia } from '../../../src/main/pages/media-protocol.ts'
import { tempDir } from '../../fixtures/temp-dir.ts'

it.each([
  [null, 100, null],
  ['bytes=0-', 100, { start: 0, end: 99 }],
  ['bytes=10-19', 100, { start: 10, end: 19 }],
  ['bytes=90-500', 100, { start: 90, end: 99 }],
  ['bytes=-10', 100, { start: 90, end: 99 }],
  ['bytes=-500', 100, { start: 0, end: 99 }],
  ['bytes=0-1,5-6', 100, null],
  ['bytes=100-', 100, 'unsatisfiable'],
  ['bytes=20-10', 100, 'unsatisfiable'],
  ['bytes=-0', 100, 'unsatisfiable'],
  ['bytes=-', 100, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['lines=1-2', 100, 'unsatisfiable'],
])('a Range header %s of %i bytes is %o', (header, size, expected) =>
  expect(parseByteRange(header, size)).toEqual(expected),
)

describe('an app address', () => {
  const options = { host: 'engine' as const, rendererDir: '/ui', folders: { models: '/weights' } }

  it.each([
    ['app://engine/engine/index.html', '/ui/engine/index.html'],
    ['app://engine/assets/a%20b.js', '/ui/assets/a b.js'],
    ['app://engine/models/face.task', '/weights/face.task'],
    ['app://engine/../secret', '/ui/secret'],
  ])('%s is %s', (address, path) => expect(resolveAppPath(address, options)).toBe(resolve(path)))

  it.each([
    'app://studio/index.html',
    'app://engine/%2e%2e%2fsecret',
    'app://engine/..%2f..%2fetc%2fpasswd',
    'app://engine/models/..%2fsecret',
    'app://engine/models/',
    'app://engine/models/sub/file',
    'app://engine/a%00b',
    'app://engine/a%5cb',
    'app://engine/%zz',
    'app://engine/',
    'file:///etc/passwd',
  ])('%s reaches nothing', (address) => expect(resolveAppPath(address, options)).toBeNull())

  it('gives neither page the network', () => {
    expect(contentSecurityPolicy('studio')).toContain('connect-src media:;')
    expect(contentSecurityPolicy('engine')).toContain("connect-src 'self' media:;")
  })
})

describe('a media address', () => {
  let folder = ''
  const ask = (path: string, init?: RequestInit): Promise<Response> =>
    answerMedia(new Request(`media://${path}`, init), {
      origin: 'app://engine',
      item: (id) => Promise.resolve(id === 'known' ? join(folder, 'clip.mp4') : null),
      job: (token) => (token === 'mine' ? folder : null),
    })
  const put = (name: string, body: string | null, position?: number, more = {}): Promise<Response> =>
    ask(`job/mine/${name}`, {
      method: 'PUT',
      body,
      headers: { ...(position === undefined ? {} : { 'x-position': String(position) }), ...more },
    })

  beforeEach(async () => {
    folder = tempDir()
    await writeFile(join(folder, 'clip.mp4'), '0123456789')
  })

  it('reads a file whole, in part, and not beyond its end', async () => {
    const read = async (header: string, init?: RequestInit): Promise<unknown[]> => {
      const answer = await ask('item/known', init)
      return [answer.status, answer.headers.get(header), await answer.text()]
    }
    expect(await read('content-type')).toEqual([200, 'video/mp4', '0123456789'])
    const range = (bytes: string): RequestInit => ({ headers: { range: `bytes=${bytes}` } })
    expect(await read('content-range', range('2-4'))).toEqual([206, 'bytes 2-4/10', '234'])
    expect(await read('content-range', range('10-'))).toEqual([416, 'bytes */10', ''])
    expect(await read('content-length', { method: 'HEAD' })).toEqual([200, '10', ''])
  })

  it('knows nothing that was not granted', async () => {
    for (const path of ['item/other', 'item/known/more', 'job/yours/output.mp4', 'other/known']) {
      expect((await ask(path)).status, path).toBe(404)
    }
    expect((await ask('item/known', { method: 'PUT', body: 'x' })).status).toBe(405)
  })

  it("writes a job's files and no others", async () => {
    const written = async (...given: [body: string | null, position?: number, more?: object]): Promise<string> => {
      expect((await put('output.mp4', ...given)).status).toBe(204)
      return readFile(join(folder, 'output.mp4'), 'utf8')
    }
    expect(await written('hello')).toBe('hello')
    expect(await written('LO wide', 3)).toBe('helLO wide')
    expect(await written(null, 5, { 'x-ends': '1' })).toBe('helLO')
    expect(await written('ab')).toBe('ab')
    expect((await put('clip.mp4', 'x')).status).toBe(404)
    expect((await put('output.mp4', 'x', -1)).status).toBe(400)
  })

  it('has no jobs for a session without them', async () => {
    const options = { origin: 'app://studio', item: () => Promise.resolve(null) }
    expect((await answerMedia(new Request('media://job/mine/output.mp4'), options)).status).toBe(404)
  })
})
