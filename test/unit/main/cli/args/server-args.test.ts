import { describe, expect, it } from 'vitest'
import { parseCommand } from '../../../../../src/main/cli/args/args.ts'
import { readLaunch } from '../../../../../src/main/cli/args/launch.ts'
import { addressFor } from '../../../../../src/main/cli/server/running-server.ts'
import { placesFrom } from '../../../../../src/main/cli/args/server-args.ts'

describe('serve', () => {
  it('listens on this computer only, without TLS, with a worker, and has its own folder', () => {
    expect(parseCommand(['serve'], '/here')).toEqual({
      ...{ command: 'serve', json: false, dataDir: null, database: null, storage: null },
      ...{ host: '127.0.0.1', port: 7433, names: [], certificate: null, plainHttp: false, hasWorker: true },
      ...{ retentionDays: null, newAdminKey: false, allowPrivateAddresses: false, announce: false },
    })
  })

  it('reads its options, and paths against the caller’s folder', () => {
    const args = ['--data-dir', 'd', '--host', '::', '--port', '0', '--name', 'a', '--name', 'https://b']
    const tls = ['--certificate', 'c.pem', '--certificate-key', '/k.pem']
    const more = ['--workers', '0', '--retention', '7', '--database', 'postgres://h/n', '--storage', 's3://b', '--json']
    expect(parseCommand(['serve', ...args, ...tls, ...more, '--new-admin-key'], '/here')).toMatchObject({
      ...{ dataDir: '/here/d', host: '::', port: 0, names: ['a', 'https://b'], hasWorker: false, retentionDays: 7 },
      ...{ certificate: { certificate: '/here/c.pem', key: '/k.pem' }, newAdminKey: true, json: true },
      ...{ database: 'postgres://h/n', storage: 's3://b' },
    })
  })

  it.each([
    [['--port', '65536'], '--port must be a whole number from 0 to 65535'],
    [['--port', '7e3'], '--port'],
    [['--retention', '0'], '--retention'],
    [['--workers', '2'], '--workers must be 0 or 1'],
    [['--certificate', 'c.pem'], '--certificate-key is missing'],
    [['--certificate-key', 'k.pem'], '--certificate is missing'],
    [['--certificate', 'c', '--certificate-key', 'k', '--plain-http'], 'either --certificate or --plain-http'],
    [['--tls'], '--tls'],
    [['now'], 'Unexpected: now'],
  ])('%j is refused', (args, reason) => expect(() => parseCommand(['serve', ...args], '/here')).toThrow(reason))
})

describe('a server on the local network', () => {
  const parse = (...args: string[]) => parseCommand(['serve', ...args], '/')

  it('is announced only if asked', () => {
    expect(parse('--host', '0.0.0.0')).toMatchObject({ announce: false })
    expect(parse('--host', '0.0.0.0', '--announce')).toMatchObject({ announce: true })
  })

  it.each([
    ['that only this computer reaches', []],
    ['without encryption', ['--host', '0.0.0.0', '--plain-http']],
    ['with a given certificate', ['--host', '0.0.0.0', '--certificate', 'a.pem', '--certificate-key', 'b.pem']],
  ])('is not announced %s', (_which, args) => {
    expect(() => parse(...args)).not.toThrow()
    expect(() => parse(...args, '--announce')).toThrow(expect.objectContaining({ code: 'usage' }))
  })
})

describe('worker and pair', () => {
  it('read their options', () => {
    expect(parseCommand(['worker', '--allow-private-addresses'], '/here')).toEqual({
      ...{ command: 'worker', json: false, dataDir: null, database: null, storage: null, allowPrivateAddresses: true },
    })
    expect(parseCommand(['pair', '18446744073709551615', '--server', 'https://mien.example.com'], '/here')).toEqual({
      ...{ command: 'pair', json: false, dataDir: null, userId: '18446744073709551615' },
      server: 'https://mien.example.com',
    })
  })

  it.each([[[]], [['-1']], [['18446744073709551616']], [['anna']]])('pair %j is refused', (args) => {
    expect(() => parseCommand(['pair', ...args], '/here')).toThrow()
  })

  it('are commands, also behind Chromium’s switches', () => {
    const args = ['serve', '--port', '1']
    expect(readLaunch(['--no-sandbox', '--log-level=3', ...args], '/here')).toEqual({ kind: 'cli', cwd: '/here', args })
  })
})

it('options win over the environment', () => {
  const env = { MIEN_DATABASE: 'postgres://env/n', MIEN_STORAGE: '' }
  expect(placesFrom({ database: null, storage: null }, env)).toEqual({ database: 'postgres://env/n', storage: null })
  expect(placesFrom({ database: 'postgres://h/n', storage: 'd' }, env)).toEqual({
    ...{ database: 'postgres://h/n', storage: 'd' },
  })
})

const own = ['127.0.0.1', 'fe80::1', '192.0.2.7', 'localhost']
it.each([
  ['127.0.0.1', [], 'http://127.0.0.1:1'],
  ['0.0.0.0', [], 'http://192.0.2.7:1'],
  ['::1', [], 'http://[::1]:1'],
  ['0.0.0.0', ['mien.example.com', 'other'], 'http://mien.example.com:1'],
  ['0.0.0.0', ['https://mien.example.com/'], 'https://mien.example.com'],
])('the address for creators of %s with the names %j', (host, names, address) => {
  expect(addressFor({ host, port: 1, names, scheme: 'http', own })).toBe(address)
})
