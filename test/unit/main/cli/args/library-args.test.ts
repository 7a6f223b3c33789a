import { defaultOptions } from '@shared/options/swap-options.ts'
import { plain } from '@shared/plain.ts'
import { describe, expect, it } from 'vitest'
import { parseCommand } from '../../../../../src/main/cli/args/args.ts'
import { exitCodeOfTask } from '../../../../../src/main/cli/output/exit-codes.ts'
import {
  jsonLine,
  taskDetails,
  taskJson,
  taskLine,
  taskTable,
} from '../../../../../src/main/cli/output/output-lines.ts'
import { displayWidth } from '../../../../../src/main/cli/output/table.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'

const { method: _, ...usual } = defaultOptions
const parse = (line: string) => parseCommand(line.split(' '), '/here')
const rangeFrom = (fromMs: number, toMs = Number.MAX_SAFE_INTEGER) => ({ fromMs, toMs })

describe('a command', () => {
  it.each<[command: string, rest: string, read: object]>([
    [
      'profile add',
      'Studio --base-url https://x.example --key-header X-Key --duration-unit s --allow-http --json',
      {
        ...{ json: true, name: 'Studio', baseUrl: 'https://x.example' },
        ...{ keyHeader: 'X-Key', durationUnit: 's', allowHttp: true },
      },
    ],
    ['profile add', '--pair mien-1-a', { name: null, pair: 'mien-1-a' }],
    ['profile add', 'Studio --pair -', { name: 'Studio', pair: '-' }],
    ['profile list', '--data-dir d', { dataDir: '/here/d' }],
    ['profile remove', 'Studio', { name: 'Studio' }],
    ['profile test', 'Studio', { name: 'Studio' }],
    [
      'batch',
      '--profile S --faces a.jpg b --wait --targets c.mp4 d e --title {target}',
      {
        ...{ profile: 'S', faces: ['/here/a.jpg', '/here/b'], plan: null, wait: true },
        ...{ targets: ['/here/c.mp4', '/here/d', '/here/e'], title: '{target}', range: null, method: null },
        ...{ options: usual, consent: { by: null, purpose: null, release: null } },
      },
    ],
    ['consent list', '', {}],
    ['consent show', 'ab12', { face: { text: 'ab12', path: '/here/ab12' } }],
    ['consent withdraw', 'a.jpg', { face: { text: 'a.jpg', path: '/here/a.jpg' } }],
    ['consent export', '--out all.PDF', { faces: [], out: '/here/all.PDF', format: 'pdf' }],
    ['key set', '--profile Studio', { profile: 'Studio' }],
    ['key new', '--profile S --user-id 18446744073709551615', { profile: 'S', userId: '18446744073709551615' }],
    ['key list', '--profile S', { profile: 'S', userId: '1' }],
    ['key revoke', 'k-1 --profile S', { profile: 'S', userId: '1', key: 'k-1' }],
    [
      'submit',
      '--profile S --face HTTPS://x.example/f.jpg --video v.mp4 --title T --wait --face g.jpg --from 1:00 --consent-by A',
      {
        ...{ profile: 'S', title: 'T', wait: true, noFetch: false, method: null, options: usual },
        ...{ consent: { by: 'A', purpose: null, release: null }, range: { parts: [rangeFrom(60_000)], rest: 'drop' } },
        faces: [{ personId: null, pictures: [{ url: 'https://x.example/f.jpg' }, { path: '/here/g.jpg' }] }],
        video: { path: '/here/v.mp4' },
      },
    ],
    ['model list', '', {}],
    ['model add', 'a.onnx /b.onnx', { files: ['/here/a.onnx', '/b.onnx'] }],
    ['model remove', 'inswapper_128', { name: 'inswapper_128' }],
    ['list', '', { tags: [], favourite: false, sets: [] }],
    ['list', '--tag Crew --tag v2 --favourite --set X', { tags: ['Crew', 'v2'], favourite: true, sets: ['X'] }],
    ['show', '123', { id: '123' }],
    ['watch', '', { ids: [] }],
    ['watch', 'a b', { ids: ['a', 'b'] }],
    ['fetch', 'a --out o.mp4', { id: 'a', out: '/here/o.mp4' }],
    ['mend', 'a', { id: 'a', mending: null }],
    ['mend', 'a --undo', { id: 'a', mending: { kind: 'version', number: 'before' } }],
    ['mend', 'a --version 3', { id: 'a', mending: { kind: 'version', number: 3 } }],
    [
      'mend',
      'a --from 1.48 --to 2.5 --leave --json',
      { id: 'a', json: true, mending: { kind: 'leave', part: rangeFrom(1480, 2500) } },
    ],
    [
      'mend',
      'a --from 1 --cast Anna=f.jpg --stay 2 --likeness 40 --method built-in --consent-by B',
      {
        id: 'a',
        mending: {
          ...{ kind: 'swap', part: rangeFrom(1000), stay: ['2'], method: 'built-in' },
          ...{ faces: [{ personId: 'Anna', pictures: ['/here/f.jpg'] }], options: { likeness: 40 } },
          consent: { by: 'B', purpose: null, release: null },
        },
      },
    ],
  ])('%s %s', (command, rest, read) => {
    expect(parse(`${command} ${rest}`.trim())).toEqual({ json: false, dataDir: null, command, ...read })
  })

  it.each([
    ['profile', /Unknown command/],
    ['profile rename x', /Unknown command/],
    ['consent export --out all.txt', /\.json or \.pdf/],
    ['consent export', /--out is missing/],
    ['profile add Studio', /--base-url is missing/],
    ['profile add --base-url https://x.example', /profile add/],
    ['profile add Studio --base-url x --duration-unit m', /ms or s/],
    ['profile remove', /is missing/],
    ['key set', /--profile is missing/],
    ['key set sk-1234 --profile S', /Unexpected: sk-1234/],
    ['key new --profile S --user-id 18446744073709551616', /whole number/],
    ['key new --profile S --user-id -1', /user-id/],
    ['submit --profile S --face f.jpg', /--video or --target is missing/],
    ['model', /Unknown command/],
    ['model add', /is missing/],
    ['model remove', /is missing/],
    ['show', /is missing/],
    ['show a b', /Unexpected: b/],
    ['list --everything', /everything/],
    ['fetch a', /--out is missing/],
    ['mend', /is missing/],
    ['mend a --leave', /which part/],
    ['mend a --likeness 20', /which part/],
    ['mend a --from 2 --to 1', /range/],
    ['mend a --from 1 --leave --face f.jpg --keep none', /with it: --face, --keep/],
    ['mend a --undo --version 1', /--undo or --version/],
    ['mend a --undo --from 1', /without other options/],
    ['mend a --version 0', /whole number/],
    ['mend a --from 1 --face f.jpg --face g.jpg', /at most 1 picture/],
    ['mend a --from 1 --face f.jpg --cast 1=g.jpg', /--face or --cast/],
    ['mend a --from 1 --size 720', /--size/],
  ])('%s is wrong usage', (line, reason) => expect(() => parse(line)).toThrow(reason))

  const unsafe = ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,hi', 'https://me:secret@x.example/f.jpg']
  it.each([...unsafe, 'ftp://x/f'])('%s is no face', (face) => {
    expect(() => parse(`submit --profile S --video v.mp4 --face ${face}`)).toThrow(/address-invalid/)
  })
})

