/** @file Fingerprints of certificates. Pure. */
import { hash } from 'node:crypto'

/** `sha256/<base64>` of a certificate's DER, in the format of Electron's certificate verifier. */
export const fingerprintOf = (der: Uint8Array): string => `sha256/${hash('sha256', der, 'base64')}`
