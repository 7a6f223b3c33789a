import { expect, it } from 'vitest'
import { KeyVault } from '../../../../../src/main/machine/keychain/key-vault.ts'
import { Profiles } from '../../../../../src/main/remote/profiles/profiles.ts'
import { SettingsStore } from '../../../../../src/main/machine/settings/settings-store.ts'
import { memoryKeychain } from '../../../../fixtures/credentials.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'

it('is tested until its address or key changes, also after a restart', async () => {
  const dir = tempDir()
  const vault = new KeyVault(memoryKeychain())
  const answers: (() => Response)[] = []
  const open = (): Profiles => {
    const fetch = (): Promise<Response> =>
      Promise.resolve(answers.shift()?.() ?? new Response('{"code": 401, "message": "wrong key"}', { status: 401 }))
    const network = { fetch, createFetch: fetch }
    return new Profiles({
      ...{ settings: new SettingsStore(dir, 1), vault, embedded: () => null, embeddedName: () => 'This computer' },
      network: { ...network, pinned: () => network },
    })
  }
  const profiles = open()
  const { id, tested } = await profiles.save({ name: 'Agency', baseUrl: 'http://127.0.0.1:9' })
  expect(tested).toBeNull()
  await profiles.setKey(id, 'sk-wrong-0001', 'keychain')
  const testing = profiles.test(id)
  expect((await profiles.get(id)).isTesting).toBe(true)
  expect((await testing).error?.code).toBe('key-refused')
  expect(await open().get(id)).toMatchObject({ isTesting: false, tested: { report: { keyAccepted: false } } })
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
