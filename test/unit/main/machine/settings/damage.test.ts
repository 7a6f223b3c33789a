import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SettingsStore } from '../../../../../src/main/machine/settings/settings-store.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const inDir = tempPaths()

const file = () => inDir('settings.json')
const profile = (id: string, more: object = {}) => ({
  ...{ id, name: id, baseUrl: 'https://a.example', keyHeader: 'X-Key', durationUnit: 'ms', allowHttp: false },
  ...more,
})
const whole = () => ({
  version: 2,
  install: 'install-0001',
  settings: { theme: 'dark' },
  profiles: [profile('one'), profile('two')],
  notes: { one: { keys: ['first', 'k2'], paused: true }, two: {} },
})
const write = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  writeFileSync(file(), text)
  return text
}

describe('settings that are damaged', () => {
  it.each<[string, unknown]>([
    ['not JSON', '{"settings": {"theme": "da'],
    ['empty', ''],
    ['null', 'null'],
    ['a list', '[1, 2]'],
    ['a number', '7'],
    ['a setting of the wrong type', { ...whole(), settings: { theme: 3 } }],
    ['settings of the wrong type', { ...whole(), settings: 'dark' }],
    ['profiles of the wrong type', { ...whole(), profiles: { one: profile('one') } }],
    ['one bad profile', { ...whole(), profiles: [profile('one'), profile('two', { durationUnit: 'sec' })] }],
    ['a bad limit in a profile', { ...whole(), profiles: [profile('one', { inFlight: -1 })] }],
    ['bad notes of one service', { ...whole(), notes: { one: 5 } }],
    ['a bad word in the notes', { ...whole(), notes: { one: { words: { baking: 'who knows' } } } }],
    ['a bad upload target', { ...whole(), uploadTargets: { one: { bucket: '' } } }],
    ['an install that is too short', { ...whole(), install: 'x' }],
  ])('%s: a copy is kept, and its name said', (_what, value) => {
    const before = write(value)
    const store = new SettingsStore(inDir(), 42)
    expect(store.backup).toBe('settings.broken-42.json')
    expect(readFileSync(inDir('settings.broken-42.json'), 'utf8')).toBe(before)
    // What was written instead is sound.
    expect(new SettingsStore(inDir(), 43)).toMatchObject({ isDamaged: false, backup: null })
  })

  it('lose only what is wrong: one bad profile costs neither the others nor the rest', () => {
    write({
      ...whole(),
      profiles: [profile('bad', { durationUnit: 'sec' }), profile('one'), 'x', profile('two')],
      notes: { bad: 5, one: whole().notes.one },
    })
    const store = new SettingsStore(inDir(), 42)
    store.setProfiles([...store.profiles, { ...profile('three'), durationUnit: 's', ...limits }])
    const after = new SettingsStore(inDir(), 43)
    expect(after.profiles.map(({ id }) => id)).toEqual(['one', 'two', 'three'])
    expect(after.settings.theme).toBe('dark')
    expect(after.install).toBe('install-0001')
    expect(after.notes('one')).toMatchObject({ keys: ['first', 'k2'], paused: true })
  })

  it('are left where they are beside an open Mien, and said to be damaged', () => {
    const before = write({ ...whole(), settings: { theme: 3 } })
    const store = new SettingsStore(inDir(), 42, undefined, true)
    expect(store).toMatchObject({ isDamaged: true, backup: null })
    expect(store.profiles).toHaveLength(2)
    expect(readFileSync(file(), 'utf8')).toBe(before)
    expect(readdirSync(inDir())).toEqual(['settings.json'])
  })
})

const limits = { idsPerCall: null, inFlight: null, adminHeader: null, fingerprint: null }

describe('settings that are sound', () => {
  it.each<[string, unknown]>([
    ['whole', whole()],
    ['with fields that nothing is known of', { ...whole(), more: 1, profiles: [profile('one', { color: 'red' })] }],
    ['without what has a default', { version: 2, install: 'install-0001' }],
    ['of the first version', { install: 'install-0001', profiles: [profile('one', { spelling: { list: '/a' } })] }],
  ])('%s: no copy', (_what, value) => {
    write(value)
    expect(new SettingsStore(inDir(), 42)).toMatchObject({ isDamaged: false, backup: null })
    expect(readdirSync(inDir()).filter((name) => name.includes('broken'))).toEqual([])
  })

  it('that are not there yet: no copy', () => {
    expect(new SettingsStore(inDir(), 42)).toMatchObject({ isDamaged: false, backup: null })
  })
})
