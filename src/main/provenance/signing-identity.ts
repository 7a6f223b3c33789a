/**
 * @file The key and certificates that sign: an organisation's, or those of this copy of Mien, which are made when they
 * are first needed. Private keys are in the keychain, or in memory if there is none; certificates are in a file.
 */
import { X509Certificate, createPrivateKey, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { MienError } from '@shared/errors.ts'
import type { SigningView } from '@shared/files/verification.ts'
import type { Keychain } from '../machine/keychain/keychain.ts'
import { algorithmOf, type Signer } from './cose.ts'
import { keyIdIn } from './copy-name.ts'
import type { SigningFile, StoredSigning } from './signing-file.ts'

interface SigningIdentityDeps {
  file: Pick<SigningFile, 'read' | 'write'>
  /** The keychain's entries of an id, see SigningFile. */
  keychain: (id: string) => Pick<Keychain, 'get' | 'set' | 'delete' | 'settled'>
  /** Files of an organisation's certificate and key in PEM, set by policy. */
  files: { certificate: string; key: string } | null
  log: (message: string, error?: unknown) => void
  now: () => number
}

/** Accounts in the keychain. */
const ownAccount = 'credentials'
const organisationAccount = 'credentials-organisation'
/** Number of earlier authorities of this copy to remember. */
const maxKnown = 100
const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
/** Max size of a PEM file. */
export const maxPemChars = 100_000

export class SigningIdentity {
  readonly #deps: SigningIdentityDeps
  #own: Promise<{ signer: Signer; kept: 'keychain' | 'session' }> | null = null
  #organisation: { signer: Signer; isFixed: boolean } | null = null
  #problem: SigningView['problem'] = null
  #loading: Promise<void> | null = null
  #stored: StoredSigning | null = null
  #keychain: ReturnType<SigningIdentityDeps['keychain']> | null = null

  constructor(deps: SigningIdentityDeps) {
    this.#deps = deps
  }

  /** Who signs now. An organisation's certificate that can't be used is replaced by this copy's own. */
  async signer(): Promise<Signer> {
    await this.#load()
    if (this.#organisation && this.#isValid(this.#organisation.signer)) return this.#organisation.signer
    return (await this.#ownSigner()).signer
  }

  /** For the settings. Makes no key. */
  async view(): Promise<SigningView> {
    await this.#load()
    const { chain } = this.#file
    const own = this.#own ? await this.#own : null
    const shown = this.#organisation?.signer.chain[0] ?? own?.signer.chain[0] ?? decoded(chain)[0]
    const names = shown === undefined ? null : namesOf(new X509Certificate(shown))
    const isExpired = this.#organisation !== null && !this.#isValid(this.#organisation.signer)
    return {
      kind: this.#organisation ? 'organisation' : 'this-copy',
      name: names?.organisation ?? names?.common ?? null,
      keyId: keyIdIn(names?.common ?? ''),
      kept: own?.kept ?? null,
      isFixed: this.#organisation?.isFixed === true || this.#deps.files !== null,
      problem: isExpired ? 'expired' : this.#problem,
    }
  }

  /** Certificates of all authorities that this copy made or was given, in PEM. Needs no keychain. */
  async known(): Promise<string> {
    const { known, organisation } = this.#file
    const { files } = this.#deps
    const text = files === null ? '' : await readFile(files.certificate, 'utf8').catch(() => '')
    const authorities = [...decoded(known), ...decoded(organisation ?? []).slice(-1)]
    const pems = authorities.map((der) => new X509Certificate(der).toString())
    return [...pems, ...(text.match(certificatePattern) ?? []).slice(-1)].join('\n')
  }

  /**
   * Signs with an organisation's certificate from now on.
   * @param pem certificates, their own first, and the private key
   * @throws MienError `bad-certificate`, `no-keychain`
   */
  async useOrganisation(pem: string, passphrase: string | null): Promise<void> {
    const signer = readPem(pem, pem, passphrase)
    if (!this.#isValid(signer)) throw new MienError('bad-certificate', { reason: 'expired' })
    await this.#vault.set(organisationAccount, exported(signer.key))
    this.#change({ organisation: encoded(signer.chain) })
    this.#organisation = { signer, isFixed: false }
    this.#problem = null
  }

  /** Signs with this copy's own key again. */
  async useOwn(): Promise<void> {
    await this.#vault.delete(organisationAccount)
    this.#change({ organisation: null })
    this.#organisation = null
    this.#problem = null
  }

  /** Waits for the keychain, as `Keychain.settled` does. */
  async dispose(): Promise<void> {
    await this.#keychain?.settled()
  }

  get #file(): StoredSigning {
    return (this.#stored ??= this.#deps.file.read())
  }

  /** Changes the file. If it can't be written, the change counts for this run. */
  #change(change: Partial<StoredSigning>): void {
    this.#stored = { ...this.#deps.file.read(), id: this.#file.id, ...change }
    try {
      this.#deps.file.write(this.#stored)
    } catch (error) {
      this.#deps.log('The certificates for credentials could not be stored', error)
    }
  }

  get #vault() {
    return (this.#keychain ??= this.#deps.keychain(this.#file.id))
  }

  #isValid({ chain }: Signer): boolean {
    const now = this.#deps.now()
    return chain.every((der) => {
      const { validFromDate, validToDate } = new X509Certificate(der)
      return validFromDate.getTime() <= now && now < validToDate.getTime()
    })
  }

  #load(): Promise<void> {
    this.#loading ??= this.#loadOrganisation().catch((error: unknown) => {
      this.#problem = 'unusable'
      this.#deps.log('The organisation’s certificate can’t be used', error)
    })
    return this.#loading
  }

  async #loadOrganisation(): Promise<void> {
    const { files } = this.#deps
    if (files) {
      const [certificate, key] = await Promise.all([readFile(files.certificate, 'utf8'), readFile(files.key, 'utf8')])
      this.#organisation = { signer: readPem(certificate, key, null), isFixed: true }
      return
    }
    const chain = this.#file.organisation
    if (!chain) return
    const key = await this.#vault.get(organisationAccount)
    if (key === null) throw new Error('its key is not in the keychain')
    this.#organisation = { signer: signerOf(imported(key), decoded(chain)), isFixed: false }
  }

  #ownSigner(): Promise<{ signer: Signer; kept: 'keychain' | 'session' }> {
    this.#own ??= this.#openOwn().catch((error: unknown) => {
      this.#own = null
      throw error
    })
    return this.#own
  }

  async #openOwn(): Promise<{ signer: Signer; kept: 'keychain' | 'session' }> {
    const { log } = this.#deps
    try {
      const key = await this.#vault.get(ownAccount)
      const { chain } = this.#file
      if (key !== null && chain.length > 0) return { signer: signerOf(imported(key), decoded(chain)), kept: 'keychain' }
    } catch (error) {
      // There is no keychain, or the key doesn't belong to the certificate: make a new one.
      log('The key for credentials could not be read', error)
    }
    const { makeChain } = await import('./make-chain.ts')
    const signer = await makeChain()
    const kept = await this.#vault.set(ownAccount, exported(signer.key)).then(
      () => 'keychain' as const,
      () => 'session' as const,
    )
    this.#change({
      // Keep the stored certificates: their key may be in a keychain that is locked now.
      ...(kept === 'keychain' ? { chain: encoded(signer.chain) } : {}),
      known: [...this.#deps.file.read().known, ...encoded(signer.chain.slice(-1))].slice(-maxKnown),
    })
    return { signer, kept }
  }
}

