/**
 * @file The library for certificates. It fails without reflect-metadata, so only this file imports the two: bundled
 * together, they stay in this order.
 */
import 'reflect-metadata'

import { createPrivateKey, type KeyObject } from 'node:crypto'

export * from '@peculiar/x509'

export const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/**
 * Valid from 1970 without an end (RFC 5280, 4.1.2.5): Mien's certificates are pinned or never renewed, and must hold even
 * if the clock is or was wrong.
 */
export const validity = { notBefore: new Date(0), notAfter: new Date('9999-12-31T23:59:59Z') }

export const newKeys = (): Promise<CryptoKeyPair> => crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

export async function privateKeyOf({ privateKey }: CryptoKeyPair): Promise<KeyObject> {
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey))
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}
