import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { expect, describe, it, vi } from 'vitest'
import type { AppContext } from '../../../../../src/main/app/app-context.ts'
import { Diagnostics } from '../../../../../src/main/app/diagnostics/diagnostics.ts'
import { diagnosticsFiles, type Facts, zipOf } from '../../../../../src/main/app/diagnostics/report.ts'
import { settingsSchema } from '@shared/settings/settings.ts'
import { makeTask, video } from '../../../../fixtures/tasks.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'

vi.mock('electron', () => ({
  app: {
    ...{ isPackaged: false, getVersion: () => '1.0.0', getPath: () => '/nowhere', getLocale: () => 'en' },
    ...{ getGPUInfo: () => Promise.resolve(null), getGPUFeatureStatus: () => ({}) },
  },
  screen: { getAllDisplays: () => [] },
}))

/** Keys as services make them; some look like nothing at all. */
const planted = ['sk-live-Z9x8w7v6u5', 'b3BlbiBzZXNhbWU', '7f3d-2b1a-99c0', 'tr0ub4dor&3', 'p@ss/w"rd+1', '7f3d-2b1a']
const [live, plain, dashed, password, odd = ''] = planted
const signature = 'X-Amz-Signature=deadbeefcafe'

const log = [
  `[warn] request failed: { headers: { 'X-Service-Apikey': '${String(live)}', 'x-studio-auth': '${String(plain)}' } }`,
  `[warn] Authorization: Bearer ${String(dashed)}`,
  `[warn] body {"error":"key ${String(dashed)} is not known","key":"${String(plain)}"}`,
  `[info] GET https://media.example/v.mp4?${signature}&e=1#t=2 failed`,
  `[info] proxy http://ada:${String(password)}@proxy.example:3128`,
  `[info] open ${join(homedir(), 'Movies', 'x.mp4')} and /home/ada lovelace/x.mp4 and C:\\Users\\Ada\\x.mp4`,
  `[info] {"path":"C:\\\\Users\\\\Ada Lovelace\\\\x.mp4"} /Users/ada/x.mp4`,
  `[info] proxy http://ada:${odd}@proxy.example:3128 and http://ada:${encodeURIComponent(odd)}@proxy.example`,
  `[warn] body ${JSON.stringify({ said: odd })} and ${Buffer.from(odd).toString('base64')}`,
  `[warn] result-unreadable {"name":"Grandma’s birthday"}: MienError { details: { name: 'Grandma’s birthday' } }`,
  `[warn] Error: ENOENT: no such file or directory, open '/mnt/usb stick/Our wedding.mp4' { path: '/mnt/usb stick/Our wedding.mp4' }`,
  `[info] taken: wedding-night.mov from file://${encodeURI(homedir())}/wedding-night.mov`,
  `[warn] https://swap.example/api/v1/faceswap-openapi/create did not answer; connect ECONNREFUSED swap.example:443`,
  `[warn] PUT /bucket/a?X-Amz-Credential=AKIAPLANTED&X-Amz-Security-Token=PLANTEDTOKEN&${signature}`,
].join('\n')

const facts: Facts = {
  versions: { mien: '1.0.0', started: `mien --key=${String(live)}` },
  settings: { ...settingsSchema.parse({}), lastProfileId: 'remote' },
  locked: ['resultsFolder'],
  services: [
    { id: 'embedded', baseUrl: null, keyKept: 'keychain' },
    { id: 'remote', baseUrl: `https://swap.example/${String(plain)}`, keyKept: 'session' },
  ],
  tasks: [
    makeTask({
      title: `My ${String(live)} clip`,
      serviceStatus: String(dashed),
      video: { ...video, name: 'private.mp4', address: `https://media.example/v.mp4?${signature}` },
      error: {
        code: 'request-refused',
        details: { message: `key ${String(plain)} unknown`, name: 'private.mp4', status: 401 },
      },
      state: 'failed',
    }),
  ],
  computer: { graphics: { note: `/home/ada/.drirc ${String(live)}` } },
  codecs: { 'H.264 decode': true },
  crashes: [{ at: '2026-01-01T00:00:00.000Z', bytes: 5 }],
  logs: [
    { name: 'mien.log', text: log },
    { name: 'mien.old.log', text: log.repeat(3) },
  ],
}

