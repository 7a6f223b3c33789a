import { defaultOptions } from '@shared/options/swap-options.ts'
import { describe, expect, it } from 'vitest'
import { errorCodes, type ErrorBody } from '@shared/errors.ts'
import { parseCommand } from '../../../../../src/main/cli/args/args.ts'
import { commandNames, readLaunch } from '../../../../../src/main/cli/args/launch.ts'
import { checkExtension } from '../../../../../src/main/cli/args/swap-args.ts'
import { exitCodeFor, exitCodeOfVerdicts, maxAttempts } from '../../../../../src/main/cli/output/exit-codes.ts'
import { helpText } from '../../../../../src/main/cli/output/help-text.ts'
import type { Range } from '@shared/people/people.ts'
import { progressLine } from '../../../../../src/main/cli/output/progress-output.ts'
import { noProgress } from '@shared/tasks/estimated.ts'

it.each([
  [[], { kind: 'window', dataDir: null, files: [] }],
  [['--data-dir', 'd'], { kind: 'window', dataDir: '/here/d', files: [] }],
  [['--data-dir', '/abs'], { kind: 'window', dataDir: '/abs', files: [] }],
  [['--data-dir', ''], { kind: 'window', dataDir: null, files: [] }],
  [['--cli', 'swap', '--json'], { kind: 'cli', cwd: '/here', args: ['swap', '--json'] }],
  [['--cli', '--cwd', '/there', 'swap'], { kind: 'cli', cwd: '/there', args: ['swap'] }],
  [['--no-sandbox', 'swap', '--face', 'f'], { kind: 'cli', cwd: '/here', args: ['swap', '--face', 'f'] }],
  [['people', 'v.mp4'], { kind: 'cli', cwd: '/here', args: ['people', 'v.mp4'] }],
  [['--cli'], { kind: 'cli', cwd: '/here', args: [] }],
  [['list', '--json'], { kind: 'cli', cwd: '/here', args: ['list', '--json'] }],
  [['--data-dir', 'list'], { kind: 'window', dataDir: '/here/list', files: [] }],
  [['--no-sandbox', '/film/list'], { kind: 'window', dataDir: null, files: ['/film/list'] }],
  [['./swap', 'b c.mp4'], { kind: 'window', dataDir: null, files: ['/here/swap', '/here/b c.mp4'] }],
  [['file:///film/a%20b.mp4', '--data-dir', 'd'], { kind: 'window', dataDir: '/here/d', files: ['/film/a b.mp4'] }],
  [['file://other/a.mp4'], { kind: 'window', dataDir: null, files: ['/here/file:/other/a.mp4'] }],
])('a start with %j', (argv, launch) => expect(readLaunch(argv, '/here')).toEqual(launch))

it.each([
  ['swap', '--face', 'f', '--video', 'v', '--out', 'o'],
  ...[['people', 'v'], ['verify', 'v'], ['list'], ['serve'], ['worker'], ['pair', '1']],
])('%s uses its default folder for an empty --data-dir', (...args) => {
  expect(parseCommand([...args, '--data-dir', ''], '/here')).toMatchObject({ dataDir: null })
  expect(parseCommand([...args, '--data-dir', 'd'], '/here')).toMatchObject({ dataDir: '/here/d' })
})

describe('verify', () => {
  it('reads its files against the caller’s folder', () => {
    expect(parseCommand(['verify', 'a.mp4', '/b.png', '--json'], '/here')).toEqual({
      ...{ command: 'verify', files: ['/here/a.mp4', '/b.png'], json: true, dataDir: null },
    })
    expect(() => parseCommand(['verify', '--json'], '/here')).toThrow(/A file is missing after “verify”/)
    expect(() => parseCommand(['verify', 'a.mp4', '--out', 'b'], '/here')).toThrow(/--out/)
  })

  it('ends with the code of the most doubtful file', () => {
    const missing: ErrorBody = { code: 'file-missing', details: {} }
    expect(exitCodeOfVerdicts(['unchanged'])).toBe(0)
    expect(exitCodeOfVerdicts(['none', 'unchanged', 'stripped'])).toBe(8)
    expect(exitCodeOfVerdicts(['none', missing, 'unchanged'])).toBe(3)
    expect(exitCodeOfVerdicts(['unsupported'])).toBe(3)
    for (const verdict of ['changed', 'forged', 'broken'] as const)
      expect(exitCodeOfVerdicts([verdict, missing, 'unchanged'])).toBe(7)
  })
})

const { method: _, ...usual } = defaultOptions

