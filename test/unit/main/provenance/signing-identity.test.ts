import 'reflect-metadata'
import { readFileSync, writeFileSync } from 'node:fs'
import * as x509 from '@peculiar/x509'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { SigningFile } from '../../../../src/main/provenance/signing-file.ts'
import { SigningIdentity } from '../../../../src/main/provenance/signing-identity.ts'
import type { Keychain } from '../../../../src/main/machine/keychain/keychain.ts'
import { sample } from '../../../fixtures/clip.ts'
import { copyOfMien, memoryKeychain, noKeychain } from '../../../fixtures/credentials.ts'
import { swap } from '../../../fixtures/fake-tasks.ts'
import { tempDir, tempPaths } from '../../../fixtures/temp-dir.ts'

const inDir = tempPaths()
let entries: Map<string, string>
let keychain: Keychain
let logged: string[]

beforeEach(() => {
  entries = new Map()
  keychain = memoryKeychain(entries)
  logged = []
})

type Deps = ConstructorParameters<typeof SigningIdentity>[0]

/** A start of Mien. */
const identity = (change: Partial<Deps> = {}): SigningIdentity =>
  new SigningIdentity({
    ...{ file: new SigningFile(inDir()), keychain: (id) => keychain.ofInstall(id), files: null, now: Date.now },
    ...{ log: (message) => void logged.push(message), ...change },
  })

const firstOf = async (one: SigningIdentity): Promise<string> =>
  Buffer.from((await one.signer()).chain[0] ?? []).toString('base64')

describe('the key of this copy', () => {
  it('is made when it is first needed, and the same at the next start', async () => {
    const before = identity()
    expect(await before.view()).toMatchObject({ kind: 'this-copy', name: null, kept: null })
    const first = await firstOf(before)
    expect(await before.view()).toMatchObject({ name: 'Copy of Mien', kept: 'keychain', problem: null })
    expect(await firstOf(identity())).toBe(first)
    expect([...entries.keys()]).toEqual([expect.stringMatching(/^credentials@/)])
    expect(readFileSync(inDir('signing.json'), 'utf8')).not.toContain([...entries.values()][0])
    expect(logged).toEqual([])
  })

  it('lasts until Mien quits if there is no keychain', async () => {
    keychain = noKeychain()
    const one = identity()
    const first = await firstOf(one)
    expect(await firstOf(one)).toBe(first)
    expect(await one.view()).toMatchObject({ kept: 'session' })
    expect(await firstOf(identity())).not.toBe(first)
  })

  it('comes back after a start without the keychain', async () => {
    const first = await firstOf(identity())
    const open = keychain
    keychain = noKeychain()
    expect(await firstOf(identity())).not.toBe(first)
    keychain = open
    expect(await firstOf(identity())).toBe(first)
  })

  it('is a new one if it is gone from the keychain or isn’t the certificate’s', async () => {
    const first = await firstOf(identity())
    entries.clear()
    const second = await firstOf(identity())
    expect(second).not.toBe(first)
    for (const account of entries.keys()) entries.set(account, 'nonsense')
    expect(await firstOf(identity())).not.toBe(second)
    expect((await identity().known()).match(/BEGIN CERTIFICATE/g)).toHaveLength(3)
  })

  it('is a new one if the file is damaged, and works if it can’t be written', async () => {
    const first = await firstOf(identity())
    writeFileSync(inDir('signing.json'), '{"chain":["nonsense"]')
    expect(await firstOf(identity())).not.toBe(first)
    const file = {
      read: () => new SigningFile(tempDir()).read(),
      write: () => {
        throw new Error('the disk is full')
      },
    }
    expect((await identity({ file }).signer()).chain).toHaveLength(2)
    expect(logged).toHaveLength(1)
  })
})

/** Copies of Mien that sign and verify, which end with the test. */
function copy(
  change: Partial<Parameters<typeof copyOfMien>[2]> = { keychain },
  where = inDir(),
): ReturnType<typeof copyOfMien> {
  const made = copyOfMien(where, {}, change)
  onTestFinished(() => made.credentials.dispose())
  return made
}
/** Signs a picture. @returns its path */
async function signedBy({ credentials }: ReturnType<typeof copyOfMien>): Promise<string> {
  const target = inDir('out.jpg')
  const result = { model: null, frames: 1, swappedFrames: 1 }
  const { signal } = new AbortController()
  expect(await credentials.sign({ task: swap('a', 1), result, source: sample.face, target, signal })).toBe('signed')
  return target
}

it('files of an earlier key are still this copy’s', async () => {
  const target = await signedBy(copy())
  entries.clear()
  await firstOf(identity())
  expect(await copy().credentials.verify(target)).toMatchObject({ verdict: 'unchanged', signer: { kind: 'this-copy' } })
})

interface Made {
  certificates: string
  key: string
}

const p384 = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' }

