import { beforeEach, describe, expect, it } from 'vitest'
import { KeyVault } from '../../../../../src/main/machine/keychain/key-vault.ts'
import { writePairingCode } from '../../../../../src/main/remote/pairing/pairing-code.ts'
import { Profiles, type ServiceTrouble } from '../../../../../src/main/remote/profiles/profiles.ts'
import { storedProfileSchema } from '@shared/service/profile.ts'
import { SettingsStore } from '../../../../../src/main/machine/settings/settings-store.ts'
import { memoryKeychain, noKeychain } from '../../../../fixtures/credentials.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'

const [pinA, pinB] = ['A', 'B'].map((letter) => `sha256/${letter.repeat(43)}=`) as [string, string] // two letters
const baseUrl = 'https://10.0.0.5:8443'
const codeOf = (fingerprint: string | null, key = 'sk-first-0001'): string =>
  writePairingCode({ baseUrl, key, fingerprint })

let settings: SettingsStore
/** Fingerprints of the connections that were asked for; null: without one. */
let connections: (string | null)[]
let troubles: ServiceTrouble[]

/** What services answer. */
let answer: () => Promise<Response>

function profilesOf(keychain = memoryKeychain()): Profiles {
  const connection = (fingerprint: string | null) => ({
    fetch: () => {
      connections.push(fingerprint)
      return answer()
    },
    createFetch: globalThis.fetch,
  })
  const profiles = new Profiles({
    ...{ settings, vault: new KeyVault(keychain), embedded: () => null, embeddedName: () => 'This computer' },
    network: { ...connection(null), pinned: connection },
  })
  profiles.onChanged((trouble) => {
    if (trouble) troubles.push(trouble)
  })
  return profiles
}

beforeEach(() => {
  settings = new SettingsStore(tempDir(), 1)
  connections = []
  troubles = []
  answer = () => Promise.reject(new Error('net::ERR_CONNECTION_REFUSED'))
})

describe('what is entered for a server that was found', () => {
  const found = { name: 'Studio', baseUrl, fingerprint: pinA }
  const enter = (text: string) => profilesOf().pair(text, 'keychain', { found })

  it('may be a key, which is kept for that server and its certificate only', async () => {
    expect(await enter(' sk-typed-0009\n')).toMatchObject({
      ...{ name: 'Studio', baseUrl, fingerprint: pinA, allowHttp: false },
      key: { kept: 'keychain', lastFour: '0009' },
    })
  })

  it('may be its pairing code', async () => {
    expect(await enter(codeOf(pinA))).toMatchObject({ name: 'Studio', fingerprint: pinA, key: { lastFour: '0001' } })
  })

  it.each([
    ['a code for another certificate', codeOf(pinB), 'other'],
    ['a code for any certificate', codeOf(null), 'other'],
    ['a code that is cut short', codeOf(pinA).slice(0, -1), 'incomplete'],
    ['a code of a newer version', codeOf(pinA).replace('mien-1', 'mien-2'), 'newer'],
    ['a text that no header can carry', 'my secret', 'foreign'],
  ])('is refused as %s, and nothing is added', async (_what, text, reason) => {
    await expect(enter(text)).rejects.toMatchObject({ code: 'pairing-invalid', details: { reason } })
    expect(settings.profiles).toEqual([])
  })
})

describe('a pairing code', () => {
  it('adds a service with its key and certificate, which survive a restart', async () => {
    const dir = tempDir()
    settings = new SettingsStore(dir, 1)
    const view = await profilesOf().pair(codeOf(pinA), 'keychain')
    expect(view).toMatchObject({ name: '10.0.0.5:8443', baseUrl, fingerprint: pinA, allowHttp: false })
    expect(view.key).toEqual({ kept: 'keychain', lastFour: '0001', refused: false })
    expect(new SettingsStore(dir, 2)).toMatchObject({
      isDamaged: false,
      profiles: [{ id: view.id, fingerprint: pinA }],
    })
  })

  it('for a known address updates that service: certificate and key, and nothing else', async () => {
    const profiles = profilesOf()
    const { id } = await profiles.pair(codeOf(pinA), 'keychain')
    await profiles.save({ id, name: 'Studio server', baseUrl, inFlight: 3 })
    const view = await profiles.pair(codeOf(pinB, 'sk-second-0002'), 'keychain')
    expect(view).toMatchObject({ id, name: 'Studio server', inFlight: 3, fingerprint: pinB })
    expect(view.keys).toMatchObject([{ lastFour: '0002', active: true }])
    expect(settings.profiles).toHaveLength(1)
  })

  it('adds nothing without a keychain, unless the key is kept for the session', async () => {
    const profiles = profilesOf(noKeychain())
    await expect(profiles.pair(codeOf(pinA), 'keychain')).rejects.toMatchObject({ code: 'no-keychain' })
    expect(settings.profiles).toEqual([])
    expect((await profiles.pair(codeOf(pinA), 'session')).key.kept).toBe('session')
  })

  it('does not change the certificate of a service set by policy, but may bring its key', async () => {
    const preset = { id: 'set-up-1', name: 'Ours', baseUrl, keyHeader: 'X-Key', durationUnit: 'ms', allowHttp: false }
    const policy = { profiles: [storedProfileSchema.parse({ ...preset, fingerprint: pinA })] }
    settings = new SettingsStore(tempDir(), 1, policy)
    const profiles = profilesOf()
    await expect(profiles.pair(codeOf(pinB), 'keychain')).rejects.toMatchObject({ code: 'forbidden' })
    expect(await profiles.pair(codeOf(pinA), 'keychain')).toMatchObject({ id: 'set-up-1', key: { lastFour: '0001' } })
    expect(settings.profiles).toEqual([])
  })
})

