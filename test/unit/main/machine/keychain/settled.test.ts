import { expect, it } from 'vitest'
import { Keychain } from '../../../../../src/main/machine/keychain/keychain.ts'

it('waits for an answer that is under way, before the process ends', async () => {
  const answer = Promise.withResolvers<string | null>()
  const keytar = { getPassword: () => answer.promise } as unknown as typeof import('keytar')
  const keychain = new Keychain('here', () => Promise.resolve(keytar))
  const said: string[] = []
  const asked = keychain.get('one').then((key) => said.push(`answered ${String(key)}`))
  await Promise.resolve()
  const settled = keychain.settled().then(() => said.push('settled'))
  answer.resolve('sk-1')
  await Promise.all([asked, settled])
  expect(said).toEqual(['answered sk-1', 'settled'])
  await keychain.settled()
})
