import { beforeEach, describe, expect, it } from 'vitest'
import { KeyVault } from '../../../../../src/main/machine/keychain/key-vault.ts'
import { ProfileKeys } from '../../../../../src/main/remote/profiles/profile-keys.ts'
import { maskKey } from '../../../../../src/main/remote/profiles/service-keys.ts'
import { migrateSettings } from '../../../../../src/main/machine/settings/migrate-settings.ts'
import { serviceNotesSchema, type ServiceNotes } from '../../../../../src/main/machine/settings/stored-profile.ts'
import { memoryKeychain } from '../../../../fixtures/credentials.ts'

/** As version 1 wrote it. */
const first = {
  version: 1,
  install: 'an-install',
  settings: { theme: 'dark' },
  profiles: [
    {
      ...{ id: 'p-1', name: 'Agency', baseUrl: 'https://x.example', keyHeader: 'X-Key', durationUnit: 's' },
      ...{ allowHttp: false, spelling: { list: '/v1/faceswap_openapi/listbyids' } },
    },
    null,
  ],
}

describe('settings of the first version', () => {
  it('keep what was learned about a service, now in its notes', () => {
    expect(migrateSettings(first)).toMatchObject({
      version: 2,
      notes: { 'p-1': { spelling: { list: '/v1/faceswap_openapi/listbyids' } } },
      profiles: first.profiles,
      settings: { theme: 'dark' },
    })
  })

  it.each([{}, { profiles: 'no list' }, { version: 'two', profiles: [7] }])('%j is read without harm', (raw) => {
    expect(migrateSettings(raw)).toMatchObject({ version: 2, notes: {} })
  })
})

describe('the keys of a service', () => {
  let notes: Record<string, ServiceNotes>
  let secrets: Map<string, string>
  let keys: ProfileKeys

  beforeEach(() => {
    notes = {}
    secrets = new Map()
    keys = new ProfileKeys(new KeyVault(memoryKeychain(secrets)), {
      notes: (id) => notes[id] ?? serviceNotesSchema.parse({}),
      setNotes: (id, next) => (notes[id] = next ?? serviceNotesSchema.parse({})),
    })
  })

  it('finds the one key of the first version where it lies', async () => {
    secrets.set('p-1@here', 'sk-old-1111')
    expect(await keys.read('p-1')).toBe('sk-old-1111')
    expect(await keys.list('p-1')).toEqual([{ id: 'first', lastFour: '1111', kept: 'keychain', active: true }])
  })

  it('keeps several, one of them active, and replaces only that one', async () => {
    await keys.set('p-1', 'sk-one-1111', 'keychain')
    await keys.set('p-1', 'sk-two-2222', 'keychain', true)
    expect(await keys.read('p-1')).toBe('sk-two-2222')
    await keys.set('p-1', 'sk-new-3333', 'keychain')
    expect((await keys.list('p-1')).map(({ lastFour, active }) => [lastFour, active])).toEqual([
      ['1111', false],
      ['3333', true],
    ])
    await keys.use('p-1', 'first')
    expect(await keys.read('p-1')).toBe('sk-one-1111')
    await expect(keys.use('p-1', 'nothing')).rejects.toMatchObject({ code: 'not-found' })
    await keys.clear('p-1')
    expect(await keys.read('p-1')).toBe('sk-new-3333')
    await keys.setAdmin('p-1', 'the-admin-value')
    await keys.forget('p-1')
    expect([...secrets]).toEqual([])
  })

  it('uses a key that is kept until Mien quits before the others, and notes nothing of it', async () => {
    await keys.set('p-1', 'sk-one-1111', 'keychain')
    const before = JSON.stringify(notes)
    await keys.set('p-1', 'sk-now-4444', 'session')
    expect(await keys.read('p-1')).toBe('sk-now-4444')
    expect(JSON.stringify(notes)).toBe(before)
    await keys.clear('p-1')
    expect(await keys.read('p-1')).toBe('sk-one-1111')
  })

  it('never notes a key', async () => {
    await keys.set('p-1', 'sk-one-1111', 'keychain')
    await keys.set('p-1', 'sk-two-2222', 'keychain', true)
    await keys.setAdmin('p-1', 'the-admin-value')
    expect(JSON.stringify(notes)).not.toMatch(/sk-|admin-value|1111|2222/)
  })
})

it.each([
  ['sk-abcdefghijklmnop1234', '…1234'],
  ['sk-ab****cdef', 'sk-ab****cdef'],
  ['sk-…9876', 'sk-…9876'],
  ['short', '…'],
])('%j is shown as %j', (shown, masked) => expect(maskKey(shown)).toBe(masked))
