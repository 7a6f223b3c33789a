/** @file Against a real Secret Service: run by `npm test` inside a D-Bus session with an unlocked keyring. */
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Keychain } from '../../src/main/machine/keychain/keychain.ts'
import { KeyVault } from '../../src/main/machine/keychain/key-vault.ts'

describe('the keychain', () => {
  it('is there', async () => expect(await new Keychain(randomUUID()).available()).toBe(true))

  it('keeps, replaces and forgets a secret; another Mien on this computer does not see it', async () => {
    const install = randomUUID()
    const keychain = new Keychain(install)
    await keychain.set('p', 'first')
    await keychain.set('p', 'second')
    expect(await new Keychain(install).get('p')).toBe('second')
    expect(await new Keychain(randomUUID()).get('p')).toBeNull()
    await keychain.delete('p')
    expect(await keychain.get('p')).toBeNull()
  })
})

describe('the vault', () => {
  it('keeps a key in the keychain and tells only its end', async () => {
    const install = randomUUID()
    const vault = new KeyVault(new Keychain(install))
    await vault.set('p', '  sk-0123456789abcdef\n', 'keychain')
    expect(await new KeyVault(new Keychain(install)).read('p')).toBe('sk-0123456789abcdef')
    const status = await vault.status('p')
    expect(status).toEqual({ kept: 'keychain', lastFour: 'cdef', refused: false })
    await vault.clear('p')
    expect(await vault.status('p')).toEqual({ kept: 'none', lastFour: null, refused: false })
  })
})

describe('without a keychain', () => {
  const none = new Keychain('x', () => Promise.reject(new Error('cannot open /home/ada/libsecret')))

  it('every call says so, with nothing of what lies under it', async () => {
    expect(await none.available()).toBe(false)
    const error: unknown = await none.set('p', 'k').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'no-keychain', details: {} })
    expect(String(error)).not.toContain('ada')
  })

  it('a key is kept for the session only when the user says so', async () => {
    const vault = new KeyVault(none)
    await expect(vault.set('p', 'sk-0123456789', 'keychain')).rejects.toMatchObject({ code: 'no-keychain' })
    expect(await vault.read('p')).toBeNull()
    await vault.set('p', 'sk-0123456789', 'session')
    expect(await vault.status('p')).toEqual({ kept: 'session', lastFour: '6789', refused: false })
    await vault.clear('p')
    expect(await vault.read('p')).toBeNull()
  })

  it.each(['two words', 'line\nbreak', 'abc', '', 'ключключ', 'x'.repeat(5000)])('%j is no key', async (key) => {
    await expect(new KeyVault(none).set('p', key, 'session')).rejects.toMatchObject({ code: 'bad-argument' })
  })
})
