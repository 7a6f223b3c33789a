/**
 * @file The signature of a manifest: COSE_Sign1 with a detached payload, tagged, with the certificates in the protected
 * header (RFC 9052, RFC 9360; C2PA 2.2, section 13.2). It has a fixed size, because its space is reserved before the
 * file is hashed.
 */
import { constants, sign, type KeyObject } from 'node:crypto'

/** COSE's number of an algorithm, its name in C2PA and its hash in Node. RFC 9053, RFC 8230. */
const algorithms = {
  es256: { id: -7, hash: 'sha256' },
  es384: { id: -35, hash: 'sha384' },
  es512: { id: -36, hash: 'sha512' },
  ps256: { id: -37, hash: 'sha256' },
  ed25519: { id: -8, hash: null },
} as const
export type SigningAlgorithm = keyof typeof algorithms

const curves: Readonly<Record<string, SigningAlgorithm>> = {
  prime256v1: 'es256',
  secp384r1: 'es384',
  secp521r1: 'es512',
}

/** The algorithm of a key; null: C2PA doesn't allow such a key. */
export function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm | null {
  if (asymmetricKeyType === 'ec') return curves[asymmetricKeyDetails?.namedCurve ?? ''] ?? null
  if (asymmetricKeyType === 'ed25519') return 'ed25519'
  const isRsa = asymmetricKeyType === 'rsa' || asymmetricKeyType === 'rsa-pss'
  return isRsa && (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048 ? 'ps256' : null
}

/** Key and certificates (DER, the key's own first) that sign. */
export interface Signer {
  key: KeyObject
  algorithm: SigningAlgorithm
  chain: readonly Uint8Array[]
}

/** Size of `coseSign1`'s answer, in bytes: the certificates, and room for the largest signature and the headers. */
export const coseSize = ({ chain }: Signer): number => chain.reduce((sum, { length }) => sum + length, 0) + 1024

/** Signs a claim. */
export function coseSign1(claim: Uint8Array, signer: Signer): Uint8Array<ArrayBuffer> {
  const { id, hash } = algorithms[signer.algorithm]
  // 1: algorithm, 33: certificates (x5chain).
  const header = bytes(map([int(1), int(id)], [int(33), array(signer.chain.map(bytes))]))
  const signed = array([text('Signature1'), header, bytes(new Uint8Array()), bytes(claim)])
  const isRsa = signer.algorithm === 'ps256'
  const signature = sign(hash, signed, {
    key: signer.key,
    ...(isRsa
      ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
      : { dsaEncoding: 'ieee-p1363' }),
  })
  const size = coseSize(signer)
  const withPad = (length: number): Buffer => {
    const pad = map([text('pad'), bytes(new Uint8Array(length))])
    // Tag 18 is COSE_Sign1; 0xf6 is null: the payload is elsewhere.
    return Buffer.concat([head(6, 18), array([header, pad, Buffer.from([0xf6]), bytes(signature)])])
  }
  // The length of the pad's own head depends on the pad.
  const room = size - withPad(0).length
  for (let length = room; length >= 0; length--) {
    const made = withPad(length)
    if (made.length === size) return new Uint8Array(made)
  }
  throw new Error('the signature is larger than its reserved space')
}

/** CBOR (RFC 8949): the head of a value, of one of eight major types. */
function head(major: number, value: number): Buffer {
  const type = major << 5
  if (value < 24) return Buffer.from([type | value])
  if (value < 0x100) return Buffer.from([type | 24, value])
  if (value < 0x1_0000) return Buffer.from([type | 25, value >> 8, value & 0xff])
  const long = Buffer.alloc(5)
  long.writeUInt8(type | 26)
  long.writeUInt32BE(value, 1)
  return long
}
const int = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value))
const bytes = (value: Uint8Array): Buffer => Buffer.concat([head(2, value.length), value])
const text = (value: string): Buffer => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
const array = (values: readonly Buffer[]): Buffer => Buffer.concat([head(4, values.length), ...values])
const map = (...pairs: readonly (readonly [Buffer, Buffer])[]): Buffer =>
  Buffer.concat([head(5, pairs.length), ...pairs.flat()])
