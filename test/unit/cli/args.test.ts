import { defaultOptions } from '@shared/swap-options.ts'
import { describe, expect, it } from 'vitest'
import { errorCodes, type ErrorBody } from '@shared/errors.ts'
import { parseCommand, readLaunch } from '../../../src/main/cli/args.ts'
import { exitCodeFor, maxAttempts } from '../../../src/main/cli/exit-codes.ts'
import { progressLine } from '../../../src/main/cli/progress-bar.ts'
import { noProgress } from '../../../src/main/tasks/rules/transitions.ts'

describe('a start', () => {
  it.each([
    [[], { kind: 'window', dataDir: null }],
    [['--data-dir', 'd'], { kind: 'window', dataDir: '/here/d' }],
    [['--data-dir', '/abs'], { kind: 'window', dataDir: '/abs' }],
    [['--cli', 'swap', '--json'], { kind: 'cli', cwd: '/here', args: ['swap', '--json'] }],
    [['--cli', '--cwd', '/there', 'swap'], { kind: 'cli', cwd: '/there', args: ['swap'] }],
    [['--no-sandbox', 'swap', '--face', 'f'], { kind: 'cli', cwd: '/here', args: ['swap', '--face', 'f'] }],
    [['--cli'], { kind: 'cli', cwd: '/here', args: [] }],
    [['list', '--json'], { kind: 'cli', cwd: '/here', args: ['list', '--json'] }],
    [['--data-dir', 'list'], { kind: 'window', dataDir: '/here/list' }],
    [['--no-sandbox', '/film/list'], { kind: 'window', dataDir: null }],
  ])('%j', (argv, launch) => {
    expect(readLaunch(argv, '/here')).toEqual(launch)
  })
})

const { likeness, keep } = defaultOptions
const usual = { likeness, keep }

describe('swap', () => {
  const whole = ['swap', '--face', 'f.jpg', '--video', '/v/v.mp4', '--out', '../o.mp4']

  it('reads its options, and paths against the caller’s folder', () => {
    expect(parseCommand([...whole, '--title', ' T ', '--json', '--data-dir', 'd'], '/here/sub')).toEqual({
      command: 'swap',
      face: '/here/sub/f.jpg',
      pictures: [],
      options: usual,
      method: null,
      video: '/v/v.mp4',
      out: '/here/o.mp4',
      title: 'T',
      json: true,
      dataDir: '/here/sub/d',
    })
  })

  it('takes more pictures of the person, and options', () => {
    const args = [...whole, '--face', 'g.jpg', '--face', '/h.jpg', '--likeness', '100', '--keep', 'mouth, hair']
    expect(parseCommand(args, '/here')).toMatchObject({
      ...{ face: '/here/f.jpg', pictures: ['/here/g.jpg', '/h.jpg'] },
      options: { likeness: 100, keep: ['mouth', 'hair'] },
    })
    expect(parseCommand([...whole, '--keep', 'none'], '/')).toMatchObject({ options: { likeness: 65, keep: [] } })
  })

  it.each([
    [[...whole, '--likeness', '101'], /0 to 100/],
    [[...whole, '--likeness', '-1'], /likeness/],
    [[...whole, '--likeness', '6.5'], /0 to 100/],
    [[...whole, '--keep', 'mouth,nose'], /--keep must be none, or some of mouth,glasses,hair/],
    [[...whole, ...Array.from({ length: 10 }, () => ['--face', 'g']).flat()], /at most 10 times/],
    [[...whole, '--face', ''], /--face is missing/],
    [['swap', '--face', 'f', '--video', 'v'], /--out is missing/],
    [['swap', '--face', '', '--video', 'v', '--out', 'o'], /--face is missing/],
    [[...whole, '--nonsense'], /nonsense/],
    [[...whole, 'stray'], /stray/],
    [['swap', '--face'], /--face/],
    [['fly'], /Unknown command: fly/],
  ])('%j is wrong usage', (args, reason) => {
    expect(() => parseCommand(args, '/')).toThrow(reason)
  })

  it.each([[[]], [['help']], [['--help']], [['swap', '--help']]])('%j asks for help', (args) => {
    expect(parseCommand(args, '/')).toEqual({ command: 'help' })
  })
})

describe('an exit code', () => {
  it.each([
    ['no-face-in-picture', 3],
    ['not-a-video', 3],
    ['codec-unsupported', 3],
    ['no-face-in-video', 3],
    ['key-refused', 4],
    ['service-unreachable', 4],
    ['engine-crashed', 5],
    ['disk-full', 5],
    ['usage', 2],
  ] as const)('for %s is %i', (code, exit) => {
    expect(exitCodeFor({ code, details: {} })).toBe(exit)
  })

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
    expect(progressLine({ state: 'uploading', progress: uploading, result: null })).toContain('  0%  uploading')
    expect(progressLine({ state: 'kept', progress: null, result: null })).toContain('100%  kept')
  })
  it('ends with all frames, however fast the swap was', () => {
    const result = { frames: 25, workFps: 61.2 }
    expect(progressLine({ state: 'kept', progress: null, result })).toBe(
      `[${'#'.repeat(30)}] 100%  kept  25/25 frames  61 fps`,
    )
  })
})

describe('a result that cannot be fetched is tried', () => {
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
  ])('%s', (_what, error, attempts) => {
    expect(maxAttempts(error)).toBe(attempts)
  })

  it('and is an error of the service', () => {
    expect(exitCodeFor({ code: 'result-unavailable', details: {} })).toBe(4)
    expect(exitCodeFor({ code: 'address-refused', details: { host: 'a' } })).toBe(3)
    expect(exitCodeFor({ code: 'cancelled', details: {} })).toBe(130)
  })
})