const decoded = (chain: readonly string[]): Uint8Array[] =>
  chain.map((text) => new Uint8Array(Buffer.from(text, 'base64')))
const encoded = (chain: readonly Uint8Array[]): string[] => chain.map((der) => Buffer.from(der).toString('base64'))

const exported = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'der' }).toString('base64')
const imported = (key: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(key, 'base64'), type: 'pkcs8', format: 'der' })

/** @throws MienError `bad-certificate` */
function readPem(certificates: string, keyText: string, passphrase: string | null): Signer {
  if (certificates.length > maxPemChars || keyText.length > maxPemChars)
    throw new MienError('bad-certificate', { reason: 'unreadable' })
  const found = certificates.match(certificatePattern) ?? []
  const keyBlock = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----[^]+?-----END \1PRIVATE KEY-----/.exec(keyText)?.[0]
  if (found.length === 0 || keyBlock === undefined) throw new MienError('bad-certificate', { reason: 'unreadable' })
  let key: KeyObject
  let chain: Uint8Array[]
  try {
    chain = found.map((pem) => new Uint8Array(new X509Certificate(pem).raw))
    key = createPrivateKey({ key: keyBlock, ...(passphrase === null ? {} : { passphrase }) })
  } catch (error) {
    const isLocked = error instanceof Error && /passphrase|bad decrypt|interrupted/i.test(error.message)
    throw new MienError('bad-certificate', { reason: isLocked ? 'passphrase' : 'unreadable' }, { cause: error })
  }
  return signerOf(key, chain)
}

/** @throws MienError `bad-certificate` */
function signerOf(key: KeyObject, chain: readonly Uint8Array[]): Signer {
  const algorithm = algorithmOf(key)
  const [own] = chain
  if (algorithm === null || !own) throw new MienError('bad-certificate', { reason: 'algorithm' })
  const certificate = new X509Certificate(own)
  if (!certificate.checkPrivateKey(key)) throw new MienError('bad-certificate', { reason: 'other-key' })
  // C2PA 2.2, section 14.5.1.
  if (certificate.ca || certificate.issuer === certificate.subject)
    throw new MienError('bad-certificate', { reason: 'self-signed' })
  return { key, algorithm, chain }
}

function namesOf({ subject }: X509Certificate): { common: string | null; organisation: string | null } {
  const field = (name: string): string | null => new RegExp(`^${name}=(.+)$`, 'm').exec(subject)?.[1] ?? null
  return { common: field('CN'), organisation: field('O') }
}
