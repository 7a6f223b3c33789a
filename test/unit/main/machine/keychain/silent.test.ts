import { afterEach, expect, it, vi } from 'vitest'
import { isKeychainStuck, Keychain } from '../../../../../src/main/machine/keychain/keychain.ts'

let answer = Promise.withResolvers<string | null>()
let asked = 0
/** A keychain that answers when it is told to. */
const keytar = {
  getPassword: () => {
    asked += 1
    return answer.promise
  },
} as unknown as typeof import('keytar')

afterEach(() => {
  answer = Promise.withResolvers()
  asked = 0
})

it('is asked one question after the other, and no more of them while it does not answer', async () => {
  const keychain = new Keychain('here', () => Promise.resolve(keytar), 20)
  const both = await Promise.allSettled([keychain.get('one'), keychain.set('two', 'sk-2')])
  const silent = { code: 'no-keychain', details: { reason: 'silent' } }
  expect(both).toMatchObject([{ reason: silent }, { reason: silent }])
  expect(asked).toBe(1)
  expect([keychain.silent, isKeychainStuck()]).toEqual([true, true])
  answer.resolve('sk-1')
  await vi.waitFor(() => expect([keychain.silent, isKeychainStuck()]).toEqual([false, false]))
  expect(await keychain.get('two')).toBe('sk-1')
})

it('has half a minute to answer: the user may have to unlock it', async () => {
  vi.useFakeTimers()
  const said: unknown[] = []
  void new Keychain('here', () => Promise.resolve(keytar)).get('one').catch((error: unknown) => said.push(error))
  await vi.advanceTimersByTimeAsync(29_999)
  expect(said).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(said).toMatchObject([{ details: { reason: 'silent' } }])
  answer.resolve(null)
})

it('is waited for until it has answered, before the process ends', async () => {
  const keychain = new Keychain('here', () => Promise.resolve(keytar))
  const said: string[] = []
  const one = keychain.get('one').then((key) => said.push(`answered ${String(key)}`))
  await Promise.resolve()
  const settled = keychain.settled().then(() => said.push('settled'))
  answer.resolve('sk-1')
  await Promise.all([one, settled])
  expect(said).toEqual(['answered sk-1', 'settled'])
})

it('is not asked any more once the process ends', async () => {
  const keychain = new Keychain('here', () => Promise.resolve(keytar))
  await keychain.settled()
  await expect(keychain.get('one')).rejects.toMatchObject({ code: 'no-keychain' })
  expect(asked).toBe(0)
})