describe('a pinned certificate', () => {
  it('is for the connections of its service only', async () => {
    const profiles = profilesOf()
    const { id } = await profiles.pair(codeOf(pinA), 'keychain')
    const other = await profiles.save({ name: 'Other', baseUrl: 'https://other.example' })
    await profiles.test(id)
    expect(new Set(connections)).toEqual(new Set([pinA]))
    connections = []
    await profiles.test(other.id)
    expect(new Set(connections)).toEqual(new Set([null]))
    connections = []
    await profiles.pair(codeOf(pinB), 'keychain')
    await profiles.test(id)
    expect(new Set(connections)).toEqual(new Set([pinB]))
  })

  it('stays when the form is saved, and goes with encryption', async () => {
    const profiles = profilesOf()
    const { id } = await profiles.pair(codeOf(pinA), 'keychain')
    expect(await profiles.save({ id, name: 'A', baseUrl: 'https://10.0.0.6:8443' })).toMatchObject({
      fingerprint: pinA,
    })
    expect(await profiles.save({ id, name: 'A', baseUrl: 'http://127.0.0.1:1' })).toMatchObject({ fingerprint: null })
  })

  it('that has changed pauses the service once, until a code with another certificate', async () => {
    const profiles = profilesOf()
    const { id } = await profiles.pair(codeOf(pinA), 'keychain')
    profiles.certificateChanged(id)
    profiles.certificateChanged(id)
    expect(troubles).toEqual([{ profileId: id, code: 'certificate-changed' }])
    expect(profiles.isPaused(id)).toBe(true)
    // The code that is known already is no answer to it.
    expect(await profiles.pair(codeOf(pinA), 'keychain')).toMatchObject({ paused: true })
    expect(await profiles.pair(codeOf(pinB), 'keychain')).toMatchObject({ paused: false })
    profiles.certificateChanged(id)
    expect(troubles).toHaveLength(2)
    await profiles.setPaused(id, false)
    profiles.certificateChanged(id)
    expect(troubles).toHaveLength(3)
  })

  it('that has changed is known after a restart, until it is solved', async () => {
    const dir = tempDir()
    settings = new SettingsStore(dir, 1)
    const { id } = await profilesOf().pair(codeOf(pinA), 'keychain')
    profilesOf().certificateChanged(id)
    settings = new SettingsStore(dir, 2)
    expect(await profilesOf().get(id)).toMatchObject({ paused: true, certificateChanged: true })
    await profilesOf().setPaused(id, true)
    expect(await profilesOf().get(id)).toMatchObject({ paused: true, certificateChanged: true })
    await profilesOf().setPaused(id, false)
    settings = new SettingsStore(dir, 3)
    expect(await profilesOf().get(id)).toMatchObject({ paused: false, certificateChanged: false })
  })
})

it('a service is tested until its address or key changes, also after a restart', async () => {
  answer = async () => new Response('{"code": 401, "message": "wrong key"}', { status: 401 })
  const [dir, keychain] = [tempDir(), memoryKeychain()]
  settings = new SettingsStore(dir, 1)
  const profiles = profilesOf(keychain)
  const { id, tested } = await profiles.save({ name: 'Agency', baseUrl: 'http://127.0.0.1:9' })
  expect(tested).toBeNull()
  await profiles.setKey(id, 'sk-wrong-0001', 'keychain')
  const testing = profiles.test(id)
  expect((await profiles.get(id)).isTesting).toBe(true)
  expect((await testing).error?.code).toBe('key-refused')
  settings = new SettingsStore(dir, 2)
  const report = { keyAccepted: false }
  expect(await profilesOf(keychain).get(id)).toMatchObject({ isTesting: false, tested: { report } })
  expect((await profiles.get(id)).key.refused).toBe(true)

  // The result of a test with an old key says nothing about the new one.
  const late = profiles.test(id)
  await profiles.setKey(id, 'sk-other-0002', 'keychain')
  await late
  expect(await profiles.get(id)).toMatchObject({ isTesting: false, tested: null, key: { refused: false } })

  await profiles.test(id)
  expect((await profiles.save({ id, name: 'Agency 2', baseUrl: 'http://127.0.0.1:9' })).tested).not.toBeNull()
  expect((await profiles.save({ id, name: 'Agency 2', baseUrl: 'http://127.0.0.1:10' })).tested).toBeNull()
})
