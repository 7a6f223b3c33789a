import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { defaultOptions } from '@shared/options/default-options.ts'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import type { UploadTarget } from '@shared/service/upload-target.ts'
import { exportText } from '../../../../../src/main/machine/settings/exchange.ts'
import { storedProfileSchema } from '@shared/service/profile.ts'
import { settingsVersion } from '../../../../../src/main/machine/settings/migrate-settings.ts'
import { SettingsStore } from '../../../../../src/main/machine/settings/settings-store.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const inDir = tempPaths()
const other = (): string => mkdtempSync(inDir('other-'))

const profile = storedProfileSchema.parse({
  ...{ id: 'p1', name: 'Studio', baseUrl: 'https://swap.example', keyHeader: 'X-Key', durationUnit: 's' },
  allowHttp: false,
})
/** Settings with this service. */
function withService(): SettingsStore {
  const store = new SettingsStore(inDir(), 1)
  store.setProfiles([profile])
  return store
}
/** As `exportText` writes it, with this content. */
const file = (content: object): string =>
  JSON.stringify({ app: 'mien', kind: 'settings', format: 1, settings: {}, ...content })

const pin = (letter: string): string => `sha256/${letter.repeat(43)}=`
const pinned = { ...profile, fingerprint: pin('A') }

const target: UploadTarget = {
  ...{ endpoint: 'https://s3.example', bucket: 'clips', region: 'eu-central-1', style: 'path', prefix: '' },
  ...{ publicUrl: null, lifetimeHours: 24, deleteAfter: true },
}

describe('settings as a file', () => {
  it('are the same on another computer, without what belongs to this one', () => {
    const here = new SettingsStore(inDir(), 1)
    here.set({ theme: 'light', updateDownload: true })
    here.setProfiles([pinned])
    here.setUploadTarget('p1', target)
    here.keep({ resultsFolder: inDir() })
    const text = exportText(here.exchanged)
    expect(text).not.toContain(here.install)
    const there = new SettingsStore(other(), 1)
    expect(there.import(text, 'a.json')).toEqual({ services: 1, added: [], leftOut: [] })
    expect(there.settings).toEqual(here.settings)
    expect(there.profiles).toEqual([pinned])
    expect(there.uploadTarget('p1')).toEqual(target)
    expect(there.resultsFolder).toBe(inDir())
  })

  it('add presets to those that are here, and replace those of the same id', () => {
    const preset = (id: string, name: string) => ({ id, name, options: defaultOptions })
    const here = new SettingsStore(inDir(), 1)
    here.set({ presets: [preset('a', 'Reel'), preset('b', 'Client')] })
    const there = new SettingsStore(other(), 1)
    there.set({ presets: [preset('c', 'Own'), preset('b', 'Old')] })
    there.import(exportText(here.exchanged), 'a.json')
    expect(there.settings.presets.map(({ name }) => name)).toEqual(['Own', 'Reel', 'Client'])
    there.import(file({}), 'b.json')
    expect(there.settings.presets).toHaveLength(3)
  })

  it.each([
    ['a text', 'theme=light'],
    ['another program’s', '{"app": "cutter", "settings": {"theme": "light"}}'],
    ['another program’s in the same form', '{"app": "cutter", "kind": "settings", "format": 1, "settings": {}}'],
    ['a list', '[]'],
    ['settings.json itself', '{"version": 1, "install": "12345678", "settings": {}}'],
  ])('are refused when the file is %s, and nothing changes', (_what, text) => {
    const store = new SettingsStore(inDir(), 1)
    const before = readFileSync(inDir('settings.json'), 'utf8')
    expect(() => store.import(text, 'x.json')).toThrow(
      expect.objectContaining({ code: 'import-foreign', details: { name: 'x.json' } }),
    )
    expect(readFileSync(inDir('settings.json'), 'utf8')).toBe(before)
  })

  it('of a newer Mien are refused', () => {
    const text = file({ format: 2 })
    expect(() => new SettingsStore(inDir(), 1).import(text, 'x.json')).toThrow('data-newer')
  })

  it('take over what fits and name what does not', () => {
    const store = new SettingsStore(inDir(), 1, { settings: { updateCheck: false }, resultsFolder: '/srv' })
    const settings = { theme: 'light', libraryView: 'heap', colour: 'red', updateCheck: true }
    const profiles = [profile, { id: 'x' }, { ...profile, id: 'p2', baseUrl: 'file:///etc/passwd' }]
    const text = file({ settings, profiles, resultsFolder: '/mnt' })
    expect(store.import(text, 'x.json')).toEqual({
      services: 1,
      added: [],
      leftOut: ['libraryView', 'colour', 'updateCheck', 'profiles.1', 'profiles.2', 'resultsFolder'],
    })
    expect(store.settings).toMatchObject({ theme: 'light', libraryView: 'grid', updateCheck: false })
  })
})

describe('a pinned certificate', () => {
  it.each([
    ['another one', pin('B')],
    ['none', null],
  ])('is not replaced by %s from a file: the stored key would go to another server', (_what, fingerprint) => {
    const store = new SettingsStore(inDir(), 1)
    store.setProfiles([pinned])
    const text = exportText({ ...store.exchanged, profiles: [{ ...pinned, fingerprint }] })
    expect(store.import(text, 'x.json')).toMatchObject({ added: ['Studio'] })
    expect(store.profiles).toMatchObject([pinned, { fingerprint }])
    expect(store.profiles[1]?.id).not.toBe('p1')
  })

  it('that is damaged leaves its service out, instead of trusting any certificate', () => {
    const store = new SettingsStore(inDir(), 1)
    const text = file({ profiles: [{ ...profile, fingerprint: 'sha256/short' }] })
    expect(store.import(text, 'x.json')).toMatchObject({ services: 0, leftOut: ['profiles.0'] })
  })

  it('is none in a file from before there were any, which counts as undamaged', () => {
    const { fingerprint: _, ...before } = profile
    writeFileSync(inDir('settings.json'), JSON.stringify({ version: settingsVersion, profiles: [before] }))
    expect(new SettingsStore(inDir(), 1)).toMatchObject({
      isDamaged: false,
      profiles: [{ id: 'p1', fingerprint: null }],
    })
  })
})

