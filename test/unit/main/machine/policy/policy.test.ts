import { mkdirSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { proxyConfig, type Policy } from '../../../../../src/main/machine/policy/policy.ts'
import { policyPath, readPolicy } from '../../../../../src/main/machine/policy/read-policy.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const noPolicy: Policy = {
  ...{ profiles: [], uploadTargets: {}, resultsFolder: null, settings: {} },
  ...{ updateAddress: null, proxy: null, signing: null },
}
const inDir = tempPaths()
let machine: string
beforeEach(() => {
  machine = inDir('policy.json')
})

const read = (content: unknown, env: Record<string, string> = {}) => {
  if (content !== undefined) writeFileSync(machine, typeof content === 'string' ? content : JSON.stringify(content))
  return readPolicy('linux', env, machine)
}
const service = { name: 'Studio', baseUrl: 'https://swap.example/api/' }

describe('the set-up of a computer', () => {
  it('is empty where nobody made one', () => expect(read(undefined)).toEqual({ policy: noPolicy, problems: [] }))

  const mirror = { address: 'https://mirror.example/mien/', channel: 'beta' }
  const signing = { certificate: '/etc/mien/chain.pem', key: '/etc/mien/key.pem' }
  const proxy = (login: { user: string; password: string } | null) => ({ rules: 'http://proxy.example:3128', login })

  it.each<[string, unknown, Partial<Policy>]>([
    ['a folder', { resultsFolder: '/srv/videos' }, { resultsFolder: '/srv/videos' }],
    ['no updates', { updates: { check: false } }, { settings: { updateCheck: false } }],
    ['updates without asking', { updates: { download: 'automatic' } }, { settings: { updateDownload: true } }],
    [
      'other updates',
      { updates: mirror },
      { updateAddress: 'https://mirror.example/mien', settings: { updateChannel: 'beta' } },
    ],
    ['a label', { label: 'china' }, { settings: { label: 'china' } }],
    ['no proxy', { proxy: 'none' }, { proxy: 'none' }],
    ['a proxy', { proxy: 'proxy.example:3128' }, { proxy: proxy(null) }],
    [
      'a password',
      { proxy: 'http://ada:p%40ss@proxy.example:3128' },
      { proxy: proxy({ user: 'ada', password: 'p@ss' }) },
    ],
    ['results without credentials', { credentials: { use: 'off' } }, { settings: { credentials: 'off' } }],
    [
      'a certificate',
      { credentials: { use: 'required', ...signing } },
      { settings: { credentials: 'required' }, signing },
    ],
    ['no certificate without its key', { credentials: { certificate: '/etc/mien/chain.pem' } }, {}],
    ['a word for editors', { $schema: 'x' }, {}],
    ['a mark at the beginning, as Notepad writes it', `\uFEFF{"resultsFolder": "/srv"}`, { resultsFolder: '/srv' }],
  ])('takes %s', (_what, content, policy) => {
    expect(read(content)).toEqual({ policy: { ...noPolicy, ...policy }, problems: [] })
  })

  it('brings services, each with an id that is the same at each start', () => {
    const [first] = read({ profiles: [service] }).policy.profiles
    const [again] = read({ profiles: [service] }).policy.profiles
    expect(first).toMatchObject({ name: 'Studio', baseUrl: 'https://swap.example/api', keyHeader: 'X-Service-Apikey' })
    expect(again?.id).toBe(first?.id)
  })

  it('brings the certificate of a service', () => {
    const fingerprint = `sha256/${'A'.repeat(43)}=`
    expect(read({ profiles: [{ ...service, fingerprint }] }).policy.profiles).toMatchObject([{ fingerprint }])
  })

  it('brings where files go for a service that takes addresses only', () => {
    const uploadTarget = { endpoint: 'https://s3.example/', bucket: 'clips', region: 'eu-central-1', prefix: 'house' }
    const { policy, problems } = read({ profiles: [{ ...service, uploadTarget }] })
    expect(problems).toEqual([])
    expect(policy.uploadTargets[policy.profiles[0]?.id ?? '']).toEqual({
      ...{ endpoint: 'https://s3.example', bucket: 'clips', region: 'eu-central-1', prefix: 'house/' },
      ...{ style: 'path', publicUrl: null, deleteAfter: true, lifetimeHours: 24 },
    })
    const names = (target: object) => read({ profiles: [{ ...service, uploadTarget: target }] }).problems[0]?.names
    expect(names({ ...uploadTarget, endpoint: 'http://s3.example' })).toEqual(['profiles.0.uploadTarget.endpoint'])
    expect(names({ ...uploadTarget, secretAccessKey: 's' })).toEqual(['profiles.0.uploadTarget.secretAccessKey'])
  })

  const problem = (content: unknown, kind: string, ...names: string[]) => {
    expect(read(content).problems).toEqual([{ where: machine, problem: kind, names }])
  }

  it.each(['{"updates": ', []])('that is no object is told: %j', (content) => problem(content, 'syntax'))

  it('whose names nobody knows is told by name', () => {
    problem({ resultsFolder: '/srv', colour: 'red', updates: { often: true } }, 'unknown', 'colour', 'updates.often')
  })

  it.each<[string, unknown, ...names: string[]]>([
    ['a folder that is not whole', { resultsFolder: 'videos' }, 'resultsFolder'],
    ['updates of no kind', { updates: { channel: 'nightly', check: 'no' } }, 'updates.check', 'updates.channel'],
    ['a label that nobody knows', { label: 'us' }, 'label'],
    ['a proxy of no kind', { proxy: 'ftp://x' }, 'proxy'],
    ['an address without encryption', { updates: { address: 'http://mirror.example' } }, 'updates.address'],
    ['a service without an address', { profiles: [{ name: 'x' }, service] }, 'profiles.0.baseUrl'],
    ['a service with a key', { profiles: [{ ...service, key: 'sk-1' }] }, 'profiles.0.key'],
    ['half a fingerprint', { profiles: [{ ...service, fingerprint: 'sha256/abc' }] }, 'profiles.0.fingerprint'],
    ['a service where a list should be', { profiles: service }, 'profiles'],
  ])('that has %s is told by name', (_what, content, ...names) => problem(content, 'invalid', ...names))

  it('applies, less what is wrong in it', () => {
    const { policy } = read({ colour: 'red', resultsFolder: 3, proxy: 'none', profiles: [{}, service] })
    expect(policy).toMatchObject({ resultsFolder: null, proxy: 'none' })
    expect(policy.profiles).toHaveLength(1)
  })

  it('comes from the environment, too, but a file for all users has the last word', () => {
    const profiles = JSON.stringify([service])
    const env = { MIEN_UPDATES: 'off', MIEN_RESULTS_FOLDER: '/mnt/a', MIEN_PROXY: 'none', MIEN_PROFILES: profiles }
    expect(read(undefined, env).policy).toMatchObject({
      ...{ settings: { updateCheck: false }, resultsFolder: '/mnt/a', proxy: 'none', profiles: [{ name: 'Studio' }] },
    })
    const both = read({ resultsFolder: '/srv', updates: { check: true } }, env)
    expect(both.policy).toMatchObject({ settings: { updateCheck: true }, resultsFolder: '/srv', proxy: 'none' })
  })

  it('names the variable that does not fit', () => {
    const { problems } = read(undefined, { MIEN_UPDATE_CHANNEL: 'fast', MIEN_PROFILES: '[' })
    expect(problems).toEqual([
      { where: 'MIEN_PROFILES', problem: 'invalid', names: ['profiles'] },
      { where: 'MIEN_UPDATE_CHANNEL', problem: 'invalid', names: ['updates.channel'] },
    ])
  })

  it('is not looked for where a variable of the user says', () => {
    mkdirSync(inDir('Mien'))
    writeFileSync(inDir('Mien', 'policy.json'), '{"resultsFolder": "/mnt/own"}')
    expect(readPolicy('win32', { ProgramData: inDir() }).policy.resultsFolder).toBeNull()
  })

  it('is not replaced by a file of the user’s own', () => {
    const own = inDir('own.json')
    writeFileSync(own, '{"resultsFolder": "/mnt/own"}')
    expect(read(undefined, { MIEN_POLICY: own }).policy.resultsFolder).toBe('/mnt/own')
    expect(read({ resultsFolder: '/srv' }, { MIEN_POLICY: own }).policy.resultsFolder).toBe('/srv')
  })
})

it.each<[NodeJS.Platform, string]>([
  ['linux', '/etc/mien/policy.json'],
  ['darwin', '/Library/Application Support/Mien/policy.json'],
  ['win32', 'C:\\ProgramData\\Mien\\policy.json'],
])('on %s it lies at %s', (platform, path) => expect(policyPath(platform)).toBe(path))

it('speaks to Chromium in its own words', () => {
  expect(proxyConfig('system')).toEqual({ mode: 'system' })
  expect(proxyConfig('none')).toEqual({ mode: 'direct' })
  const fixed = { mode: 'fixed_servers', proxyRules: 'socks5://p:1' }
  expect(proxyConfig({ rules: 'socks5://p:1', login: null })).toEqual(fixed)
})