/** An organisation's certificates and key, as PEM. */
async function organisation({ until = '2100-01-01', algorithm = p384 } = {}): Promise<Made> {
  const keys = () => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const [root, own] = [await keys(), await keys()]
  const common = { notBefore: new Date('2020-01-01'), notAfter: new Date(until), signingAlgorithm: algorithm }
  const issuer = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ ...common, name: 'CN=Root, O=Trust Office', keys: root },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  const certificate = await x509.X509CertificateGenerator.create({
    ...{ ...common, subject: 'CN=Signing, O=Harbour Films', issuer: issuer.subject },
    ...{ signingKey: root.privateKey, publicKey: own.publicKey },
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.emailProtection]),
      await x509.AuthorityKeyIdentifierExtension.create(root.publicKey),
    ],
  })
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', own.privateKey), 'PRIVATE KEY')
  return { certificates: `${certificate.toString('pem')}\n${issuer.toString('pem')}\n`, key: `${key}\n` }
}

const pemOf = async (...given: Parameters<typeof organisation>): Promise<string> =>
  Object.values(await organisation(...given)).join('')

/** A certificate that signed itself, and its key. */
async function selfSigned(): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=Me', notBefore: new Date('2020-01-01'), notAfter: new Date('2100-01-01') },
    ...{ signingAlgorithm: algorithm, keys },
  })
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  return `${certificate.toString('pem')}\n${key}\n`
}

describe('an organisation’s certificate', () => {
  it('signs from then on, also at the next start, until it is removed', async () => {
    const one = identity()
    const own = await firstOf(one)
    await one.useOrganisation(await pemOf(), null)
    const theirs = await firstOf(one)
    expect(theirs).not.toBe(own)
    const later = identity()
    const view = { kind: 'organisation', name: 'Harbour Films', isFixed: false, problem: null }
    expect(await later.view()).toMatchObject(view)
    expect(await firstOf(later)).toBe(theirs)
    expect((await later.signer()).algorithm).toBe('es384')
    await later.useOwn()
    expect(await firstOf(later)).toBe(own)
    expect(await firstOf(identity())).toBe(own)
  })

  it('is read back as the organisation’s by copies that have it, and as somebody’s by others', async () => {
    const ours = copy()
    await ours.identity.useOrganisation(await pemOf(), null)
    const target = await signedBy(ours)
    const signer = { kind: 'organisation', name: 'Harbour Films', keyId: null }
    expect(await ours.credentials.verify(target)).toMatchObject({ verdict: 'unchanged', signer })
    const other = await copy({}, tempDir()).credentials.verify(target)
    expect(other).toMatchObject({ verdict: 'unchanged', signer: { ...signer, kind: 'other' } })
  })

  it.each([
    ['es512', { name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' }],
    ['ed25519', { name: 'Ed25519' }],
    [
      'ps256',
      { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1), hash: 'SHA-256' },
    ],
  ])('signs with a key of its kind: %s', async (kind, algorithm) => {
    const ours = copy()
    await ours.identity.useOrganisation(await pemOf({ algorithm: algorithm as typeof p384 }), null) // whatever makes a pair of keys
    expect((await ours.identity.signer()).algorithm).toBe(kind)
    const read = await ours.credentials.verify(await signedBy(ours))
    expect(read).toMatchObject({ verdict: 'unchanged', signer: { kind: 'organisation' } })
  })

  it('that has expired is replaced by this copy’s key, which the settings say', async () => {
    await identity().useOrganisation(await pemOf({ until: '2030-01-01' }), null)
    const later = identity({ now: () => Date.UTC(2031, 0) })
    expect(await later.view()).toMatchObject({ kind: 'organisation', problem: 'expired' })
    expect((await later.signer()).algorithm).toBe('es256')
  })

  it('whose key is gone from the keychain is replaced too', async () => {
    await identity().useOrganisation(await pemOf(), null)
    entries.clear()
    const later = identity()
    expect((await later.signer()).algorithm).toBe('es256')
    expect(await later.view()).toMatchObject({ problem: 'unusable' })
    await later.useOwn()
    expect(await later.view()).toMatchObject({ kind: 'this-copy', problem: null })
  })

  it('of a policy signs, and can’t be changed here', async () => {
    const { certificates, key } = await organisation()
    const files = { certificate: inDir('chain.pem'), key: inDir('key.pem') }
    writeFileSync(files.certificate, certificates)
    writeFileSync(files.key, key)
    const one = identity({ files })
    expect(await one.view()).toMatchObject({ kind: 'organisation', name: 'Harbour Films', isFixed: true })
    expect((await one.signer()).algorithm).toBe('es384')
    expect((await identity({ files }).known()).match(/BEGIN CERTIFICATE/g)).toHaveLength(1)
    const without = identity({ files: { ...files, key: inDir('nothing.pem') } })
    expect((await without.signer()).algorithm).toBe('es256')
    expect(await without.view()).toMatchObject({ problem: 'unusable', isFixed: true })
  })

  it.each([
    ['unreadable', () => Promise.resolve('hello')],
    ['unreadable', async () => (await organisation()).certificates],
    ['unreadable', async () => 'x'.repeat(100_001) + (await organisation()).key],
    ['other-key', async () => (await organisation()).certificates + (await organisation()).key],
    ['expired', () => pemOf({ until: '2021-01-01' })],
    ['self-signed', selfSigned],
  ])('that can’t sign is refused: %s', async (reason, pem) => {
    const one = identity()
    const refused = { code: 'bad-certificate', details: { reason } }
    await expect(one.useOrganisation(await pem(), null)).rejects.toMatchObject(refused)
    expect(await one.view()).toMatchObject({ kind: 'this-copy' })
    expect([...entries.keys()]).toEqual([])
  })
})