describe('a hostile settings file', () => {
  const hostile = { ...profile, baseUrl: 'https://thief.example' }

  it('does not lead a key to another address: the service is added beside the known one, under an id without a key', () => {
    const store = withService()
    const text = file({ profiles: [hostile], settings: { lastProfileId: 'p1' } })
    expect(store.import(text, 'x.json')).toEqual({ services: 1, added: ['Studio'], leftOut: [] })
    expect(store.profiles).toHaveLength(2)
    expect(store.profiles[0]).toEqual(profile)
    const [, added] = store.profiles
    expect(added).toEqual({ ...hostile, id: added?.id })
    expect(added?.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(store.settings.lastProfileId).toBe(added?.id)
    // The same file once more adds nothing.
    store.import(text, 'x.json')
    expect(store.profiles).toHaveLength(2)
  })

  it('replaces a known service at its address', () => {
    const store = withService()
    expect(store.import(file({ profiles: [{ ...profile, name: 'Renamed' }] }), 'x.json').added).toEqual([])
    expect(store.profiles).toEqual([{ ...profile, name: 'Renamed' }])
  })

  it.each(['p1/admin', 'p1/session', 'upload-target.p1', embeddedProfileId, 'set-up-0123456789ab', '../p1', ''])(
    'does not name %j, the keychain entry of something else, as its service',
    (id) => {
      const store = withService()
      expect(store.import(file({ profiles: [{ ...hostile, id }] }), 'x.json')).toEqual({
        ...{ services: 0, added: [], leftOut: ['profiles.0'] },
      })
      expect(store.profiles).toEqual([profile])
    },
  )

  it('does not take the id of a service that is set up for this computer', () => {
    const store = new SettingsStore(inDir(), 1, { profiles: [profile] })
    expect(store.import(file({ profiles: [hostile] }), 'x.json').services).toBe(0)
    expect(store.profiles).toEqual([])
  })

  it.each([
    ['endpoint', { endpoint: 'https://thief.example' }],
    ['bucket', { bucket: 'thiefs-bucket' }],
    ['public address', { publicUrl: 'https://thief.example/clips' }],
  ])('does not lead an upload target’s credentials to another %s', (_what, change) => {
    const store = withService()
    store.setUploadTarget('p1', target)
    const text = file({ profiles: [profile], uploadTargets: { p1: { ...target, ...change } } })
    expect(store.import(text, 'x.json').leftOut).toEqual(['uploadTargets.p1'])
    expect(store.uploadTarget('p1')).toEqual(target)
  })

  it('gives the upload target of an added service to that service alone', () => {
    const store = withService()
    store.setUploadTarget('p1', target)
    const other = { ...target, endpoint: 'https://thief.example' }
    store.import(file({ profiles: [hostile], uploadTargets: { p1: other } }), 'x.json')
    expect(store.uploadTarget('p1')).toEqual(target)
    expect(store.uploadTarget(store.profiles[1]?.id ?? '')).toEqual(other)
  })

  const share = '\\\\thief.example\\share'
  it.each(['relative/folder', '//thief.example/share', share, '/nowhere/at/all', import.meta.filename])(
    'does not make %j the results folder',
    (resultsFolder) => {
      const store = new SettingsStore(inDir(), 1)
      expect(store.import(file({ resultsFolder }), 'x.json').leftOut).toEqual(['resultsFolder'])
      expect(store.resultsFolder).toBeNull()
    },
  )
})

describe('what is set up for a computer', () => {
  const policy = {
    settings: { updateCheck: false },
    resultsFolder: '/srv',
    profiles: [profile],
    uploadTargets: { p1: target },
  }

  it('has the last word about where files go', () => {
    const store = new SettingsStore(inDir(), 1, policy)
    store.setUploadTarget('p1', null)
    expect(store.uploadTarget('p1')).toEqual(target)
    expect(new SettingsStore(inDir(), 2).uploadTarget('p1')).toBeNull()
  })

  it('lies over the user’s settings and leaves them as they were', () => {
    const user = new SettingsStore(inDir(), 1)
    user.keep({ resultsFolder: '/mnt/mine' })
    const managed = new SettingsStore(inDir(), 2, policy)
    expect(managed.locked).toEqual(['resultsFolder', 'updateCheck'])
    expect(managed.resultsFolder).toBe('/srv')
    expect(managed.set({ updateCheck: true, theme: 'dark' })).toMatchObject({ updateCheck: false, theme: 'dark' })
    const after = new SettingsStore(inDir(), 3)
    expect([after.resultsFolder, after.settings.updateCheck, after.settings.theme]).toEqual(['/mnt/mine', true, 'dark'])
    expect([managed.presetProfiles, after.profiles]).toEqual([[profile], []])
  })
})

it('settings of a newer Mien are refused and left as they are', () => {
  const text = `{"version": ${String(settingsVersion + 1)}, "everything": "new"}`
  writeFileSync(inDir('settings.json'), text)
  expect(() => new SettingsStore(inDir(), 1)).toThrow(
    expect.objectContaining({ code: 'data-newer', details: { data: 'settings' } }),
  )
  expect(readFileSync(inDir('settings.json'), 'utf8')).toBe(text)
  expect(readdirSync(inDir())).toEqual(['settings.json'])
})