const failed = { code: 'task-failed', details: {} } as const
it.each([
  [{ state: 'kept' }, 0],
  [{ state: 'failed', objectId: 'o', error: failed }, 6],
  [{ state: 'missing', objectId: 'o' }, 6],
  [{ state: 'failed', error: { code: 'request-refused', details: {} } }, 4],
  [{ state: 'failed', error: { code: 'file-missing', details: {} } }, 3],
  [{ state: 'unconfirmed' }, 4],
  [{ state: 'queued', pause: 'key' }, 4],
  [{ state: 'queued', pause: 'no-network' }, null],
  [{ state: 'processing', objectId: 'o' }, null],
] as const)('the code of a swap that is waited for: %j → %j', (patch, code) =>
  expect(exitCodeOfTask(makeTask(patch))).toBe(code),
)

describe('what is printed', () => {
  const places = { profile: () => 'Studio', path: (id: string) => `/files/${id}` }

  it('is one line of JSON, with large integers as text', () => {
    expect(jsonLine({ id: 18446744073709551615n, text: 'a\nb' })).toBe('{"id":"18446744073709551615","text":"a\\nb"}\n')
  })

  it('names files, times and words of a swap', () => {
    const objectId = '18446744073709551615'
    const task = makeTask({ state: 'failed', objectId, error: { code: 'task-failed', details: {} } })
    expect(taskJson(task, places)).toMatchObject({
      ...{ id: 'task-1', profile: 'Studio', objectId, state: 'failed', result: null },
      createdAt: '1970-01-01T00:00:01.000Z',
      error: { code: 'task-failed', message: expect.any(String) as string },
    })
  })

  it('lets no title play with the terminal', () => {
    expect(plain('a\u001b[2Jb\u202ec\n')).toBe('a [2Jb c ')
    const line = taskLine(makeTask({ title: `\u001b]0;x\u0007${'long '.repeat(2000)}` }), places)
    expect(line).not.toMatch(/[\p{Cc}]/u)
    expect(line.length).toBeLessThan(200)
  })

  it('lists swaps in a table that fits the terminal, with short ids, and shows one with its words', () => {
    const title = '長い題名のとても長い動画の名前です'
    const made = makeTask({ id: '0123456789abcdef', title, state: 'kept', createdAt: Date.now() })
    const failed = makeTask({ id: 'fedcba9876543210', error: { code: 'task-failed', details: {} }, state: 'failed' })
    const lines = taskTable([made, failed], places, 70)
    expect(lines[0]).toMatch(/^ID +Added +State +Service +Title$/)
    expect(lines[1]).toMatch(/^01234567 {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}Finished {2}Studio {3}長い.*…$/)
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(70)
    expect(taskTable([], places, 70)).toEqual([])
    const shown = taskDetails(failed, places).join('\n')
    expect(shown).toMatch(/^ID +fedcba9876543210$/m)
    expect(shown).toMatch(/^State +Failed$/m)
    expect(shown).toMatch(/^Problem +\S/m)
  })
})