describe('swap', () => {
  const whole = ['swap', '--face', 'f.jpg', '--video', '/v/v.mp4', '--out', '../o.mp4']

  it('reads its options, and paths against the caller’s folder', () => {
    expect(parseCommand([...whole, '--title', ' T ', '--json', '--data-dir', 'd'], '/here/sub')).toEqual({
      command: 'swap',
      faces: [{ personId: null, pictures: ['/here/sub/f.jpg'] }],
      range: null,
      options: usual,
      method: null,
      consent: { by: null, purpose: null, release: null },
      video: '/v/v.mp4',
      out: '/here/o.mp4',
      title: 'T',
      json: true,
      dataDir: '/here/sub/d',
    })
  })

  it('takes who gives the consent, what for, and a release', () => {
    const args = [...whole, '--consent-by', 'Ada', '--consent-for', 'Trailer', '--release', 'r.pdf']
    expect(parseCommand(args, '/here')).toMatchObject({
      consent: { by: 'Ada', purpose: 'Trailer', release: '/here/r.pdf' },
    })
  })

  it('takes more pictures of the person, and options', () => {
    const args = [...whole, '--face', 'g.jpg', '--face', '/h.jpg', '--likeness', '100', '--keep', 'mouth, hair']
    expect(parseCommand(args, '/here')).toMatchObject({
      faces: [{ personId: null, pictures: ['/here/f.jpg', '/here/g.jpg', '/h.jpg'] }],
      options: { likeness: 100, keep: ['mouth', 'hair'] },
    })
    expect(parseCommand([...whole, '--keep', 'none'], '/')).toMatchObject({ options: { likeness: 65, keep: [] } })
  })

  it('takes the size and the quality of the result', () => {
    const args = '--size 720 --quality small --encoder software --label eu --label-language ja'
    expect(parseCommand([...whole, ...args.split(' ')], '/')).toMatchObject({
      options: { likeness: 65, size: '720p', quality: 'small', encoder: 'software', label: 'eu', labelLanguage: 'ja' },
    })
    expect(parseCommand([...whole, '--size', '1080p'], '/')).toMatchObject({ options: { size: '1080p' } })
    expect(parseCommand([...whole, '--size', 'source'], '/')).toMatchObject({ options: { size: null } })
  })

  const cast = (...faces: string[]) => [
    ...['swap', '--video', 'v', '--out', 'o'],
    ...faces.flatMap((face) => ['--cast', face]),
  ]

  it('takes a face for each of several people, and more pictures of one by naming the person again', () => {
    expect(parseCommand(cast('p1=a.jpg', 'p2=/b=c.jpg', 'p1=d.jpg'), '/here')).toMatchObject({
      faces: [
        { personId: 'p1', pictures: ['/here/a.jpg', '/here/d.jpg'] },
        { personId: 'p2', pictures: ['/b=c.jpg'] },
      ],
    })
    const same = parseCommand(cast('p1=a.jpg', 'p2=a.jpg'), '/')
    expect(same).toMatchObject({ faces: [{ pictures: ['/a.jpg'] }, { pictures: ['/a.jpg'] }] })
  })

  const part = (fromMs: number, toMs = Number.MAX_SAFE_INTEGER) => ({ fromMs, toMs })
  it.each<[string[], Range | null]>([
    [[], null],
    [['--from', '8.12', '--to', '0:21.2'], { parts: [part(8120, 21_200)], rest: 'drop' }],
    [['--to', '1:02:03'], { parts: [part(0, 3_723_000)], rest: 'drop' }],
    [['--from', '1'], { parts: [part(1000)], rest: 'drop' }],
    [
      ['--range', '0:08.12-0:21.20', '--range', '100:00-6001', '--rest', 'keep'],
      { parts: [part(8120, 21_200), part(6_000_000, 6_001_000)], rest: 'keep' },
    ],
  ])('reads the range %j', (args, range) => expect(parseCommand([...whole, ...args], '/')).toMatchObject({ range }))

  it.each([
    [['--from', '5', '--to', '4'], 'order'],
    [['--range', '2-2'], 'order'],
    [['--range', '0-5', '--range', '4-6'], 'overlap'],
  ])('refuses the range %j', (args, reason) => {
    expect(() => parseCommand([...whole, ...args], '/')).toThrow(
      expect.objectContaining({ body: { code: 'range-invalid', details: { reason } } }),
    )
  })

  it.each([
    [[...cast('p1=a'), '--face', 'f'], /either --face or --cast/],
    [cast('p1'), /isn’t a person and a picture/],
    [cast('=a'), /isn’t a person and a picture/],
    [cast('p1='), /isn’t a person and a picture/],
    [cast(...Array.from({ length: 11 }, () => 'p1=a')), /at most 10 pictures/],
    [cast(...Array.from({ length: 31 }, (_, at) => `p${String(at)}=a`)), /at most 30 people/],
    [[...whole, '--range', '1'], /isn’t two times/],
    [[...whole, '--range', '1-2-3'], /isn’t two times/],
    [[...whole, '--range', '1:60-2:00'], /1:60 isn’t a time/],
    [[...whole, '--from', '1:60:00'], /isn’t a time/],
    [[...whole, '--from', '1.2345'], /isn’t a time/],
    [[...whole, '--from', 'start'], /isn’t a time/],
    [[...whole, '--range', '1-2', '--to', '3'], /either --range/],
    [[...whole, '--rest', 'keep'], /--rest needs/],
    [[...whole, '--from', '1', '--rest', 'blur'], /keep or drop/],
    [[...whole, '--likeness', '101'], /0 to 100/],
    [[...whole, '--likeness', '-1'], /likeness/],
    [[...whole, '--likeness', '6.5'], /0 to 100/],
    [[...whole, '--size', '700'], /--size must be one of these: source, 2160p/],
    [[...whole, '--quality', 'good'], /--quality must be one of these: small, balanced, best/],
    [[...whole, '--encoder', 'hardware'], /--encoder must be/],
    [[...whole, '--label', 'us'], /--label must be one of these: off, eu, start, china/],
    [[...whole, '--keep', 'mouth,nose'], /--keep must be none, or some of mouth,glasses,hair/],
    [[...whole, ...Array.from({ length: 10 }, () => ['--face', 'g']).flat()], /at most 10 pictures/],
    [[...whole, '--face', ''], /--face is missing/],
    [['swap', '--face', 'f', '--video', 'v'], /--out is missing/],
    [['swap', '--face', '', '--video', 'v', '--out', 'o'], /--face is missing/],
    [[...whole, '--out', 'other.mp4'], /--out can only be given once/],
    [[...whole, '--nonsense'], /nonsense/],
    [[...whole, 'stray'], /stray/],
    [['swap', '--face'], /--face/],
    [['fly'], /Unknown command: fly/],
  ])('%j is wrong usage', (args, reason) => expect(() => parseCommand(args, '/')).toThrow(reason))
})