const files = diagnosticsFiles(facts, planted)
const all = files.map(({ name, data }) => `${name}\n${data.toString()}`).join('\n')
/** What is left of this log. */
const cleaned = (text: string): string =>
  diagnosticsFiles({ ...facts, logs: [{ name: 'mien.log', text }] }, planted)
    .at(-1)
    ?.data.toString() ?? ''

describe('the diagnostics', () => {
  const encoded = [encodeURIComponent(odd), Buffer.from(odd).toString('base64'), 'p@ss', 'w"rd', '-99c0']
  const signatures = [signature, 'deadbeefcafe', 'AKIAPLANTED', 'PLANTEDTOKEN', 'swap.example']
  const people = [homedir(), '/home/ada', 'lovelace', 'Lovelace', 'Users']
  const names = ['private.mp4', 'My ', 'Grandma', 'wedding', 'usb stick']
  it.each([...planted, ...encoded, ...signatures, ...people, ...names])(
    'hold nothing of %j, wherever it was',
    (secret) => expect(all).not.toContain(secret),
  )

  it('hold nothing of a key that only its form gives away', () => {
    const text = diagnosticsFiles(facts, [])
      .map(({ data }) => data.toString())
      .join('\n')
    for (const secret of [live, password, signature]) expect(text).not.toContain(secret)
  })

  it('say what is needed to understand a fault', () => {
    expect(files.map(({ name }) => name)).toEqual([
      ...['versions.json', 'settings.json', 'services.json', 'swaps.json', 'computer.json', 'crashes.json'],
      ...['logs/mien.log', 'logs/mien.old.log'],
    ])
    const error = { code: 'request-refused', details: { status: 401 } }
    const swaps: unknown = JSON.parse(files[3]?.data.toString() ?? '')
    expect(swaps).toMatchObject([{ id: 'task-1', service: 'service-1', state: 'failed', error }])
    expect(all).toContain('"H.264 decode": true')
    expect(all).toContain('https://media.example/….mp4?…')
    expect(all).toContain('service-1/api/v1/faceswap-openapi/create did not answer; connect ECONNREFUSED service-1:443')
    expect(all).toContain("ENOENT: no such file or directory, open '….mp4'")
  })

  it('begin a long log at a whole line, so that no half of a key stands first', () => {
    const line = `[warn] ${'x'.repeat(400)} ${String(plain)}\n`
    const text = cleaned(line.repeat(1300))
    expect(text.length).toBeGreaterThan(400_000)
    expect(text.startsWith('[warn] ')).toBe(true)
  })

  it('take no longer for a log of one long line', () => {
    expect(cleaned(`[warn] ${'A'.repeat(400_000)} ${String(plain)}`)).toMatch(/A …$/)
  })

  it('of the running app hold no key of the vault, in no log', async () => {
    const dataDir = tempDir()
    mkdirSync(join(dataDir, 'logs'))
    writeFileSync(join(dataDir, 'logs', 'mien.old.log'), '[warn] a service said: who is planted-7f3d2b1a?')
    // Nothing else of the app is read.
    const context = {
      profiles: { list: () => Promise.resolve([]) },
      settings: { settings: facts.settings, locked: [] },
      library: { newest: () => [] },
      benchmark: { measured: null },
      vault: { secrets: ['planted-7f3d2b1a'] },
    } as unknown as AppContext
    const collected = await new Diagnostics({ context, dataDir, window: () => null, secrets: [] }).collect({})
    expect(collected.at(-1)).toMatchObject({ name: 'logs/mien.old.log', text: '[warn] a service said: who is …?' })
  })

  it('are a zip that others can read, whose every byte is free of what was planted', async () => {
    const read = unzipSync(await zipOf(files, new Date(2026, 10, 20, 12, 30, 10)))
    const texts = Object.entries(read).map(([name, data]) => `${name}\n${strFromU8(data)}`)
    expect(texts.join('\n')).toBe(all)
  })
})