describe('help and version', () => {
  it.each([
    [[], ''],
    [['help'], ''],
    [['--help'], ''],
    [['help', 'swap'], 'swap'],
    [['swap', '--help'], 'swap'],
    [['people', '-h'], 'people'],
    [['list', '--tag', 'a', '--help'], 'list'],
    [['profile', '--help'], 'profile'],
    [['profile', 'add', '--help'], 'profile'],
    [['pair', '--help'], 'pair'],
  ])('%j asks for help about “%s”', (args, topic) => {
    expect(parseCommand(args, '/')).toEqual({ command: 'help', topic })
  })

  it('every command has a page, with the options of swaps where they belong', () => {
    const pages = commandNames.map(helpText)
    expect(pages).toEqual(commandNames.map((name) => expect.stringMatching(new RegExp(`^mien ${name} `)) as string))
    expect(commandNames.filter((_, at) => pages[at]?.includes('--likeness  '))).toEqual(['swap', 'submit', 'batch'])
    for (const name of commandNames) expect(helpText('')).toMatch(new RegExp(`^  ${name} `, 'm'))
  })

  it.each([[['--version']], [['-V']], [['version', '--json']]])('%j asks for the version', (args) => {
    expect(parseCommand(args, '/')).toEqual({ command: 'version' })
    expect(readLaunch(args, '/')).toMatchObject({ kind: 'cli' })
  })

  it.each([
    [['swpa'], /Unknown command: swpa. Did you mean “swap”/],
    [['help', 'lits'], /Did you mean “list”/],
    [['profile', 'ad', 'x'], /Did you mean “profile add”/],
    [['swap', '--targt', 'v'], /Unknown option: --targt. Did you mean “--target”/],
    [['batch', '--face', 'v'], /Did you mean “--faces”/],
    [['serve', '--prot', '1'], /Did you mean “--port”/],
    [['fly'], /Unknown command: fly"/],
    [['list', '--colour'], /Unknown option: --colour"/],
  ])('%j: what was meant, if something is similar', (args, problem) => {
    expect(() => parseCommand(args, '/')).toThrow(problem)
  })
})

describe('the file of a video', () => {
  const video = { kind: 'video', codec: 'avc' } as const

  it.each(['x.mp4', 'X.MP4'])('may be %s', (out) => checkExtension(out, video))

  it.each(['x.avi', 'x.mov', 'x.webm', 'x.mkv', 'x.txt', 'x', 'x.gif', '.mp4'])('may not be %s', (out) => {
    expect(() => checkExtension(out, video)).toThrow(/\.mp4/)
  })
})

describe('people', () => {
  it('takes a video, and a folder for the faces', () => {
    expect(parseCommand(['people', 'v.mp4', '--out', 'faces', '--json'], '/here')).toEqual({
      ...{ command: 'people', video: '/here/v.mp4', out: '/here/faces', json: true, dataDir: null },
    })
    expect(parseCommand(['people', '/v.mp4'], '/')).toMatchObject({ video: '/v.mp4', out: null, json: false })
  })

  it.each([
    [['people'], /video is missing/],
    [['people', 'a', 'b'], /Unexpected: b/],
    [['people', 'a', '--cast', 'p1=a'], /--cast/],
  ])('%j is wrong usage', (args, reason) => expect(() => parseCommand(args, '/')).toThrow(reason))
})

describe('an exit code', () => {
  it.each([
    ['no-face-in-picture', 3],
    ['not-a-video', 3],
    ['codec-unsupported', 3],
    ['no-face-in-video', 3],
    ['person-unknown', 3],
    ['range-invalid', 3],
    ['cast-unsupported', 4],
    ['key-refused', 4],
    ['service-unreachable', 4],
    ['engine-crashed', 5],
    ['disk-full', 5],
    ['certificate-changed', 4],
    ['usage', 2],
    ['pairing-invalid', 2],
    ['result-unavailable', 4],
    ['address-refused', 3],
    ['cancelled', 130],
  ] as const)('for %s is %i', (code, exit) => expect(exitCodeFor({ code, details: {} })).toBe(exit))

  it('is never 0 for an error', () => {
    expect(errorCodes.map((code) => exitCodeFor({ code, details: {} }))).not.toContain(0)
  })
})

describe('the progress bar', () => {
  it('shows share, frames, speed and time left', () => {
    const progress = { ...noProgress, share: 0.42, framesDone: 63, framesTotal: 150, workFps: 88.4, etaMs: 61_000 }
    expect(progressLine({ state: 'processing', progress, result: null })).toBe(
      '[#############.................]  42%  63/150 frames  88 fps  1:01 left',
    )
  })
  it('names every other state', () => {
    const uploading = { ...noProgress, share: 0.9 }
    expect(progressLine({ state: 'uploading', progress: uploading, result: null })).toContain('  0%  Preparing')
    expect(progressLine({ state: 'kept', progress: null, result: null })).toContain('100%  Finished')
  })
  it('ends with all frames, however fast the swap was', () => {
    const result = { frames: 25, workFps: 61.2 }
    expect(progressLine({ state: 'kept', progress: null, result })).toBe(
      `[${'#'.repeat(30)}] 100%  Finished  25/25 frames  61 fps`,
    )
  })
})

it.each<[string, ErrorBody, number]>([
  ['once from another scheme', { code: 'result-address-invalid', details: { host: 'file:', reason: 'scheme' } }, 1],
  ['once through redirects without an end', { code: 'result-unavailable', details: { reason: 'redirects' } }, 1],
  ['once without an address that can be read', { code: 'result-address-invalid', details: {} }, 1],
  ['three times where it is not', { code: 'result-unavailable', details: { host: 'a', status: 404 } }, 3],
  ['three times where a page is', { code: 'result-unreadable', details: { host: 'a', type: 'text/html' } }, 3],
  ['three times where something else is', { code: 'result-unreadable', details: { reason: 'not-a-video' } }, 3],
  ['three times without an address', { code: 'result-unreadable', details: { name: 'Clip' } }, 3],
  ['on and on when it breaks off', { code: 'result-unreadable', details: { bytes: 5, expectedBytes: 9 } }, Infinity],
  ['on and on when its file ends too early', { code: 'result-unreadable', details: { reason: 'cut-off' } }, Infinity],
  ['on and on when the service is in trouble', { code: 'service-trouble', details: { status: 503 } }, Infinity],
  ['on and on when the disk is full', { code: 'disk-full', details: {} }, Infinity],
])('a result that cannot be fetched is tried %s', (_what, error, attempts) => expect(maxAttempts(error)).toBe(attempts))
